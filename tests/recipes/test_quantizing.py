"""Weights rounded with compensation, against plain rounding and against trying everything."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

pytest.importorskip("onnx")

from anselm.recipes.quantizing import compensated, int8


def change(weight: np.ndarray, whole: np.ndarray, scale: np.ndarray, rows: np.ndarray) -> float:
    return float(np.square(rows @ (whole * scale) - rows @ weight).sum())


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_products_with_rows_of_few_directions_change_less(rng: np.random.Generator) -> None:
    """Where channels say much the same, one can make up for another."""
    weight = rng.normal(size=(48, 20))
    rows = rng.normal(size=(500, 6)) @ rng.normal(size=(6, 48)) + 0.1 * rng.normal(size=(500, 48))
    plain, found = int8(weight, axis=0), compensated(weight, rows)
    np.testing.assert_array_equal(found[1], plain[1])
    assert np.abs(found[0] * found[1] - weight).max() < 6 * plain[1].max()
    assert change(weight, *found, rows) < 0.25 * change(weight, *plain, rows)


def test_without_anything_in_common_it_is_plain_rounding(rng: np.random.Generator) -> None:
    weight, rows = rng.normal(size=(16, 5)), np.linalg.qr(rng.normal(size=(40, 16)))[0]
    np.testing.assert_array_equal(compensated(weight, rows)[0], int8(weight, axis=0)[0])


def test_two_channels_against_trying_everything(rng: np.random.Generator) -> None:
    """The first is rounded to its nearest; given that, the second is the best there is."""
    for _ in range(20):
        weight = np.append(rng.normal(size=2), 3.0)[:, None]  # the third sets the scale
        rows = np.append(rng.normal(size=(30, 1)) + 0.3 * rng.normal(size=(30, 2)), np.zeros((30, 1)), axis=1)
        whole, scale = compensated(weight, rows)
        near = np.rint(weight[:2, 0] / scale[0, 0]).astype(int)
        tried = product([near[0]], range(near[1] - 3, near[1] + 4), [whole[2, 0]])
        best = min(tried, key=lambda one: change(weight, np.array(one)[:, None], scale, rows))
        assert whole[0, 0] == near[0]
        assert abs(whole[1, 0] - best[1]) <= 1  # what the damping leaves


def test_a_channel_that_was_never_seen_does_no_harm() -> None:
    whole, scale = compensated(np.array([[0.5], [1.0]]), np.array([[0.0, 1.0], [0.0, 2.0]]))
    np.testing.assert_allclose(whole * scale, [[0.5], [1.0]], atol=float(scale.max()))
