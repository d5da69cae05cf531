"""Platt scaling against a general optimiser, and calibration error by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special

from anselm.errors import InputError
from anselm.evaluation.calibration import (
    Calibration,
    Platt,
    fit_platt,
    log_loss,
    reliability,
)


def loss(parameters, scores, labels):
    """Platt's likelihood, with his targets."""
    relevant = np.asarray(labels) > 0
    positives, negatives = relevant.sum(), (~relevant).sum()
    targets = np.where(relevant, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    z = parameters[0] * np.asarray(scores) + parameters[1]
    return -np.sum(targets * special.log_expit(z) + (1 - targets) * special.log_expit(-z))


def test_two_candidates_by_hand():
    # Targets 1/3 and 2/3 at 0 and 1 can be met exactly: logits -log 2 and log 2.
    fitted = fit_platt([0.0, 1.0], [0, 1])
    assert (fitted.slope, fitted.intercept) == pytest.approx((2 * np.log(2), -np.log(2)), abs=1e-7)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-50, 50).map(lambda tenths: tenths / 10), st.integers(0, 2)), min_size=2))
def test_no_general_optimiser_finds_better(candidates):
    scores, labels = [score for score, _ in candidates], [label for _, label in candidates]
    fitted = fit_platt(scores, labels)
    other = optimize.minimize(loss, [0.0, 0.0], (scores, labels), method="Nelder-Mead", options={"xatol": 1e-6})
    assert loss([fitted.slope, fitted.intercept], scores, labels) <= other.fun + 1e-7


def test_known_parameters_are_found_again():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=50_000)
    labels = rng.random(50_000) < special.expit(1.7 * scores - 0.6)
    fitted = fit_platt(scores, labels)
    assert (fitted.slope, fitted.intercept) == pytest.approx((1.7, -0.6), abs=0.05)
    assert reliability(fitted.probability(scores), labels).error < 0.01


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("shift", [-1e4, 0.0, 1e4])
def test_a_separating_score_stays_finite_at_any_scale(scale, shift):
    scores, labels = np.array([-1.0, -0.9, 0.9, 1.0]), [0, 0, 1, 1]
    reference = fit_platt(scores, labels).probability(scores)
    moved = scores * scale + shift
    fitted = fit_platt(moved, labels)
    assert np.isfinite([fitted.slope, fitted.intercept]).all()
    assert fitted.slope > 0
    assert fitted.probability(moved) == pytest.approx(reference, abs=1e-5)


def test_one_far_outlier_does_not_stop_the_fit():
    scores, labels = [0.0, 0.1, 0.9, 1.0, 1e4], [0, 0, 1, 1, 1]
    fitted = fit_platt(scores, labels)
    other = optimize.minimize(loss, [1.0, 0.0], (scores, labels), method="Nelder-Mead", options={"maxiter": 5_000})
    assert loss([fitted.slope, fitted.intercept], scores, labels) <= other.fun + 1e-6


def test_a_newton_step_that_overshoots_is_halved():
    scores, labels = [-1e4, *[0.0] * 49, 700.0], [0] * 50 + [1]  # whole steps diverge on this one
    fitted = fit_platt(scores, labels)
    other = optimize.minimize(loss, [0.004, -3.0], (scores, labels), method="Nelder-Mead", options={"xatol": 1e-8})
    assert loss([fitted.slope, fitted.intercept], scores, labels) == pytest.approx(other.fun, abs=1e-6)


@pytest.mark.parametrize("score", [0.0, 2.0, 1.7290312756091848])  # the mean of three of the last is another number
def test_equal_scores_give_the_mean_target(score):
    fitted = fit_platt([score] * 3, [1, 0, 0])
    assert fitted.slope == 0.0
    assert fitted.probability([score, 7.0]) == pytest.approx([(2 / 3 + 1 / 4 + 1 / 4) / 3] * 2)


