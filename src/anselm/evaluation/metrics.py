"""Ranking metrics: each a pure function of the labels of one list, best first.

A label above 0 is relevant; labels may be grades, which only nDCG tells apart. The list is the whole candidate list,
so R, the number of relevant candidates, is counted in it. With rel(i) = 1 where the candidate at rank i is relevant:

    hits(k) = rel(1) + ... + rel(k)

A question without a relevant candidate gets 0 from every metric, as in trec_eval. The mean over questions therefore
depends on whether such questions were kept: a reported number must name its protocol.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anselm.errors import InputError, UnknownNameError
from anselm.evaluation import DEFAULT_METRICS
from anselm.evaluation.ties import FloatArray, ScoredList, Ties, rank_lists

Metric = Callable[[ArrayLike], float]


def average_precision(labels: ArrayLike) -> float:
    """AP = 1/R * sum over relevant ranks i of hits(i) / i."""
    ranks = _relevant_ranks(labels)
    return float(np.mean(np.arange(1, ranks.size + 1) / ranks)) if ranks.size else 0.0


def reciprocal_rank(labels: ArrayLike) -> float:
    """RR = 1 / rank of the first relevant candidate."""
    ranks = _relevant_ranks(labels)
    return float(1 / ranks[0]) if ranks.size else 0.0


def precision_at(labels: ArrayLike, k: int) -> float:
    """P@k = hits(k) / k, also where the list is shorter than k."""
    return float(np.sum(_relevant_ranks(labels) <= k) / k)


def recall_at(labels: ArrayLike, k: int) -> float:
    """R@k = hits(k) / R."""
    ranks = _relevant_ranks(labels)
    return float(np.mean(ranks <= k)) if ranks.size else 0.0


def success_at(labels: ArrayLike, k: int) -> float:
    """1 where hits(k) > 0, else 0. Success@1 = P@1 = top-1 accuracy."""
    return float(np.any(_relevant_ranks(labels) <= k))


def ndcg_at(labels: ArrayLike, k: int) -> float:
    """nDCG@k = DCG(k) / DCG(k) of the best order, with DCG(k) = sum for i <= k of grade(i) / log2(i + 1).

    The gain is the grade itself, as in trec_eval's ndcg_cut, not 2^grade - 1; negative grades gain nothing.
    """
    gains = np.maximum(np.asarray(labels, dtype=np.float64), 0.0)
    discounts = 1 / np.log2(np.arange(2, min(k, gains.size) + 2))
    ideal = np.sort(gains)[::-1][:k] @ discounts
    return float(gains[:k] @ discounts / ideal) if ideal > 0 else 0.0


METRICS: dict[str, Metric] = {"map": average_precision, "mrr": reciprocal_rank}
METRICS_AT_K: dict[str, Callable[[ArrayLike, int], float]] = {
    "p": precision_at,
    "ndcg": ndcg_at,
    "recall": recall_at,
    "success": success_at,
}


def parse_metric(name: str) -> Metric:
    """The function behind a name that users type: `map`, `mrr`, `p@1`, `ndcg@10`, any `@k`."""
    if name in METRICS:
        return METRICS[name]
    parts = re.fullmatch(r"(\w+)@([1-9][0-9]*)", name)
    if not parts or parts[1] not in METRICS_AT_K:
        raise UnknownNameError("metric", name, [*METRICS, *(f"{prefix}@k" for prefix in METRICS_AT_K)])
    function, k = METRICS_AT_K[parts[1]], int(parts[2])
    return lambda labels: function(labels, k)


def evaluate_lists(
    lists: Iterable[ScoredList], metrics: Sequence[str] = DEFAULT_METRICS, ties: Ties = "pessimistic"
) -> dict[str, FloatArray]:
    """Every metric of every list, one value per question in the order given; a list is (labels, scores[, ids])."""
    functions = [parse_metric(name) for name in metrics]
    rows = [[function(labels) for function in functions] for labels, _ in rank_lists(lists, ties)]
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


def _relevant_ranks(labels: ArrayLike) -> NDArray[np.intp]:
    return np.flatnonzero(np.asarray(labels, dtype=np.float64) > 0) + 1
