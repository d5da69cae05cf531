"""An exported model over word vectors as a scorer: each question once, each distinct candidate once, then the pairs.

questions (lists, words), answers (texts, words), asked, said (pairs,), all int64 -> signals: float32 (pairs, 1)

A word is its number in vocabulary.txt, and 0 is padding. Texts are cut as in training.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.checkpoints.catalogue import read_config
from anselm.checkpoints.saved_vocabulary import VOCABULARY, load_vocabulary
from anselm.data.question import Question
from anselm.encoding.lists import Indices, Lists, encode_lists, spread
from anselm.encoding.packing import in_order
from anselm.errors import FormatError
from anselm.runtime.engines import Engine, open_engine
from anselm.scorer import Scores
from anselm.text.vocabulary import PAD, Vocabulary

MODEL = Path("onnx") / "model.onnx"
BUDGET = 8_192  # words of a batch


class ExportedWords:
    """One checkpoint folder that holds `onnx/model.onnx` and a vocabulary."""

    capacity: int | None = 1_000
    pairwise = True
    language: str | None = None

    def __init__(
        self, name: str, folder: Path, limits: tuple[int, int], vocabulary: Vocabulary, engine: Engine
    ) -> None:
        self.name, self.folder, self.vocabulary, self.engine = name, folder, vocabulary, engine
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

    def save(self, folder: Path) -> None:
        (folder / MODEL).parent.mkdir(exist_ok=True)
        for file in ("config.json", VOCABULARY, MODEL):
            shutil.copyfile(self.folder / file, folder / file)


def pad(lists: Lists, texts: Indices, most: int) -> NDArray[np.int64]:
    """(texts, words)"""
    lengths = np.minimum(lists.texts.lengths[texts], most)
    inside = np.arange(lengths.max(initial=1)) < lengths[:, None]
    ids = np.full(inside.shape, PAD, dtype=np.int64)
    ids[inside] = lists.texts.ids[spread(lists.texts.starts[texts], lengths)]
    return ids


def load_words(folder: Path, threads: int | None = None) -> ExportedWords:
    path = folder / "config.json"
    record = read_config(path)
    for name in ("max_question", "max_length"):
        if type(value := record["config"].get(name)) is not int or value < 1:
            raise FormatError(path, f"the setting {name!r} is {value!r}, which is no whole number above 0")
    limits = (record["config"]["max_question"], record["config"]["max_length"])
    vocabulary = load_vocabulary(folder)
    return ExportedWords(record["model"], folder, limits, vocabulary, open_engine(folder / MODEL, threads))
