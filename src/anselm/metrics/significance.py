"""Is one system better than another? Paired tests and intervals over the questions that both answered.

They take one value per question and system (say, each question's AP), in the same order of questions.
The randomisation test (Fisher, 1935; Smucker, Allan and Carterette, 2007) assumes the least and is the one to quote;
the t-test is here because papers quote it.

Another question is whether a model would be better if both were trained again: `welch_test`, over a value per seed.
Of many comparisons some are small by chance: `holm` corrects for their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anselm.errors import InputError
from anselm.metrics.ties import FloatArray

RESAMPLES = 10_000
CONFIDENCE = 0.95
CHUNK = 2**20  # numbers drawn at a time: keeps memory near 20 MB whatever the number of questions


@dataclass(frozen=True)
class Comparison:
    """System a against system b over n questions; a positive difference means that a is better."""

    mean_a: float
    mean_b: float
    difference: float
    interval: tuple[float, float]  # of the difference: bootstrap, 95 %
    p_randomisation: float
    p_t: float
    n: int


def compare(a: ArrayLike, b: ArrayLike, resamples: int = RESAMPLES, seed: int = 0) -> Comparison:
    """Everything about one pair of systems."""
    first, second = _paired(a, b)
    return Comparison(
        mean_a=float(first.mean()),
        mean_b=float(second.mean()),
        difference=float((first - second).mean()),
        interval=bootstrap_difference(first, second, resamples, seed=seed),
        p_randomisation=randomisation_test(first, second, resamples, seed),
        p_t=t_test(first, second),
        n=first.size,
    )


def randomisation_test(a: ArrayLike, b: ArrayLike, resamples: int = RESAMPLES, seed: int = 0) -> float:
    """Two-sided p: how often swapping a and b on a random half of the questions gives as large a difference of means.

    Exact, over all 2^n swaps, where those are at most `resamples`; otherwise (c + 1) / (resamples + 1), since the
    observed difference is one of the possible ones and p must not be 0.
    """
    first, second = _paired(a, b)
    difference = first - second
    difference = difference[difference != 0]  # swapping equals changes nothing: the distribution is the same without
    exact = 2**difference.size <= resamples
    swaps = _all_swaps(difference.size) if exact else _random_swaps(difference.size, resamples, seed)
    # Sums in another order differ in their last bits; without the slack an equal difference may count as smaller.
    limit = abs(difference.sum()) - 1e-12 * np.abs(difference).sum()
    extreme = sum(int(np.sum(np.abs(difference.sum() - 2 * (rows @ difference)) >= limit)) for rows in swaps)
    return extreme / 2**difference.size if exact else (extreme + 1) / (resamples + 1)


def t_test(a: ArrayLike, b: ArrayLike) -> float:
    """Two-sided p of the paired t-test: t = mean(d) / (s / sqrt(n)), n - 1 degrees of freedom; 1 where a equals b."""
    first, second = _paired(a, b)
    difference = first - second
    if difference.size < 2:
        raise InputError(f"a t-test needs at least 2 questions, not {difference.size}")
    # p = I_x(v / 2, 1 / 2) with v = n - 1 and x = v / (v + t^2), which is the population variance over the mean square.
    mean, spread = float(difference.mean()), float(difference.std())
    size = math.hypot(mean, spread)
    if mean == 0:
        return 1.0
    return _incomplete_beta((difference.size - 1) / 2, 0.5, (spread / size) ** 2, (mean / size) ** 2)


def welch_test(a: ArrayLike, b: ArrayLike) -> float:
    """Two-sided p of Welch's t-test, for two samples of their own size and variance: say, a mean for each seed.

    t = (mean(a) - mean(b)) / sqrt(v_a + v_b), v = s² / n, with (v_a + v_b)² / (v_a² / (n_a - 1) + v_b² / (n_b - 1))
    degrees of freedom; 1 where the means are equal.
    """
    first, second = _finite(a), _finite(b)
    if min(first.size, second.size) < 2:
        raise InputError(f"Welch's test needs at least 2 values of each, not {first.size} and {second.size}")
    gap = float(first.mean() - second.mean())
    if gap == 0:
        return 1.0
    v_a, v_b = (float(x.var(ddof=1)) / x.size for x in (first, second))
    if v_a + v_b == 0:
        return 0.0
    freedom = (v_a + v_b) ** 2 / (v_a**2 / (first.size - 1) + v_b**2 / (second.size - 1))
    square = gap**2 / (v_a + v_b)  # of t; p = I_x(v / 2, 1 / 2) with x = v / (v + t^2)
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square))


def holm(chances: ArrayLike) -> list[float]:
    """Holm's (1979) correction for several tests at once, in the order in which they are given.

    Of m, the k-th smallest p is multiplied by m - k + 1, is at least as large as those before it, and at most 1.
    """
    array = np.asarray(chances, dtype=np.float64)
    order = np.argsort(array, kind="stable")
    steps = array[order] * np.arange(array.size, 0, -1)
    corrected = np.empty_like(array)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(steps)) if array.size else steps
    found: list[float] = corrected.tolist()
    return found


def bootstrap_mean(
    values: ArrayLike, resamples: int = RESAMPLES, confidence: float = CONFIDENCE, seed: int = 0
) -> tuple[float, float]:
    """The percentile interval of a mean: questions are drawn again with replacement."""
    array = _finite(values)
    rng = np.random.default_rng(seed)
    draws = (rng.integers(0, array.size, (rows, array.size)) for rows in _chunks(resamples, array.size))
    means = np.concatenate([array[draw].mean(axis=1) for draw in draws])
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def bootstrap_difference(a: ArrayLike, b: ArrayLike, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, float]:
    """The percentile interval of mean(a) - mean(b): both systems are drawn on the same questions."""
    first, second = _paired(a, b)
    return bootstrap_mean(first - second, resamples, seed=seed)


def _all_swaps(n: int) -> Iterator[NDArray[np.int64]]:
    """Every 0/1 row of length n, in chunks."""
    start = 0
    for rows in _chunks(2**n, n):
        yield (np.arange(start, start + rows)[:, None] >> np.arange(n)) & 1
        start += rows


def _random_swaps(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.int8]]:
    rng = np.random.default_rng(seed)
    for rows in _chunks(resamples, n):
        yield rng.integers(0, 2, (rows, n), dtype=np.int8)


def _chunks(rows: int, width: int) -> Iterator[int]:
    """Numbers of rows that add up to `rows`, each small enough."""
    step = max(1, CHUNK // max(1, width))
    yield from (min(step, rows - start) for start in range(0, rows, step))


def _incomplete_beta(a: float, b: float, x: float, y: float) -> float:
    """The regularised I_x(a, b) by its continued fraction (DLMF 8.17.22), evaluated forwards (modified Lentz).

    y is 1 - x, passed in because subtracting would lose the digits of a small one.
    """
    if x == 0 or y == 0:
        return float(y == 0)
    if x * (b + 1) > y * (a + 1):  # there the fraction of the mirror image converges faster; never for both
        return 1 - _incomplete_beta(b, a, y, x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y)
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 100_000):  # about sqrt(a) rounds are enough
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + term * d), 1 + term / c
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return math.exp(front) * fraction / a


def _paired(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = _finite(a), _finite(b)
    if first.size != second.size:
        raise InputError(f"a paired comparison needs the same questions; {first.size} values against {second.size}")
    return first, second


def _finite(values: ArrayLike) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not array.size:
        raise InputError(f"one value per question and at least one question, not an array of shape {array.shape}")
    if (bad := np.flatnonzero(~np.isfinite(array))).size:
        raise InputError(f"value {bad[0]} of {array.size} is {array[bad[0]]}")
    return array
