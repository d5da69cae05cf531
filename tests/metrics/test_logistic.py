"""The logistic fit against general optimisers on the loss as it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special

from anselm.metrics.logistic import FloatArray, Logistic, fit_logistic, sigmoid

NAMES = ("score", "lift", "words")


def rows(seed: int, count: int = 80) -> tuple[dict[str, FloatArray], FloatArray, FloatArray]:
    """Numbers of quite different sizes, targets from 0 to 1 and shares."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(3, count)) * [[1.0], [20.0], [0.1]] + [[0.0], [300.0], [-2.0]]
    evidence = dict(zip(NAMES, columns, strict=True))
    targets = special.expit(columns[0] - (columns[1] - 300) / 20) * rng.uniform(0.6, 1.0, count)
    return evidence, targets, rng.uniform(0.2, 3.0, count)


def loss(
    parameters: FloatArray,
    evidence: Mapping[str, FloatArray],
    targets: FloatArray,
    shares: FloatArray,
    prior: Logistic | None,
    pull: float,
) -> float:
    """Likelihood, and pull / 2 times the squared distance from the prior on standardised numbers, row by row.

    There the intercept is the logit at the mean; it is pulled to the prior's only where there is one.
    """
    intercept, *weights = parameters
    total = 0.0
    for row, (target, share) in enumerate(zip(targets, shares, strict=True)):
        z = intercept + sum(weight * evidence[name][row] for name, weight in zip(NAMES, weights, strict=True))
        total -= share * (target * special.log_expit(z) + (1 - target) * special.log_expit(-z))
    before = prior or Logistic(0.0)
    moved = intercept - before.intercept
    for name, weight in zip(NAMES, weights, strict=True):
        away = weight - before.weights.get(name, 0.0)
        moved += away * evidence[name].mean()
        total += pull / 2 * (away * evidence[name].std()) ** 2
    return float(total + (pull / 2 * moved**2 if prior else 0.0))


PRIORS = (None, Logistic(-3.0, {"score": 0.5, "lift": 0.02, "words": -4.0}), Logistic(1.0, {"lift": 0.1}))


@pytest.mark.parametrize("prior", PRIORS, ids=["no prior", "whole", "of one number"])
@pytest.mark.parametrize("pull", [0.0, 1.0, 30.0])
def test_no_general_optimiser_finds_better(prior: Logistic | None, pull: float) -> None:
    evidence, targets, shares = rows(seed=1)
    found = fit_logistic(evidence, targets, shares, prior, pull)
    parameters = np.array([found.intercept, *(found.weights[name] for name in NAMES)])
    written = (evidence, targets, shares, prior, pull)
    units = np.array([1.0, 1.0, 0.05, 10.0])  # for numbers of one size, which the optimiser needs
    start = np.array([6.0, 0.5, -0.02, 0.0]) / units
    other = optimize.minimize(lambda x: loss(x * units, *written), start, method="BFGS", options={"gtol": 1e-7})
    assert loss(parameters, *written) <= other.fun + 1e-6
    assert loss(parameters, *written) == pytest.approx(other.fun, abs=1e-3)


def test_without_shares_each_row_counts_once_and_a_share_of_two_is_a_row_twice() -> None:
    evidence, targets, _ = rows(seed=2, count=20)
    twice = {name: np.repeat(column, [2] + [1] * 19) for name, column in evidence.items()}
    plain, counted = (
        fit_logistic(twice, np.repeat(targets, [2] + [1] * 19)),
        fit_logistic(evidence, targets, np.array([2.0] + [1.0] * 19)),
    )
    # Standardised otherwise, but without a pull that is all the same.
    x = {name: column[:5] for name, column in evidence.items()}
    np.testing.assert_allclose(plain.logit(x), counted.logit(x), atol=1e-6)


