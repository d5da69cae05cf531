"""Rows of a table beside the rows that they are compared with: how much better, and how likely by chance.

Two p: over the questions, with the models as they are, and over the seeds, were they trained again. A difference is
called one only where both are small, so the larger of them is its p, and that is corrected by Holm's method for all the
comparisons of its table, on all corpora.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anselm.experiments.agreement import NEWER
from anselm.experiments.results import Result
from anselm.metrics.significance import holm, randomisation_test, welch_test

LEVEL = 0.05


@dataclass(frozen=True)
class RowComparison:
    other: Result
    difference: float  # of means over questions and seeds
    p_questions: float
    p_seeds: float | None  # None where one of them has a single seed
    p_holm: float

    @property
    def significant(self) -> bool:
        return self.p_seeds is not None and self.p_holm < LEVEL


def compare_rows(table: Sequence[Result]) -> dict[Path, RowComparison]:
    """By the path of the row. Rows whose partner is missing, or was trained otherwise, are not there."""
    pairs = [(one, other) for one in table if (other := partner(one, table)) and trained_alike(one, other)]
    chances = [_chances(one, other) for one, other in pairs]
    corrected = holm([max(p for p in both if p is not None) for both in chances])
    return {
        one.path: RowComparison(other, _mean(one.values) - _mean(other.values), *both, p_holm)
        for (one, other), both, p_holm in zip(pairs, chances, corrected, strict=True)
    }


def partner(result: Result, table: Sequence[Result]) -> Result | None:
    """The row that it is compared with: on the same questions, by the same metric."""
    same = (row for row in table if place(row) == place(result))
    other = next((row for row in same if row.row == result.against and row.metric == result.metric), None)
    return other if other and result.values and len(other.values) == len(result.values) else None


def trained_alike(result: Result, other: Result) -> bool:
    """What has to be the same for a difference to be one of the models: where RMSProp begins, and the lists that chose
    the weights. Other optimizers differ where a paper's own rows do, and earlier records do not name them.
    """
    return _training(result) == _training(other)


def place(result: Result) -> tuple[str, str, str]:
    return result.corpus, result.split, result.protocol


def _training(result: Result) -> tuple[str, str]:
    return result.optimizer if result.optimizer in NEWER else "", result.dev.get("data", "")


def _chances(result: Result, other: Result) -> tuple[float, float | None]:
    seeds: list[Sequence[float]] = [_seed_values(row.metrics, result.metric) for row in (result, other)]
    over_seeds = welch_test(*seeds) if min(map(len, seeds)) > 1 else None
    return randomisation_test(result.values, other.values), over_seeds


def _seed_values(metrics: Mapping[str, Mapping[str, Sequence[float]]], name: str) -> Sequence[float]:
    return metrics.get(name, {}).get("values", ())


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
