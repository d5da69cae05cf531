"""How far probabilities can be trusted: per bin, as one error (Guo et al., 2017), and as a log loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anselm.errors import InputError
from anselm.metrics.ties import FloatArray

BINS = 15  # as in Guo et al.
LEAST = 1e-15  # a probability that rounding made 0 costs 35 nats, not infinitely many


@dataclass(frozen=True)
class Reliability:
    """Per equal-width bin of [0, 1]; the upper edge belongs to the next bin. NaN where a bin is empty."""

    counts: NDArray[np.int64]
    confidence: FloatArray  # mean probability
    accuracy: FloatArray  # part that is relevant

    @property
    def error(self) -> float:
        """ECE = sum over bins of count / n * |accuracy - confidence|: how far the stated probability is from the share
        that is relevant, on the average over candidates.
        """
        full = self.counts > 0
        gaps = np.abs(self.accuracy[full] - self.confidence[full])
        return float(gaps @ self.counts[full] / self.counts.sum())


def log_loss(probabilities: ArrayLike, labels: ArrayLike) -> float:
    """Minus the mean log probability of what the labels say; unlike ECE it also rewards telling candidates apart."""
    values, relevant = matched("probability", probabilities, labels)
    said = np.where(relevant, values, 1 - values)
    return float(-np.mean(np.log(np.maximum(said, LEAST))))


def reliability(probabilities: ArrayLike, labels: ArrayLike, bins: int = BINS) -> Reliability:
    """How often the candidates of each bin of probability are relevant."""
    if bins < 1:
        raise InputError(f"there must be at least 1 bin, not {bins}")
    values, relevant = matched("probability", probabilities, labels)
    if (bad := np.flatnonzero((values < 0) | (values > 1))).size:
        raise InputError(f"probability {bad[0]} of {values.size} is {values[bad[0]]}, outside of 0 to 1")
    place = np.minimum((values * bins).astype(np.int64), bins - 1)  # 1 itself goes into the last bin
    counts = np.bincount(place, minlength=bins)
    divisor = np.where(counts > 0, counts, np.nan)
    confidence = np.bincount(place, weights=values, minlength=bins) / divisor
    accuracy = np.bincount(place, weights=relevant, minlength=bins) / divisor
    return Reliability(counts, confidence, accuracy)


def matched(what: str, values: ArrayLike, labels: ArrayLike) -> tuple[FloatArray, NDArray[np.bool_]]:
    array, grades = np.asarray(values, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if array.shape != grades.shape or array.ndim != 1 or not array.size:
        raise InputError(f"one {what} per label and at least one; {array.size} and {grades.size} were given")
    if (bad := np.flatnonzero(~np.isfinite(array))).size:
        raise InputError(f"{what} {bad[0]} of {array.size} is {array[bad[0]]}")
    return array, grades > 0