def test_the_harder_the_pull_the_nearer_to_the_prior() -> None:
    evidence, targets, shares = rows(seed=3)
    prior = Logistic(2.0, {"score": -1.0, "lift": -0.01, "words": 1.0})
    logits = [fit_logistic(evidence, targets, shares, prior, pull).logit(evidence) for pull in (0.0, 1.0, 1e3, 1e9)]
    away = [float(np.abs(row - prior.logit(evidence)).max()) for row in logits]
    assert away == sorted(away, reverse=True)
    assert away[0] > 1
    assert away[-1] < 1e-5


def test_many_rows_outweigh_a_prior_that_few_do_not() -> None:
    rng = np.random.default_rng(4)
    prior = Logistic(0.0, {"score": -2.0})
    found = []
    for count in (5, 5_000):
        scores = rng.normal(size=count)
        labels = (rng.random(count) < special.expit(1.5 * scores)).astype(float)
        found.append(fit_logistic({"score": scores}, labels, prior=prior, pull=3.0).weights["score"])
    assert found[0] < 0
    assert found[1] == pytest.approx(1.5, abs=0.15)


@pytest.mark.parametrize("prior", [None, Logistic(0.5, {"score": 2.0})])
def test_a_number_that_never_changes_keeps_its_weight(prior: Logistic | None) -> None:
    targets = np.array([1.0, 0.0, 1.0, 1.0])
    found = fit_logistic({"score": np.full(4, 0.3), "lift": np.arange(4.0)}, targets, prior=prior)
    assert found.weights["score"] == pytest.approx(2.0 if prior else 0.0)
    other = fit_logistic({"lift": np.arange(4.0)}, targets)  # the intercept makes up for it
    np.testing.assert_allclose(
        found.probability({"score": np.full(4, 0.3), "lift": np.arange(4.0)}),
        other.probability({"lift": np.arange(4.0)}), atol=1e-6,
    )  # fmt: skip


def test_without_numbers_it_is_the_share_of_the_right() -> None:
    assert sigmoid(np.array([fit_logistic({}, np.array([1.0, 0.0, 0.0, 0.0])).intercept])) == pytest.approx([0.25])


@settings(deadline=None, max_examples=40)
@given(st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_units_do_not_matter(scale: float, shift: float) -> None:
    """Pulled without a prior: the pull is on standardised numbers."""
    evidence, targets, shares = rows(seed=5, count=30)
    moved = {**evidence, "score": evidence["score"] * scale + shift}
    a, b = (fit_logistic(one, targets, shares, pull=2.0).probability(one) for one in (evidence, moved))
    np.testing.assert_allclose(a, b, atol=1e-6)


def test_a_logit_by_hand() -> None:
    model = Logistic(-1.0, {"a": 2.0, "b": -0.5})
    evidence = {"b": np.array([2.0, 0.0]), "a": np.array([1.0, 3.0]), "more": np.array([9.0, 9.0])}
    assert model.logit(evidence).tolist() == [0.0, 5.0]
    assert model.probability(evidence) == pytest.approx([0.5, 1 / (1 + np.exp(-5))])
    assert Logistic(0.3).logit({"a": np.zeros(3)}).tolist() == [0.3] * 3


def test_extreme_logits_give_probabilities_without_overflow() -> None:
    found = sigmoid(np.array([-1e4, -700.0, 0.0, 1e4, np.inf, -np.inf]))
    assert found == pytest.approx([0, np.exp(-700.0), 0.5, 1, 1, 0], rel=1e-12, abs=0)


def test_what_is_written_is_read_again() -> None:
    model = Logistic(0.1, {"a": -2.5, "b": 1e-9})
    assert Logistic.from_dict(model.to_dict(), ("a", "b", "c")) == model


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"intercept": 0, "height": 1}, "'height' is none of score, lift"),
        ({"intercept": float("inf")}, "not finite"),
        ({"intercept": 0, "score": float("nan")}, "not finite"),
        ({"intercept": "x"}, "could not convert"),
        ({"score": 1}, "intercept"),
        ({"intercept": None}, "None"),
        ([1], "items"),
    ],
)
def test_what_is_none_is_refused(record: Any, problem: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError), match=problem):
        Logistic.from_dict(record, ("score", "lift"))
