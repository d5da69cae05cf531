"""The blend's weights against a general minimiser on the loss as it is written."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from tools.default_model.blending import PRIOR, PULL, Lists, Numbers, fit_blend, usable_lists

Corpus = tuple[Numbers, list[list[float]]]


def corpus(seed: int, lists: int) -> Corpus:
    """Lists whose best candidate follows from known weights and some chance."""
    rng = np.random.default_rng(seed)
    features, labels = [], []
    for _ in range(lists):
        x = rng.normal(size=(rng.integers(1, 7), 2))
        scores = x @ [1.0, 0.2] + rng.gumbel(size=len(x))
        features.append(x)
        labels.append((scores >= np.sort(scores)[-rng.integers(1, 3) :][0]).astype(float).tolist())
    return np.concatenate(features), labels


def naive_loss(weights: Numbers, families: list[list[Corpus]]) -> float:
    total = 0.0
    for family in families:
        for features, labels in family:
            losses, place = [], 0
            for row in labels:
                scores = features[place : place + len(row)] @ weights
                place += len(row)
                if 0 < sum(row) < len(row):
                    shares = np.exp(scores) / np.exp(scores).sum()
                    losses.append(-sum(y / sum(row) * np.log(p) for y, p in zip(row, shares, strict=True)))
            total += np.mean(losses) / len(family) / len(families)
    return float(total + PULL * ((weights - [0.6, 6.0]) ** 2).sum())


def fit(families: list[list[Corpus]]) -> Numbers:
    return fit_blend({str(n): [usable_lists(*one) for one in family] for n, family in enumerate(families)})


def test_the_weights_have_the_smallest_loss() -> None:
    families = [[corpus(1, 60), corpus(2, 15)], [corpus(3, 20)]]
    found = fit(families)
    expected = minimize(naive_loss, np.zeros(2), args=(families,), tol=1e-10).x
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(found - PRIOR).max() > 0.1


def test_a_family_counts_once_however_often_it_comes() -> None:
    one, other = corpus(1, 60), corpus(3, 20)
    np.testing.assert_allclose(fit([[one, one, one], [other]]), fit([[one], [other]]), atol=1e-9)
    assert np.abs(fit([[one], [one], [one], [other]]) - fit([[one], [other]])).max() > 1e-3


def test_without_evidence_the_prior_stays() -> None:
    nothing: Lists = usable_lists(np.ones((4, 2)), [[1.0, 1.0], [0.0, 0.0]])
    assert nothing.count == 0
    same = usable_lists(np.ones((4, 2)), [[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(fit_blend({"s": [same]}), PRIOR)
    np.testing.assert_allclose(fit_blend({"s": [same]}, prior=[1, 2]), [1, 2])
