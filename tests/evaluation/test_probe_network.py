"""The network of a probe, against scikit-learn's from the same start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anselm.evaluation.probe_network import Adam, Fitting, fit_network, gradients

WIDTH, ROWS, EPOCHS = 6, 40, 25


def numbers(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


def theirs(model: Any, start: list[Any], x: Any, y: Any) -> list[Any]:
    """Trained by scikit-learn from our weights: a first epoch makes its own, which are then replaced."""
    model.set_params(max_iter=1).fit(x, y)
    model.coefs_, model.intercepts_ = [start[0].copy(), start[2].copy()], [start[1].copy(), start[3].copy()]
    model.set_params(max_iter=EPOCHS).fit(x, y)
    return [model.coefs_[0], model.intercepts_[0], model.coefs_[1], model.intercepts_[1]]


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("classes", [True, False])
def test_the_steps_are_those_of_scikit_learn(classes: bool) -> None:
    networks = pytest.importorskip("sklearn.neural_network")
    x, labels = numbers(1, ROWS, WIDTH), np.arange(ROWS) % 4
    targets = np.eye(4)[labels] if classes else numbers(2, ROWS, 1)
    out = targets.shape[1]
    start = [numbers(3, WIDTH, WIDTH), numbers(4, WIDTH), numbers(5, WIDTH, out), numbers(6, out)]
    kind = networks.MLPClassifier if classes else networks.MLPRegressor
    settings = {"hidden_layer_sizes": (WIDTH,), "alpha": 0.0, "batch_size": ROWS, "shuffle": False, "tol": 0.0}
    model = kind(**settings, warm_start=True, n_iter_no_change=10**6, learning_rate_init=0.01)
    expected = theirs(model, start, x, labels if classes else targets[:, 0])
    adam = Adam(start, 0.01)
    for _ in range(EPOCHS):
        adam.step(gradients(x, targets, start, classes))
    for one, other in zip(start, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)


def test_it_learns_what_a_line_cannot_and_is_the_same_for_a_seed() -> None:
    x = np.random.default_rng(2).uniform(-1, 1, (600, 8)).astype(np.float32)
    x[:, 5] = 3  # does not vary
    gold = ((x[:, 0] > 0) ^ (x[:, 1] > 0)).astype(int)
    fitted = [fit_network(x[:400], np.eye(2, dtype=np.float32)[gold[:400]], Fitting(epochs=200), True) for _ in "ab"]
    assert np.mean(fitted[0](x[400:]).argmax(axis=1) == gold[400:]) > 0.85
    np.testing.assert_array_equal(fitted[0](x), fitted[1](x))
    moved = x.copy()
    moved[:, 5] = 50  # nor does it count
    np.testing.assert_array_equal(fitted[0](moved), fitted[0](x))
