"""Layouts against loops over ragged lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from anselm.layers.layout import Layout  # noqa: E402

sizes_of_lists = st.lists(st.integers(0, 5), max_size=6)


def layout_of(sizes: list[int]) -> Layout:
    return Layout.of(np.array(sizes, dtype=np.int64))


@given(sizes_of_lists)
def test_padding_places_and_mask_are_those_of_a_loop(sizes: list[int]) -> None:
    layout, longest = layout_of(sizes), max(sizes, default=0)
    values = torch.arange(1.0, sum(sizes) + 1)
    flat = iter(values.tolist())
    rows = [[next(flat) for _ in range(size)] for size in sizes]
    assert layout.pad(values, fill=-7.0).tolist() == [row + [-7.0] * (longest - len(row)) for row in rows]
    assert layout.mask.tolist() == [[i < size for i in range(longest)] for size in sizes]
    assert layout.longest == longest


@given(sizes_of_lists)
def test_unpadding_undoes_padding_of_vectors(sizes: list[int]) -> None:
    layout = layout_of(sizes)
    values = torch.randn(sum(sizes), 2, 3)
    padded = layout.pad(values)
    assert padded.shape == (len(sizes), max(sizes, default=0), 2, 3)
    assert torch.equal(layout.unpad(padded), values)
    assert float(padded.abs().sum()) == pytest.approx(float(values.abs().sum()), rel=1e-5)  # zeros elsewhere


@pytest.mark.parametrize("sizes", [[], [0], [0, 0]])
def test_a_batch_without_candidates_has_the_shape_of_one(sizes: list[int]) -> None:
    layout = layout_of(sizes)
    assert layout.mask.shape == layout.pad(torch.zeros(0)).shape == (len(sizes), 0)
    assert layout.unpad(torch.zeros(len(sizes), 0)).shape == (0,)


def test_the_gradient_of_padding_is_that_of_the_candidates_alone() -> None:
    values = torch.randn(4, requires_grad=True)
    (layout_of([1, 3]).pad(values, fill=5.0) ** 2).sum().backward()
    assert torch.allclose(values.grad, 2 * values)


def test_integers_and_truth_values_are_padded_as_such() -> None:
    layout = layout_of([1, 2])
    assert layout.pad(torch.tensor([4, 5, 6]), fill=-1).tolist() == [[4, -1], [5, 6]]
    assert layout.pad(torch.tensor([True, True, False]), fill=False).tolist() == [[True, False], [True, False]]
