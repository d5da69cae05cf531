"""An exported model over word vectors as a scorer: each question once, each distinct candidate once, then the pairs.

questions (lists, words), answers (texts, words), asked, said (pairs,), all int64 -> signals: float32 (pairs, 1)

A word is its number in vocabulary.txt, and 0 is padding. Texts are cut as in training.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.checkpoints.checkpoint import CONFIG, GRAPH, VOCABULARY, Checkpoint
from anselm.checkpoints.checksums import copy_files
from anselm.checkpoints.saved_vocabulary import load_vocabulary
from anselm.data.question import Question
from anselm.encoding.lists import Indices, Lists, encode_lists, spread
from anselm.encoding.packing import in_order
from anselm.runtime.engines import Engine, open_engine
from anselm.scorer import Scores
from anselm.text.vocabulary import PAD, Vocabulary

BUDGET = 8_192  # words of a batch


class ExportedWords:
    """One checkpoint folder that holds a graph and a vocabulary."""

    capacity: int | None = 1_000
    pairwise = True
    language: str | None = None

    def __init__(self, checkpoint: Checkpoint, limits: tuple[int, int], vocabulary: Vocabulary, engine: Engine) -> None:
        self.name, self.checkpoint, self.vocabulary, self.engine = checkpoint.model, checkpoint, vocabulary, engine
        self.max_question, self.max_length = limits

    def score(self, questions: Sequence[Question], budget: int = BUDGET) -> list[Scores]:
        if not questions:
            return []
        lists = encode_lists(questions, self.vocabulary)
        scores = np.empty(len(lists.labels))
        for pairs, batch in self.batches(lists, budget):
            scores[pairs] = self.engine(batch)[:, 0]
        return np.split(scores, lists.bounds[1:-1])

    def batches(self, lists: Lists, budget: int) -> Iterator[tuple[Indices, dict[str, Any]]]:
        """The pairs of some lists, and what the graph takes of them."""
        widths = np.minimum(lists.longest, self.max_length + self.max_question)
        for numbers in in_order(widths, lists.sizes, budget):
            sizes = lists.sizes[numbers]
            pairs = spread(lists.bounds[numbers], sizes)
            if not len(pairs):  # lists without candidates
                continue
            texts, said = np.unique(lists.candidates[pairs], return_inverse=True)
            yield (
                pairs,
                {
                    "questions": pad(lists, lists.questions[numbers], self.max_question),
                    "answers": pad(lists, texts, self.max_length),
                    "asked": np.repeat(np.arange(len(numbers)), sizes),
                    "said": said,
                },
            )

    def computes_on(self) -> tuple[str, int]:
        return self.engine.computes_on()

    def save(self, folder: Path) -> None:
        copy_files(self.checkpoint.folder, folder, (CONFIG, VOCABULARY, GRAPH))


def pad(lists: Lists, texts: Indices, most: int) -> NDArray[np.int64]:
    """(texts, words)"""
    lengths = np.minimum(lists.texts.lengths[texts], most)
    inside = np.arange(lengths.max(initial=1)) < lengths[:, None]
    ids = np.full(inside.shape, PAD, dtype=np.int64)
    ids[inside] = lists.texts.ids[spread(lists.texts.starts[texts], lengths)]
    return ids


def load(checkpoint: Checkpoint, threads: int | None = None) -> ExportedWords:
    for name in ("max_question", "max_length"):
        if type(value := checkpoint.config.get(name)) is not int or value < 1:
            raise checkpoint.refusal(f"the setting {name!r} is {value!r}, which is no whole number above 0")
    limits = (checkpoint.config["max_question"], checkpoint.config["max_length"])
    vocabulary = load_vocabulary(checkpoint)
    return ExportedWords(checkpoint, limits, vocabulary, open_engine(checkpoint.path(GRAPH), threads))
