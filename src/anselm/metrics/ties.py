"""The order of a scored list, and what happens to candidates with equal scores.

    pessimistic   lower grades first, so that a constant scorer gets the worst order there is (the default)
    source        the order in which the source gives them, as SemEval's scorer does: its sort is stable
    trec          as trec_eval: by candidate id, descending, byte by byte; scores are equal when they are as float32

Published numbers differ by their tie rule. A rule that depends on the order of the file rewards a scorer that says
nothing wherever good answers tend to come first; the pessimistic one never does.

Scores may be infinite (minus infinity is a candidate that some filter ruled out) but not NaN, which has no place in
an order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anselm.errors import InputError, UnknownNameError

Ties = Literal["pessimistic", "source", "trec"]
FloatArray = NDArray[np.float64]
Order = NDArray[np.intp]
ScoredList = tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, Sequence[str]]  # labels, scores, ids


def _pessimistic(scores: FloatArray, labels: FloatArray, ids: Sequence[str] | None) -> Order:
    return np.lexsort((labels, -scores))


def _source(scores: FloatArray, labels: FloatArray, ids: Sequence[str] | None) -> Order:
    return np.argsort(-scores, kind="stable")


def _trec(scores: FloatArray, labels: FloatArray, ids: Sequence[str] | None) -> Order:
    if ids is None or len(ids) != len(scores):
        raise InputError(
            f"ties='trec' orders by id and needs one per score; {len(scores)} scores, {len(ids or ())} ids"
        )
    # Code points order strings as their UTF-8 bytes do, so Python's order is strcmp's.
    by_id = np.array(sorted(range(len(ids)), key=lambda index: ids[index], reverse=True), dtype=np.intp)
    with np.errstate(over="ignore"):  # beyond float32 is infinity there too
        single = scores.astype(np.float32)
    return by_id[np.argsort(-single[by_id], kind="stable")]


POLICIES: dict[str, Callable[[FloatArray, FloatArray, Sequence[str] | None], Order]] = {
    "pessimistic": _pessimistic,
    "source": _source,
    "trec": _trec,
}


def rank(scores: ArrayLike, labels: ArrayLike, ids: Sequence[str] | None = None, ties: Ties = "pessimistic") -> Order:
    """The indices of the candidates, best first. Where the tie rule leaves two equal, the input order decides."""
    if ties not in POLICIES:
        raise UnknownNameError("tie rule", ties, POLICIES)
    values, grades = _numbers("score", scores), _numbers("label", labels)
    if len(values) != len(grades):
        raise InputError(f"a list needs one score per label; {len(values)} scores, {len(grades)} labels")
    return POLICIES[ties](values, grades, ids)


def rank_lists(lists: Iterable[ScoredList], ties: Ties = "pessimistic") -> Iterator[tuple[FloatArray, FloatArray]]:
    """The labels and the scores of each list, best first; an error says which list, counting from 0."""
    for number, scored in enumerate(lists):
        labels, scores = scored[0], scored[1]
        try:
            order = rank(scores, labels, scored[2] if len(scored) == 3 else None, ties)
        except UnknownNameError:
            raise
        except InputError as error:
            raise InputError(f"list {number}: {error}") from None
        yield np.asarray(labels, dtype=np.float64)[order], np.asarray(scores, dtype=np.float64)[order]


def _numbers(what: str, values: ArrayLike) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"the {what}s of one list have one dimension, not {array.ndim}")
    if (bad := np.flatnonzero(np.isnan(array))).size:
        raise InputError(f"{what} {bad[0]} of {array.size} is NaN")
    return array
