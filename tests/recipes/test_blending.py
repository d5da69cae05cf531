"""The blend's weights against a general minimiser on the loss as it is written."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from anselm.recipes.blending import PULL, Lists, Numbers, fit_blend, usable_lists


def corpus(seed: int, lists: int) -> tuple[Numbers, list[list[float]]]:
    """Lists whose best candidate follows from known weights and some chance."""
    rng = np.random.default_rng(seed)
    features, labels = [], []
    for _ in range(lists):
        x = rng.normal(size=(rng.integers(1, 7), 4))
        scores = x @ [1.0, 0.5, -0.3, 0.2] + rng.gumbel(size=len(x))
        features.append(x)
        labels.append((scores >= np.sort(scores)[-rng.integers(1, 3) :][0]).astype(float).tolist())
    return np.concatenate(features), labels


def naive_loss(weights: Numbers, corpora: list[tuple[Numbers, list[list[float]]]]) -> float:
    total = 0.0
    for features, labels in corpora:
        losses, place = [], 0
        for row in labels:
            scores = features[place : place + len(row)] @ weights
            place += len(row)
            if 0 < sum(row) < len(row):
                shares = np.exp(scores) / np.exp(scores).sum()
                losses.append(-sum(y / sum(row) * np.log(p) for y, p in zip(row, shares, strict=True)))
        total += np.mean(losses) / len(corpora)
    return float(total + PULL * ((weights - [1, 0, 0, 0]) ** 2).sum())


def test_the_weights_have_the_smallest_loss() -> None:
    corpora = [corpus(1, 60), corpus(2, 15)]
    found = fit_blend([usable_lists(*one) for one in corpora])
    expected = minimize(naive_loss, np.zeros(4), args=(corpora,), tol=1e-10).x
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(found - [1, 0, 0, 0]).max() > 0.1


def test_without_evidence_nothing_is_blended() -> None:
    nothing: Lists = usable_lists(np.ones((4, 4)), [[1.0, 1.0], [0.0, 0.0]])
    assert nothing.count == 0
    same = usable_lists(np.ones((4, 4)), [[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(fit_blend([same]), [1, 0, 0, 0])
