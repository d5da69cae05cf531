"""What a list's scores say about it, as a few numbers with names: for a candidate, and for the list as a whole.

    of a candidate      score            its score
                        below_best       how far it lies below the best of its list, as a number from 0 down
                        lift             how far it lies above the rest of the list
                        candidates       ln(number of candidates): of many, one is near by chance
                        question_words   ln(1 + words of the question): long questions have more than one good answer
    of a list           best             its best score
                        lift             how far the best lies above the rest of the list
                        margin           how far the best lies above the next
                        topic            how far the rest lies above what an arbitrary text scores: on the topic or not
                        candidates, question_words   as above
    of two kinds        higher, lower    what is believed of either, as a logit, the more certain first
    of a candidate      candidate        what is believed of it among its kind, as a logit
    beside another kind kind             what is believed of its kind, as a logit

The rest is the mean of the other scores and of one more at `background`, which is what an arbitrary text scores: of a
short list little is known, and of a single candidate nothing but that.

A score of minus infinity, of an empty candidate, is no evidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from anselm.metrics.logistic import Evidence, FloatArray

OF_CANDIDATE = ("score", "below_best", "lift", "candidates", "question_words")
OF_LIST = ("best", "lift", "margin", "topic", "candidates", "question_words")
OF_KINDS = ("higher", "lower")
OF_BESIDE = ("candidate", "kind")
SUREST = 0.999  # of what is believed of one kind
LEAST = 1e-6  # that is believed of a candidate


def candidate_evidence(scores: ArrayLike, question: str, background: float = 0.0) -> Evidence:
    """Of each candidate of one list, all of which have finite scores."""
    values = np.asarray(scores, dtype=np.float64)
    size = len(values)
    rest = (values.sum() - values + background) / max(1, size)  # the mean of size - 1 others and the background
    shared = {"candidates": math.log(max(1, size)), "question_words": words(question)}
    return {
        "score": values,
        "below_best": values - np.max(values, initial=-np.inf),
        "lift": values - rest,
        **{name: np.full(size, value) for name, value in shared.items()},
    }


def list_evidence(scores: ArrayLike, question: str, background: float) -> Evidence:
    """Of one list, which has at least one finite score."""
    values = np.asarray(scores, dtype=np.float64)
    values = np.sort(values[np.isfinite(values)])[::-1]
    best, rest = values[0], values[1:]
    usual = (rest.sum() + background) / (len(rest) + 1)
    found = {
        "best": best,
        "lift": best - usual,
        "margin": best - (rest[0] if len(rest) else background),
        "topic": max(0.0, usual - background),
        "candidates": math.log(len(values)),
        "question_words": words(question),
    }
    return {name: np.array([value]) for name, value in found.items()}


def kinds_evidence(sure: Sequence[float]) -> Evidence:
    """Of one list with two kinds of candidates: how probable an answer is among either."""
    low, high = logits(np.sort(sure), 1 - SUREST)
    return {"higher": np.array([high]), "lower": np.array([low])}


def beside_evidence(probabilities: ArrayLike, sure: float) -> Evidence:
    """Of the candidates of one kind beside those of another: how probable each is, and an answer among them."""
    found = logits(probabilities, LEAST)
    return {"candidate": found, "kind": np.full(len(found), logits(sure, 1 - SUREST))}


def logits(probabilities: ArrayLike, least: float) -> FloatArray:
    """No nearer to 0 and to 1 than the least."""
    within = np.clip(np.asarray(probabilities, dtype=np.float64), least, 1 - least)
    return np.asarray(np.log(within / (1 - within)))


def words(question: str) -> float:
    return math.log1p(len(question.split()))


def stack(rows: list[Evidence]) -> dict[str, FloatArray]:
    """The evidence of several things as one."""
    return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
