"""Answer triggering (Yang, Yih and Meek, 2015): answer a question only where its list holds an answer.

A system answers a question when the best score of its list reaches the threshold, and answers with that candidate.
Over all questions, with and without an answer in their lists:

    precision = right / answered        answered: questions whose best score is at least the threshold
    recall    = right / answerable      answerable: questions with at least one relevant candidate
    F1        = 2 right / (answered + answerable)

right: answered questions whose best candidate is relevant. Where a relevant and an irrelevant candidate share the best
score, the irrelevant one is taken.

A model that says how sure it is that a list holds an answer is held to that: `confidence`, one number per list, takes
the place of the best score. The candidate is still chosen by its score.

The threshold is chosen on dev. The WikiQA paper's own numbers use 0.11, the best of the two-decimal thresholds there;
`tradeoff` tries every threshold that makes a difference, and the best of those is slightly better.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anselm.errors import InputError
from anselm.metrics.ties import FloatArray, ScoredList, rank_lists


@dataclass(frozen=True)
class Triggering:
    """Question-level results at one threshold."""

    threshold: float
    questions: int
    answerable: int
    answered: int
    right: int

    @property
    def share_answered(self) -> float:
        return self.answered / self.questions if self.questions else 0.0

    @property
    def precision(self) -> float:
        return self.right / self.answered if self.answered else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.answerable if self.answerable else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.answered + self.answerable) if self.answered + self.answerable else 0.0


@dataclass(frozen=True)
class Tradeoff:
    """The same for each threshold that makes a difference, highest first: further down more questions are answered."""

    questions: int
    answerable: int
    threshold: FloatArray
    answered: NDArray[np.intp]
    right: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.threshold)

    def __getitem__(self, place: int) -> Triggering:
        counts = (self.questions, self.answerable, int(self.answered[place]), int(self.right[place]))
        return Triggering(float(self.threshold[place]), *counts)

    @property
    def precision(self) -> FloatArray:
        return self.right / self.answered

    @property
    def recall(self) -> FloatArray:
        return self.right / max(self.answerable, 1)

    @property
    def f1(self) -> FloatArray:
        return 2 * self.right / (self.answered + self.answerable)

    def at(self, threshold: float) -> Triggering:
        """At any threshold: it answers what the lowest one of these that reaches it does."""
        place = int(np.sum(self.threshold >= threshold))
        if not place:
            return Triggering(threshold, self.questions, self.answerable, answered=0, right=0)
        return replace(self[place - 1], threshold=threshold)

    def best(self) -> Triggering:
        """With the highest F1; of equals the highest threshold, as it answers least.

        For dev only: on test it would be chosen with the answers at hand.
        """
        return self[int(np.argmax(self.f1))]


@dataclass(frozen=True)
class _Tops:
    """What triggering needs to know of each question."""

    score: FloatArray  # of the best candidate, or how sure a model is; NaN, which reaches no threshold, for none
    right: NDArray[np.bool_]  # the best candidate is relevant
    answerable: NDArray[np.bool_]


def tradeoff(lists: Iterable[ScoredList], confidence: Sequence[float] | None = None) -> Tradeoff:
    """What every threshold that makes a difference would give, in one sweep from the best score down."""
    tops = _tops(lists, confidence)
    order = np.argsort(-tops.score, kind="stable")[: np.sum(~np.isnan(tops.score))]  # NaN sorts last
    if not order.size:
        raise InputError("a threshold needs at least one question with candidates")
    score, right = tops.score[order], np.cumsum(tops.right[order], dtype=np.intp)
    whole = np.flatnonzero(np.append(score[1:] != score[:-1], True))  # all questions with one score, or none of them
    return Tradeoff(len(tops.score), int(tops.answerable.sum()), score[whole], whole + 1, right[whole])


def _tops(lists: Iterable[ScoredList], confidence: Sequence[float] | None) -> _Tops:
    rows = [
        (scores[0], labels[0] > 0, bool(np.any(labels > 0))) if labels.size else (np.nan, False, False)
        for labels, scores in rank_lists(lists)
    ]
    score, right, answerable = zip(*rows, strict=True) if rows else ((), (), ())
    best = np.array(score, dtype=np.float64)
    sure = best if confidence is None else np.where(np.isnan(best), np.nan, np.asarray(confidence, dtype=np.float64))
    return _Tops(sure, np.array(right, dtype=bool), np.array(answerable, dtype=bool))
