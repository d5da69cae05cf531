"""Positions against the formula, number by number."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from anselm.layers.positions import positions  # noqa: E402


def test_the_first_words_by_hand() -> None:
    """Width 4: the frequencies are 10000^0 = 1 and 10000^(-2/4) = 0.01, for a sine and a cosine each."""
    expected = [[0, 1, 0, 1], [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]]
    torch.testing.assert_close(positions(2, 4), torch.tensor(expected), atol=1e-7, rtol=0)


@pytest.mark.parametrize("width", [1, 7, 300])
def test_every_number_is_the_formula_even_far_into_a_text(width: int) -> None:
    found = positions(8000, width)
    assert found.shape == (8000, width)
    assert found.dtype == torch.float32
    for i in (0, 1, 99, 7999):
        for j in range(width):
            angle = i / 10000 ** (2 * (j // 2) / width)
            assert found[i, j].item() == pytest.approx((math.cos if j % 2 else math.sin)(angle), abs=1e-6)
