"""Where a row gains over the one that it is compared with: by how long texts are, and how noisy.

The error analysis of section 4.6.2 of tree-aggregation-transformer, from recorded values of each question. A word is
noisy that the vocabulary of the shipped ranker does not have whole: misspelt, glued together, or rare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anselm.checkpoints.catalogue import SHIPPED
from anselm.checkpoints.checkpoint import TOKENIZER
from anselm.data.question import Question
from anselm.encoding.tokenizer import PairTokenizer
from anselm.errors import InputError
from anselm.experiments.results import Result
from anselm.metrics.significance import compare

PARTS = 3  # of the questions, from those with least of a trait to those with most
Floats = NDArray[np.float64]
Trait = Callable[[Question], float]


@dataclass(frozen=True)
class Gain:
    """That of some questions of a corpus."""

    row: str
    against: str
    corpus: str
    trait: str
    least: float
    most: float
    questions: int
    gain: float
    interval: tuple[float, float]  # 95 %
    p: float  # over questions


def gains_of(result: Result, others: Sequence[Result], questions: Sequence[Question]) -> Iterator[Gain]:
    """For each trait and each third of the questions."""
    other = _compared(result, others)
    if len(result.values) != len(questions):
        raise InputError(f"{result.path} has {len(result.values)} values, but there are {len(questions)} questions")
    ours, theirs = np.array(result.values), np.array(other.values)
    for name, trait in traits().items():
        values = np.array([trait(question) for question in questions])
        for part in thirds(values):
            found = compare(ours[part], theirs[part])
            yield Gain(
                result.row, other.row, result.corpus, name, float(values[part].min()), float(values[part].max()),
                len(part), found.difference, found.interval, found.p_randomisation,
            )  # fmt: skip


def _compared(result: Result, others: Sequence[Result]) -> Result:
    wanted = replace(result, row=result.against).path
    found = next((other for other in others if other.path == wanted and other.split == result.split), None)
    if found is None or not len(found.values) == len(result.values) > 0:
        raise InputError(f"{result.path} has no recorded values of each question beside those of {result.against!r}")
    return found


def thirds(values: Floats) -> list[NDArray[np.intp]]:
    """Places of the lowest, the middle and the highest; equal values stay together, so that a part may be empty."""
    edges = np.quantile(values, np.arange(1, PARTS) / PARTS)
    which = np.searchsorted(edges, values, side="left")
    return [part for one in range(PARTS) if len(part := np.flatnonzero(which == one))]


def traits() -> Mapping[str, Trait]:
    noise = NoisyWords()
    return {"words of the question": _asked, "words of a candidate": _answered, "share of noisy words": noise}


def _asked(question: Question) -> float:
    return len(question.text.split())


def _answered(question: Question) -> float:
    return float(np.mean([len(candidate.text.split()) for candidate in question.candidates]))


class NoisyWords:
    """The share of them in the question and its candidates."""

    def __init__(self) -> None:
        self.tokenizer = PairTokenizer.load(SHIPPED / "default" / TOKENIZER, 0)

    def __call__(self, question: Question) -> float:
        texts = (question.text, *(candidate.text for candidate in question.candidates))
        words = [word for text in texts for word in text.split() if word.isalpha()]
        return float(np.mean([len(found) > 1 for found in self.tokenizer(words)])) if words else 0.0
