"""Answer triggering (Yang, Yih and Meek, 2015): answer a question only where its list holds an answer.

A system answers a question when the best score of its list reaches the threshold, and answers with that candidate.
Over all questions, with and without an answer in their lists:

    precision = right / answered        answered: questions whose best score is at least the threshold
    recall    = right / answerable      answerable: questions with at least one relevant candidate
    F1        = 2 right / (answered + answerable)

right: answered questions whose best candidate is relevant. Where a relevant and an irrelevant candidate share the best
score, the irrelevant one is taken.

A threshold on probabilities is applied to the probability that the best score stands for: `confidence` turns one into
the other. The candidate is still chosen by its score, as a ranker does, also where probabilities are all the same.

The threshold is chosen on dev. The WikiQA paper's own numbers use 0.11, the best of the two-decimal thresholds there;
`best_threshold` tries every threshold that makes a difference and finds a slightly better one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anselm.errors import InputError
from anselm.evaluation.ties import FloatArray, ScoredList, rank_lists

Confidence = Callable[[FloatArray], FloatArray]


def _itself(scores: FloatArray) -> FloatArray:
    return scores


@dataclass(frozen=True)
class Triggering:
    """Question-level results at one threshold."""

    threshold: float
    questions: int
    answerable: int
    answered: int
    right: int

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
class _Tops:
    """What triggering needs to know of each question."""

    score: FloatArray  # of the best candidate, or its probability; NaN, which reaches no threshold, where there is none
    right: NDArray[np.bool_]  # the best candidate is relevant
    answerable: NDArray[np.bool_]

    def at(self, threshold: float) -> Triggering:
        answered = self.score >= threshold
        return Triggering(
            threshold=float(threshold),
            questions=len(self.score),
            answerable=int(self.answerable.sum()),
            answered=int(answered.sum()),
            right=int((answered & self.right).sum()),
        )


def triggering(lists: Iterable[ScoredList], threshold: float, confidence: Confidence = _itself) -> Triggering:
    """Answer triggering at a threshold; a list is (labels, scores[, ids])."""
    return _tops(lists, confidence).at(threshold)


def best_threshold(lists: Iterable[ScoredList], confidence: Confidence = _itself) -> Triggering:
    """The threshold with the highest F1, among the lists' best scores; of equals the highest, as it answers least.

    For dev only: on test it would be chosen with the answers at hand.
    """
    tops = _tops(lists, confidence)
    order = np.argsort(-tops.score, kind="stable")[: np.sum(~np.isnan(tops.score))]  # NaN sorts last
    if not order.size:
        raise InputError("a threshold needs at least one question with candidates")
    score = tops.score[order]
    answered = np.arange(1, score.size + 1)
    f1 = 2 * np.cumsum(tops.right[order]) / (answered + tops.answerable.sum())
    whole = np.append(score[1:] != score[:-1], True)  # a threshold takes all the questions with that score, or none
    return tops.at(score[np.argmax(np.where(whole, f1, -1.0))])


def _tops(lists: Iterable[ScoredList], confidence: Confidence) -> _Tops:
    rows = [
        (scores[0], labels[0] > 0, bool(np.any(labels > 0))) if labels.size else (np.nan, False, False)
        for labels, scores in rank_lists(lists)
    ]
    score, right, answerable = zip(*rows, strict=True) if rows else ((), (), ())
    return _Tops(
        confidence(np.array(score, dtype=np.float64)), np.array(right, dtype=bool), np.array(answerable, dtype=bool)
    )
