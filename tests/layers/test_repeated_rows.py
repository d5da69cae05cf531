"""Rows taken again and again: values and gradients as by indexing, in every backward pass."""

from __future__ import annotations

import torch

from anselm.layers.repeated_rows import RepeatedRows


def test_rows_and_gradients_are_those_of_indexing() -> None:
    torch.manual_seed(1)
    table = torch.randn(4, 5, 3, requires_grad=True)
    takings = [(torch.tensor([0, 2, 0]), 5), (torch.tensor([2, 1]), 2), (torch.tensor([3]), 1)]
    weights = [torch.randn(len(rows), words, 3) for rows, words in takings]
    shared = RepeatedRows(table * 2)
    taken = [shared.take(rows, words) for rows, words in takings]
    expected = [(table * 2)[rows, :words] for rows, words in takings]
    assert all(torch.equal(*pair) for pair in zip(taken, expected, strict=True))
    ours, theirs = (
        sum((block * weight).sum() for block, weight in zip(blocks, weights, strict=True))
        for blocks in (taken, expected)
    )
    (gradient,) = torch.autograd.grad(theirs, table)
    for _ in range(2):  # nothing of the first pass is left in the second
        torch.testing.assert_close(torch.autograd.grad(ours, table, retain_graph=True)[0], gradient)


def test_a_table_that_learns_nothing_is_taken_from_as_well() -> None:
    table, rows = torch.randn(2, 3, 4), torch.tensor([1, 1])
    assert torch.equal(RepeatedRows(table).take(rows, 2), table[rows, :2])
    used, unused = torch.randn(2, 3, 4, requires_grad=True), torch.randn(2, 3, 4, requires_grad=True)
    RepeatedRows(unused)
    RepeatedRows(used).take(rows, 2).sum().backward()
    assert unused.grad is None
    assert used.grad is not None
    assert used.grad.sum() == 16