@pytest.mark.parametrize("scores", [[0.0, 5e-324], [1.0, 1.0 + 1e-15]])
def test_a_difference_of_rounding_is_no_difference(scores):
    assert fit_platt(scores, [0, 1]) == Platt(slope=0.0, intercept=0.0)


@pytest.mark.parametrize(("label", "expected"), [(0, 1 / 5), (1, 4 / 5)])
def test_one_class_alone_gives_its_target(label, expected):
    assert fit_platt([0.0, 1.0, 2.0], [label] * 3).probability([0.0, 9.0]) == pytest.approx([expected] * 2, abs=1e-6)


def test_extreme_scores_give_probabilities_without_overflow():
    found = Platt(slope=1.0, intercept=0.0).probability([-1e4, -700.0, 0.0, 1e4, np.inf, -np.inf])
    assert found == pytest.approx([0, np.exp(-700.0), 0.5, 1, 1, 0], rel=1e-12, abs=0)


def test_reliability_by_hand():
    table = reliability([0.0, 0.1, 0.3, 0.5, 0.5, 1.0], [0, 1, 0, 1, 1, 1], bins=4)
    assert table.counts.tolist() == [2, 1, 2, 1]
    assert table.confidence == pytest.approx([0.05, 0.3, 0.5, 1.0])
    assert table.accuracy.tolist() == [0.5, 0, 1, 1]


def test_calibration_error_by_hand():
    # Bins of the table above: gaps 0.45, 0.3, 0.5, 0 weighed by 2, 1, 2, 1.
    found = reliability([0.0, 0.1, 0.3, 0.5, 0.5, 1.0], [0, 1, 0, 1, 1, 1], bins=4).error
    assert found == pytest.approx((2 * 0.45 + 0.3 + 2 * 0.5) / 6)
    assert reliability([0.0, 1.0], [0, 1]).error == 0.0


def test_an_empty_bin_has_no_mean():
    table = reliability([0.1], [1], bins=2)
    assert table.counts.tolist() == [1, 0]
    assert np.isnan([table.confidence[1], table.accuracy[1]]).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_platt([1.0, 2.0], [1]), "one score per label and at least one; 2 and 1 were given"),
        (lambda: fit_platt([], []), "0 and 0 were given"),
        (lambda: fit_platt([1.0, np.inf], [0, 1]), "score 1 of 2 is inf"),
        (lambda: reliability([0.5, 1.5], [0, 1]), "probability 1 of 2 is 1.5, outside of 0 to 1"),
        (lambda: reliability([0.5], [1], bins=0), "at least 1 bin, not 0"),
    ],
)
def test_what_cannot_be_calibrated_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


@given(st.lists(st.tuples(st.floats(0.001, 0.999), st.integers(0, 1)), min_size=1))
def test_log_loss_is_the_mean_log_probability_of_what_happened(pairs):
    probabilities, labels = [p for p, _ in pairs], [label for _, label in pairs]
    expected = -sum(math.log(p if label else 1 - p) for p, label in pairs) / len(pairs)
    assert log_loss(probabilities, labels) == pytest.approx(expected)


def test_a_probability_that_rounding_made_certain_costs_much_but_not_everything():
    assert log_loss([0.0, 1.0], [1, 1]) == pytest.approx(-math.log(1e-15) / 2)
    assert log_loss([0.0, 1.0], [0, 1]) == 0.0


def test_a_failed_write_leaves_the_old_calibration(tmp_path, monkeypatch):
    path = tmp_path / "calibration.json"
    Calibration(Platt(1.0, 0.0), 0.5, "old").save(path)
    monkeypatch.setattr("json.dumps", lambda *_, **__: pytest.fail("stopped"))
    with pytest.raises(pytest.fail.Exception):
        Calibration(Platt(2.0, 0.0), 0.5, "new").save(path)
    assert Calibration.load(path).fitted_on == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["calibration.json"]
