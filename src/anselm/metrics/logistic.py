"""A probability read off a few named numbers: P = 1 / (1 + exp(-(intercept + sum of weight * number))).

The fit is by maximum likelihood, by Newton's method with step halving. It may be pulled towards weights that were
reasonable before, by `pull` times the squared distance on standardised numbers: a few lists then change them a little,
and many lists as much as they like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Evidence = Mapping[str, FloatArray]  # numbers by name, one for each thing that is judged

STEPS = 100


@dataclass(frozen=True)
class Logistic:
    """Weights by the names of the numbers that they multiply."""

    intercept: float
    weights: Mapping[str, float] = field(default_factory=dict)

    def logit(self, evidence: Evidence) -> FloatArray:
        size = len(next(iter(evidence.values())))
        return sum((weight * evidence[name] for name, weight in self.weights.items()), np.full(size, self.intercept))

    def probability(self, evidence: Evidence) -> FloatArray:
        return sigmoid(self.logit(evidence))

    def to_dict(self) -> dict[str, float]:
        return {"intercept": self.intercept, **self.weights}

    @classmethod
    def from_dict(cls, record: Any, known: Sequence[str]) -> Logistic:
        """Raises ValueError, KeyError or TypeError where it is none."""
        values = {str(name): float(value) for name, value in record.items()}
        if unknown := values.keys() - {"intercept", *known}:
            raise ValueError(f"{sorted(unknown)[0]!r} is none of {', '.join(known)}")
        if not np.isfinite(list(values.values())).all():
            raise ValueError("a number in it is not finite")
        return cls(values.pop("intercept"), values)


def fit_logistic(
    evidence: Evidence,
    targets: FloatArray,
    shares: FloatArray | None = None,
    prior: Logistic | None = None,
    pull: float = 0.0,
) -> Logistic:
    """`targets` are from 0 to 1; `shares` say how much each row counts; `prior` is all zeros unless it is given."""
    names = list(evidence)
    columns = np.column_stack([evidence[name] for name in names]) if names else np.empty((len(targets), 0))
    centre, spread = columns.mean(axis=0), columns.std(axis=0)
    # Numbers that agree to nine digits are one: a weight could not tell them apart without losing its own digits.
    flat = spread <= np.maximum(1e-9 * np.abs(columns).max(axis=0, initial=0), 1e-300)
    spread = np.where(flat, 1.0, spread)
    design = np.column_stack([np.ones(len(targets)), np.where(flat, 0.0, (columns - centre) / spread)])
    origin = _standardised(prior or Logistic(0.0), names, centre, spread)
    ridge = np.append(0.0 if prior is None else pull, np.where(flat, 1.0, pull))  # a flat one stays where it was
    found = _newton(design, targets, np.ones(len(targets)) if shares is None else shares, origin, ridge)
    weights = found[1:] / spread
    return Logistic(float(found[0] - weights @ centre), dict(zip(names, map(float, weights), strict=True)))


def sigmoid(z: FloatArray) -> FloatArray:
    return np.exp(-np.logaddexp(0.0, -z))  # never overflows, and keeps the digits of small probabilities


def _standardised(model: Logistic, names: Sequence[str], centre: FloatArray, spread: FloatArray) -> FloatArray:
    weights = np.array([model.weights.get(name, 0.0) for name in names])
    return np.append(model.intercept + weights @ centre, weights * spread)


def _newton(
    design: FloatArray, targets: FloatArray, shares: FloatArray, origin: FloatArray, ridge: FloatArray
) -> FloatArray:
    weights = np.zeros_like(origin)  # where the loss bends most; far out it is so flat that a step leads anywhere
    for _ in range(STEPS):
        p = sigmoid(design @ weights)
        gradient = design.T @ (shares * (p - targets)) + ridge * (weights - origin)
        if np.max(np.abs(gradient)) < 1e-10 * shares.sum():
            break
        hessian = (design.T * (shares * p * (1 - p))) @ design + np.diag(ridge)
        step = np.asarray(np.linalg.lstsq(hessian, gradient, rcond=None)[0], dtype=np.float64)
        weights = _descend(design, targets, shares, origin, ridge, weights, step)
    return weights


def _descend(
    design: FloatArray, targets: FloatArray, shares: FloatArray, origin: FloatArray, ridge: FloatArray,
    weights: FloatArray, step: FloatArray,
) -> FloatArray:  # fmt: skip
    """Halve the Newton step until the loss does not grow: far from the optimum a whole step may overshoot."""

    def loss(at: FloatArray) -> float:
        z = design @ at
        return float(shares @ (np.logaddexp(0.0, z) - targets * z) + ridge @ (at - origin) ** 2 / 2)

    before, size = loss(weights), 1.0
    while size > 1e-10 and loss(weights - size * step) > before:
        size /= 2
    return weights - size * step
