"""Rows that are taken from one table again and again, with a gradient that costs what is taken.

Autograd makes a gradient of the size of the whole table for each taking and adds these up. Where a large table is gone
through in hundreds of chunks that is most of a training step; here all takings are added into one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class RepeatedRows:
    """A table of (rows, words, width), whose rows are taken with `take`."""

    def __init__(self, table: Tensor) -> None:
        self._sum: Tensor | None = None
        self._table = _Table.apply(table, self)  # type: ignore[no-untyped-call]

    def take(self, rows: Tensor, words: int) -> Tensor:
        """Rows by their numbers, up to so many words. -> (len(rows), words, width)"""
        taken: Tensor = _Rows.apply(self._table, self, rows, words)  # type: ignore[no-untyped-call]
        return taken

    def add(self, gradient: Tensor, rows: Tensor) -> None:
        if self._sum is None:
            self._sum = gradient.new_zeros(self._table.shape)
        self._sum[:, : gradient.shape[1]].index_add_(0, rows, gradient)

    def pop_sum(self) -> Tensor | None:
        """The gradient of all takings; the next backward pass begins anew."""
        total, self._sum = self._sum, None
        return total


class _Table(torch.autograd.Function):
    """Stands before all takings, so that its gradient is asked for when theirs have been added."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: RepeatedRows) -> Tensor:
        ctx.rows = rows
        ctx.set_materialize_grads(False)
        return table.view_as(table)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, None]:
        return ctx.rows.pop_sum(), None


class _Rows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: RepeatedRows, numbers: Tensor, words: int) -> Tensor:
        ctx.rows = rows
        ctx.save_for_backward(numbers)
        return table[:, :words].index_select(0, numbers)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, None, None, None]:
        (numbers,) = ctx.saved_tensors
        ctx.rows.add(gradients[0], numbers)
        return None, None, None, None
