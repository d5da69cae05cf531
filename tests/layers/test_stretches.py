"""Joining against the concatenation of Python lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from anselm.layers.stretches import Stretch, join  # noqa: E402

PAD = -9


@st.composite
def joins(draw: st.DrawFn) -> tuple[list[int], list[list[tuple[int, int]]], list[int]]:
    """A flat array, per row the (start, length) of each of its parts, and the type of each part."""
    flat = draw(st.lists(st.integers(0, 99), min_size=1, max_size=12))
    types = draw(st.lists(st.integers(0, 2), min_size=1, max_size=4))

    def part() -> tuple[int, int]:
        start = draw(st.integers(0, len(flat)))
        return start, draw(st.integers(0, len(flat) - start))

    return flat, [[part() for _ in types] for _ in range(draw(st.integers(0, 4)))], types


@given(joins(), st.integers(0, 3))
def test_rows_are_the_concatenated_parts(
    given: tuple[list[int], list[list[tuple[int, int]]], list[int]], wider: int
) -> None:
    flat, rows, types = given
    tokens = [[token for start, length in row for token in flat[start : start + length]] for row in rows]
    kinds = [[type for (_, length), type in zip(row, types, strict=True) for _ in range(length)] for row in rows]
    width = max(map(len, tokens), default=0) + wider
    starts = torch.tensor(rows, dtype=torch.long).reshape(len(rows), len(types), 2)
    stretches = [Stretch(starts[:, i, 0], starts[:, i, 1], type) for i, type in enumerate(types)]
    ids, mask, found_types = join(torch.tensor(flat, dtype=torch.int32), stretches, width, PAD)
    assert ids.tolist() == [row + [PAD] * (width - len(row)) for row in tokens]
    assert mask.tolist() == [[place < len(row) for place in range(width)] for row in tokens]
    assert found_types.tolist() == [row + [0] * (width - len(row)) for row in kinds]
    assert ids.dtype == torch.long
