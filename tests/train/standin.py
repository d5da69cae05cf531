"""A model that is as small as a model can be, and lists for it: the loop is tested without any model of ours.

Words are hashed into a small table, texts are averaged, and a linear layer reads question times candidate. It has what
a loop can get wrong: dropout, a frozen weight, and a buffer that training changes. It has no bias on top: a loss that
compares cannot see it, so its gradient is rounding error, which AdamW would turn into steps of full length.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from anselm.data.question import Candidate, Question
from anselm.encoding.lists import Indices, Lists, encode_lists
from anselm.layers.layout import Layout
from anselm.scorer import Scores
from anselm.train.hyperparameters import Training
from anselm.train.loop import Loop
from anselm.train.sampling import Sampling

WORDS, WIDTH = 31, 6


@dataclass(frozen=True)
class Batch:
    questions: Tensor  # (pairs, words) shares of each word
    candidates: Tensor  # (pairs, words)
    labels: Tensor
    layout: Layout


class StandIn(nn.Module):
    language: str | None = None

    def __init__(self, dropout: float = 0.3, width: int = WIDTH) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.encoder = nn.Linear(WORDS, width)
        self.scale = nn.Parameter(torch.full((width,), 2.0), requires_grad=False)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, 1, bias=False)
        self.register_buffer("seen", torch.zeros(()))
        with torch.no_grad():
            for parameter in (*self.encoder.parameters(), *self.head.parameters()):
                parameter.copy_(torch.randn(parameter.shape, generator=generator))

    def featurize(self, questions: Sequence[Question]) -> Lists:
        return encode_lists(
            questions, lambda texts: [[zlib.crc32(word.encode()) % WORDS for word in text.split()] for text in texts]
        )

    def widths(self, lists: Lists) -> Indices:
        return lists.longest

    def place(self, lists: Lists, device: torch.device) -> Tensor:
        """-> (texts, words): which share of a text each word is."""
        texts = lists.texts
        rows = [
            np.bincount(texts.ids[s : s + n], minlength=WORDS) / n
            for s, n in zip(texts.starts, texts.lengths, strict=True)
        ]
        return torch.tensor(np.array(rows), dtype=torch.float32, device=device)

    def collate(self, placed: Tensor, picked: Lists) -> Batch:
        asked, said, labels = (
            torch.from_numpy(array).to(placed.device)
            for array in (np.repeat(picked.questions, picked.sizes), picked.candidates, picked.labels)
        )
        return Batch(placed[asked], placed[said], labels, Layout.of(picked.sizes, placed.device))

    def forward(self, batch: Batch) -> Tensor:
        if self.training:
            self.seen = self.seen + 1  # a new tensor, as some layers do
        together = self.encoder(batch.questions) * self.encoder(batch.candidates) * self.scale  # (pairs, width)
        return self.head(self.dropout(torch.tanh(together))).squeeze(-1)

    @torch.no_grad()
    def score(self, questions: Sequence[Question]) -> list[Scores]:
        self.eval()
        lists = self.featurize(questions)
        everything = self.collate(self.place(lists, self.scale.device), lists.pick(np.arange(len(lists))))
        return np.split(self(everything).double().cpu().numpy(), lists.bounds[1:-1])


def make_questions(count: int = 13, seed: int = 0) -> list[Question]:
    """Lists of two to five candidates; a relevant one repeats words of its question."""
    rng = random.Random(seed)
    words = [f"word{i}" for i in range(40)]
    questions = []
    for number in range(count):
        asked = rng.sample(words, 4)
        size, right = rng.randint(2, 5), rng.randint(0, 1)
        texts = [rng.sample(asked if i == right else words, 3) + rng.sample(words, 2) for i in range(size)]
        candidates = [Candidate(f"a{i}", " ".join(text), float(i == right)) for i, text in enumerate(texts)]
        questions.append(Question(f"q{number}", " ".join(asked), tuple(candidates)))
    return questions


EVERYTHING = Training(
    epochs=3, learning_rate=0.05, warmup=0.3, batch_lists=3, sampling=Sampling("hard", 2), average=0.8, patience=4,
    evaluations=2, log_steps=1, save_seconds=0,
)  # fmt: skip


def dev_metric(model: StandIn) -> Callable[[], float]:
    """How probable the relevant candidates of other lists are: a number that moves with every step."""
    questions = make_questions(6, seed=1)

    def metric() -> float:
        rows = [torch.from_numpy(row).log_softmax(0) for row in model.score(questions)]
        return -float(
            np.mean(
                [
                    functional.nll_loss(row, torch.tensor(q.labels).argmax())
                    for row, q in zip(rows, questions, strict=True)
                ]
            )
        )

    return metric


def make_loop(folder: Path | None, training: Training = EVERYTHING, dropout: float = 0.3, **more: Any) -> Loop:
    model = more.pop("model", None) or StandIn(dropout)
    options = {"questions": make_questions(), "metric": dev_metric(model)} | more
    return Loop(model, training=training, folder=folder, **options)
