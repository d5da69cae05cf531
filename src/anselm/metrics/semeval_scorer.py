"""The numbers of the official scorer of SemEval 2016 and 2017 task 3 (Nakov et al., 2016), for comparison with it.

Where they differ from `measures.py`:

    cut      only the first 10 candidates of a list are looked at, everywhere
    MAP      AP is divided by the relevant candidates found in the first 10, not by all of the list (no difference in
             subtask A, whose lists have 10)
    AvgRec   the mean over k = 1..10 of AC1@k, whose numerator and denominator are sums over all questions: questions
             with many relevant candidates weigh more, and it has no value per question
    scale    MRR, REC-1 and ACC are percentages, the others fractions
    ties     source order, since the scorer sorts by score with a stable sort

Questions without a relevant candidate count, with 0: on the 2016 test set no ranking reaches a MAP above 0.963.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anselm.errors import InputError
from anselm.metrics.ties import FloatArray, rank_lists

BoolArray = NDArray[np.bool_]

DEPTH = 10


@dataclass(frozen=True)
class SemEvalScores:
    """One column of the scorer's output. Tuples hold the values at k = 1..10."""

    map: float
    average_recall: float
    mrr: float  # percent
    precision: float
    recall: float
    f1: float
    accuracy: float
    rec1: tuple[float, ...]  # percent of questions with a relevant candidate in the first k
    acc: tuple[float, ...]  # percent of the first k places that hold a relevant candidate
    ac1: tuple[float, ...]  # relevant candidates in the first k, as a fraction of what a perfect order has there
    ac2: tuple[int, ...]  # relevant candidates in the first k


def semeval_scores(questions: Iterable[tuple[ArrayLike, ArrayLike, ArrayLike]]) -> SemEvalScores:
    """Score a system; each question is (gold, scores, predicted), gold and predicted being true/false per candidate."""
    lists = [(np.asarray(gold, dtype=bool), scores, np.asarray(said, dtype=bool)) for gold, scores, said in questions]
    precision, recall, f1, accuracy = _classification([(gold, said) for gold, _, said in lists])
    hits = _hits([(gold, scores) for gold, scores, _ in lists])  # (questions, k)
    ranks = np.arange(1, DEPTH + 1)
    found = hits.cumsum(axis=1)  # (questions, k): relevant candidates in the first k
    possible = np.minimum(ranks, [[gold.sum()] for gold, _, _ in lists])  # the same in a perfect order
    ac1 = _ratio(found.sum(axis=0), possible.sum(axis=0))
    return SemEvalScores(
        map=float(_ratio((hits * found / ranks).sum(axis=1), found[:, -1]).mean()),
        average_recall=float(ac1.mean()),
        mrr=float(100 * (hits * (found == 1) / ranks).sum(axis=1).mean()),
        precision=precision,
        recall=recall,
        f1=f1,
        accuracy=accuracy,
        rec1=tuple((100 * (found > 0).mean(axis=0)).tolist()),
        acc=tuple((100 * found.mean(axis=0) / ranks).tolist()),
        ac1=tuple(ac1.tolist()),
        ac2=tuple(found.sum(axis=0).astype(int).tolist()),
    )


def _classification(pairs: list[tuple[BoolArray, BoolArray]]) -> tuple[float, float, float, float]:
    """P, R and F1 of the relevant class, and accuracy, over all candidates of all questions together."""
    for number, (truth, said) in enumerate(pairs):
        if truth.shape != said.shape:
            raise InputError(f"list {number}: {truth.size} gold labels, {said.size} predictions")
    if not sum(truth.size for truth, _ in pairs):
        raise InputError(f"there is no candidate to score in {len(pairs)} lists")
    gold, predicted = (np.concatenate(column) for column in zip(*pairs, strict=True))
    both = np.sum(gold & predicted)
    wholes = np.array([predicted.sum(), gold.sum(), predicted.sum() + gold.sum()])
    precision, recall, f1 = _ratio(np.array([both, both, 2 * both]), wholes).tolist()
    return precision, recall, f1, float(np.mean(gold == predicted))


def _hits(lists: list[tuple[BoolArray, ArrayLike]]) -> FloatArray:
    """1 where the candidate at that rank is relevant; lists shorter than 10 end in zeros."""
    hits = np.zeros((len(lists), DEPTH))
    for row, (labels, _) in zip(hits, rank_lists(lists, ties="source"), strict=True):
        row[: labels.size] = labels[:DEPTH]
    return hits


def _ratio(numerator: NDArray[np.number], denominator: NDArray[np.number]) -> FloatArray:
    """Element by element; 0 where there is nothing to divide by, and so nothing above it either."""
    return np.asarray(numerator / np.maximum(denominator, 1), dtype=np.float64)
