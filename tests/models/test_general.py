"""The blend of models/general.py: its formula pair by pair, and what must hold whatever the lengths."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.models.general import Numbers, blend_features

WEIGHTS = np.array([0.5, 0.7, 0.4])
LENGTHS = st.integers(0, 254)
AMOUNTS = st.floats(0, 5)


def score(relevance: float, similarity: float, said: int, weights: Numbers = WEIGHTS) -> float:
    [row] = blend_features(np.array([relevance]), np.array([similarity]), np.array([said], dtype=np.float64))
    return float(row @ weights)


def test_the_features_are_the_formula() -> None:
    rng = np.random.default_rng(1)
    pairs = [(rng.normal(), rng.uniform(-1, 1), int(said)) for said in (0, 1, 14, 15, 16, 17, 100, 253, 254)]
    found = blend_features(*(np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True)))
    for row, (r, s, said) in zip(found, pairs, strict=True):
        excess = log((said + 1) / 16) if said > 15 else 0.0
        np.testing.assert_allclose(row, [r, 5 * s, 5 * (s - 0.3) * excess], atol=1e-12)


@pytest.mark.parametrize(("said", "expected"), [(10, 0.5 + 3.5 * 0.6), (31, 0.5 + 3.5 * 0.6 + 2 * 0.3 * log(2))])
def test_two_pairs_by_hand(said: int, expected: float) -> None:
    assert score(1.0, 0.6, said) == pytest.approx(expected)


@given(LENGTHS, AMOUNTS, AMOUNTS)
def test_a_higher_similarity_never_lowers_a_score(said: int, b: float, e: float) -> None:
    """The old blend's weight of the similarity fell below 0 for long questions."""
    weights = np.array([0.5, b, e])
    assert score(0.0, 1.0, said, weights) >= score(0.0, 0.0, said, weights)


@given(LENGTHS, LENGTHS, st.floats(-9, 9))
def test_length_alone_is_no_advantage(one: int, other: int, relevance: float) -> None:
    assert score(relevance, 0.3, one) == score(relevance, 0.3, other)


@given(st.integers(16, 254), st.floats(0.01, 1))
def test_the_longer_the_answer_the_more_its_similarity_counts(said: int, above: float) -> None:
    assert score(0.0, 0.3 + above, said) > score(0.0, 0.3 + above, said - 1)
    assert score(0.0, 0.3 - above, said) < score(0.0, 0.3 - above, said - 1)
