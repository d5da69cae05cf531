"""From a score to a probability (Platt, 1999), and how far the probability can be trusted (Guo et al., 2017).

    P(relevant | score) = 1 / (1 + exp(-(slope * score + intercept)))

Two numbers, fitted on dev by maximum likelihood. Platt's targets stand in for 0 and 1: with N+ relevant and N-
irrelevant candidates they are 1 / (N- + 2) and (N+ + 1) / (N+ + 2), so that the fit stays finite also where a score
separates the two completely.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anselm.errors import FormatError, InputError
from anselm.evaluation.ties import FloatArray
from anselm.files import write_atomically
from anselm.models.registry import find_checkpoint

BINS = 15  # as in Guo et al.
LEAST = 1e-15  # a probability that rounding made 0 costs 35 nats, not infinitely many


@dataclass(frozen=True)
class Platt:
    """The fitted sigmoid."""

    slope: float
    intercept: float

    def probability(self, scores: ArrayLike) -> FloatArray:
        return _sigmoid(self.slope * np.asarray(scores, dtype=np.float64) + self.intercept)


@dataclass(frozen=True)
class Calibration:
    """From scores to probabilities, and the probability from which on a question counts as answered."""

    platt: Platt
    threshold: float
    fitted_on: str = ""

    def save(self, path: Path) -> None:
        record = {**asdict(self.platt), "threshold": self.threshold, "fitted_on": self.fitted_on}
        with write_atomically(path) as file:
            file.write(json.dumps(record, indent=2) + "\n")

    @classmethod
    def load(cls, path: Path) -> Calibration:
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            slope, intercept, threshold = (float(record[key]) for key in ("slope", "intercept", "threshold"))
            if not np.isfinite([slope, intercept, threshold]).all():
                raise ValueError("a number in it is not finite")
            if slope < 0:
                raise ValueError("with a negative slope a better score would be less probable")
            return cls(Platt(slope, intercept), threshold, str(record.get("fitted_on", "")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FormatError(path, f"not a calibration as Anselm writes it ({error})") from None


# A model whose checkpoint holds no calibration: a plain logistic function, and no claim about answerability.
UNCALIBRATED = Calibration(Platt(1.0, 0.0), 0.0)


def load_calibration(name_or_path: str | Path) -> Calibration | None:
    """What the checkpoint of a model holds, shipped or the user's own; None where it holds none."""
    folder = find_checkpoint(name_or_path)
    path = folder / "calibration.json" if folder else None
    return Calibration.load(path) if path and path.exists() else None


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


def fit_platt(scores: ArrayLike, labels: ArrayLike) -> Platt:
    """Fit the sigmoid by Newton's method with step halving (Lin, Lin and Weng, 2007)."""
    values, relevant = _matched("score", scores, labels)
    positives = int(relevant.sum())
    targets = np.where(relevant, (positives + 1) / (positives + 2), 1 / (relevant.size - positives + 2))
    centre, spread = float(values.mean()), float(values.std())
    # Scores that agree to nine digits are one score: a line could not tell them apart without losing its own digits.
    if spread <= max(1e-9 * np.abs(values).max(), 1e-300):
        return Platt(slope=0.0, intercept=float(np.log(targets.mean() / (1 - targets.mean()))))
    # Standardised scores make the Hessian well-conditioned whatever the scale of the model's scores.
    design = np.column_stack([(values - centre) / spread, np.ones(values.size)])  # (candidates, 2)
    slope, intercept = _newton(design, targets)
    return Platt(slope=float(slope / spread), intercept=float(intercept - slope * centre / spread))


def log_loss(probabilities: ArrayLike, labels: ArrayLike) -> float:
    """Minus the mean log probability of what the labels say; unlike ECE it also rewards telling candidates apart."""
    values, relevant = _matched("probability", probabilities, labels)
    said = np.where(relevant, values, 1 - values)
    return float(-np.mean(np.log(np.maximum(said, LEAST))))


def reliability(probabilities: ArrayLike, labels: ArrayLike, bins: int = BINS) -> Reliability:
    """How often the candidates of each bin of probability are relevant."""
    if bins < 1:
        raise InputError(f"there must be at least 1 bin, not {bins}")
    values, relevant = _matched("probability", probabilities, labels)
    if (bad := np.flatnonzero((values < 0) | (values > 1))).size:
        raise InputError(f"probability {bad[0]} of {values.size} is {values[bad[0]]}, outside of 0 to 1")
    place = np.minimum((values * bins).astype(np.int64), bins - 1)  # 1 itself goes into the last bin
    counts = np.bincount(place, minlength=bins)
    divisor = np.where(counts > 0, counts, np.nan)
    confidence = np.bincount(place, weights=values, minlength=bins) / divisor
    accuracy = np.bincount(place, weights=relevant, minlength=bins) / divisor
    return Reliability(counts, confidence, accuracy)


def _newton(design: FloatArray, targets: FloatArray) -> FloatArray:
    weights = np.zeros(2)
    for _ in range(100):
        p = _sigmoid(design @ weights)
        gradient = design.T @ (p - targets)
        if np.max(np.abs(gradient)) < 1e-10 * targets.size:
            break
        hessian = (design.T * (p * (1 - p))) @ design
        step = np.asarray(np.linalg.solve(hessian, gradient), dtype=np.float64)
        weights = _descend(design, targets, weights, step)
    return weights


def _descend(design: FloatArray, targets: FloatArray, weights: FloatArray, step: FloatArray) -> FloatArray:
    """Halve the Newton step until the loss does not grow: far from the optimum a whole step may overshoot."""
    loss, size = _loss(design, targets, weights), 1.0
    while size > 1e-10 and _loss(design, targets, weights - size * step) > loss:
        size /= 2
    return weights - size * step


def _loss(design: FloatArray, targets: FloatArray, weights: FloatArray) -> float:
    z = design @ weights
    return float(np.sum(np.logaddexp(0.0, z) - targets * z))


def _sigmoid(z: FloatArray) -> FloatArray:
    return np.exp(-np.logaddexp(0.0, -z))  # never overflows, and keeps the digits of small probabilities


def _matched(what: str, values: ArrayLike, labels: ArrayLike) -> tuple[FloatArray, NDArray[np.bool_]]:
    array, grades = np.asarray(values, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if array.shape != grades.shape or array.ndim != 1 or not array.size:
        raise InputError(f"one {what} per label and at least one; {array.size} and {grades.size} were given")
    if (bad := np.flatnonzero(~np.isfinite(array))).size:
        raise InputError(f"{what} {bad[0]} of {array.size} is {array[bad[0]]}")
    return array, grades > 0
