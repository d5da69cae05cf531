"""Ranking metrics: each a pure function of the labels of one ranked list, best first, and of the question's judgements.

A label above 0 is relevant; labels may be grades, which only nDCG tells apart. `judged` holds the labels of all that
was judged, in any order, where the list may lack some of it, as a run that was cut: R, the number of relevant
candidates, and nDCG's best order are counted there. Without it the list is the whole candidate list, and they are
counted in the list. A candidate that nobody judged has the label 0. With rel(i) = 1 where rank i holds a relevant one:

    hits(k) = rel(1) + ... + rel(k)

A question without a relevant candidate gets 0 from every metric, as in trec_eval. The mean over questions therefore
depends on whether such questions were kept: a reported number must name its protocol.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anselm.errors import InputError, UnknownNameError
from anselm.metrics import DEFAULT_METRICS
from anselm.metrics.ties import FloatArray, ScoredList, Ties, rank_lists


class Metric(Protocol):
    def __call__(self, labels: ArrayLike, *, judged: ArrayLike | None = None) -> float: ...


def average_precision(labels: ArrayLike, k: int | None = None, judged: ArrayLike | None = None) -> float:
    """AP = 1/R * sum over relevant ranks i of hits(i) / i. AP@k sums over i <= k only, and R stays: map_cut_k."""
    ranks, total = _relevant_ranks(labels, k), _count_relevant(labels, judged)
    return float(np.sum(np.arange(1, ranks.size + 1) / ranks) / total) if ranks.size else 0.0


def reciprocal_rank(labels: ArrayLike, k: int | None = None, judged: ArrayLike | None = None) -> float:
    """RR = 1 / rank of the first relevant candidate. RR@k is 0 where that is beyond k: recip_rank of a run cut at k."""
    ranks = _relevant_ranks(labels, k)
    return float(1 / ranks[0]) if ranks.size else 0.0


def precision_at(labels: ArrayLike, k: int, judged: ArrayLike | None = None) -> float:
    """P@k = hits(k) / k, also where the list is shorter than k."""
    return _relevant_ranks(labels, k).size / k


def recall_at(labels: ArrayLike, k: int, judged: ArrayLike | None = None) -> float:
    """R@k = hits(k) / R."""
    hits = _relevant_ranks(labels, k).size
    return hits / _count_relevant(labels, judged) if hits else 0.0


def success_at(labels: ArrayLike, k: int, judged: ArrayLike | None = None) -> float:
    """1 where hits(k) > 0, else 0. Success@1 = P@1 = top-1 accuracy."""
    return float(_relevant_ranks(labels, k).size > 0)


def ndcg_at(labels: ArrayLike, k: int, judged: ArrayLike | None = None) -> float:
    """nDCG@k = DCG(k) / DCG(k) of the best order, with DCG(k) = sum for i <= k of grade(i) / log2(i + 1).

    The gain is the grade itself, as in trec_eval's ndcg_cut, not 2^grade - 1; negative grades gain nothing.
    """
    best = np.sort(np.asarray(labels if judged is None else judged, dtype=np.float64))[::-1]
    ideal = _discounted_gain(best, k)
    return _discounted_gain(labels, k) / ideal if ideal > 0 else 0.0


METRICS: dict[str, Callable[..., float]] = {
    "map": average_precision,
    "mrr": reciprocal_rank,
    "p": precision_at,
    "ndcg": ndcg_at,
    "recall": recall_at,
    "success": success_at,
}
WHOLE = ("map", "mrr")  # these may also be asked for without a k


def parse_metric(name: str) -> Metric:
    """The function behind a name that users type: `map`, `mrr`, and any of METRICS with a k, such as `ndcg@10`."""
    prefix, at, k = name.partition("@")
    if not (name in WHOLE or (prefix in METRICS and re.fullmatch("[1-9][0-9]{0,8}", k))):
        raise UnknownNameError("metric", name, [*WHOLE, *(f"{known}@k" for known in METRICS)])
    return partial(METRICS[prefix], k=int(k) if at else None)


def evaluate_lists(
    lists: Iterable[ScoredList],
    metrics: Sequence[str] = DEFAULT_METRICS,
    ties: Ties = "pessimistic",
    judged: Sequence[ArrayLike] | None = None,
) -> dict[str, FloatArray]:
    """Every metric of every list, one value per question in the order given; a list is (labels, scores[, ids]).

    `judged` holds the labels of all that was judged, question by question, where lists may lack some of it.
    """
    functions = [parse_metric(name) for name in metrics]
    pools: Iterable[ArrayLike | None] = repeat(None) if judged is None else judged
    ranked = zip(rank_lists(lists, ties), pools, strict=judged is not None)
    rows = [[function(labels, judged=pool) for function in functions] for (labels, _), pool in ranked]
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(functions))  # (questions, metrics)
    return {name: table[:, column] for column, name in enumerate(metrics)}


def summarise(values: Mapping[str, FloatArray]) -> dict[str, float]:
    """The mean of each metric over its questions."""
    if empty := [name for name, per_question in values.items() if not len(per_question)]:
        raise InputError(f"there is no question to average {empty[0]} over")
    return {name: float(np.mean(per_question)) for name, per_question in values.items()}


def worst_per_group(values: ArrayLike, groups: Sequence[Hashable]) -> FloatArray:
    """The lowest value of each group, in the order in which the groups first appear (AddSent's worst copy)."""
    array = np.asarray(values, dtype=np.float64)
    if len(array) != len(groups):
        raise InputError(f"each value needs a group; {len(array)} values, {len(groups)} groups")
    place = {group: index for index, group in enumerate(dict.fromkeys(groups))}
    worst = np.full(len(place), np.inf)
    np.minimum.at(worst, [place[group] for group in groups], array)
    return worst


def _relevant_ranks(labels: ArrayLike, k: int | None) -> NDArray[np.intp]:
    return np.flatnonzero(np.asarray(labels, dtype=np.float64)[:k] > 0) + 1


def _count_relevant(labels: ArrayLike, judged: ArrayLike | None) -> int:
    return int(np.sum(np.asarray(labels if judged is None else judged, dtype=np.float64) > 0))


def _discounted_gain(labels: ArrayLike, k: int) -> float:
    gains = np.maximum(np.asarray(labels, dtype=np.float64)[:k], 0.0)
    return float(gains @ (1 / np.log2(np.arange(2, gains.size + 2))))
