"""Ragged lists: the scores of a batch are one flat row, list after list, and `sizes` says where each list ends."""

from __future__ import annotations

import torch
from torch import Tensor


def list_mask(sizes: Tensor) -> Tensor:
    """True where a padded list has a candidate. (lists,) -> (lists, longest)"""
    places = torch.arange(int(sizes.max()), device=sizes.device)
    return places < sizes[:, None]


def pad_lists(values: Tensor, sizes: Tensor, fill: float = 0.0) -> Tensor:
    """(pairs, ...) -> (lists, longest, ...)"""
    mask = list_mask(sizes)
    padded = values.new_full((*mask.shape, *values.shape[1:]), fill)
    padded[mask] = values
    return padded


def unpad_lists(padded: Tensor, sizes: Tensor) -> Tensor:
    """(lists, longest, ...) -> (pairs, ...)"""
    return padded[list_mask(sizes)]
