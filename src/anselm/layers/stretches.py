"""Joining stretches of one flat array of tokens into padded rows, on the device and without a loop over rows.

Collating token lists in Python was what kept a large GPU waiting; here a batch costs a few whole-array operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Stretch:
    """One part of every row: where it starts in the flat array and how long it is, per row, and its token type."""

    starts: Tensor  # (rows,)
    lengths: Tensor  # (rows,)
    type: int


def join(flat: Tensor, stretches: Sequence[Stretch], width: int, pad: int) -> tuple[Tensor, Tensor, Tensor]:
    """-> ids, mask, types, each (rows, width): the length of the longest row, which the caller knows from the host."""
    totals = torch.stack([stretch.lengths for stretch in stretches]).sum(dim=0)  # (rows,)
    places = torch.arange(width, device=flat.device)
    mask = places < totals[:, None]
    ids = torch.full(mask.shape, pad, dtype=torch.long, device=flat.device)
    types = torch.zeros_like(ids)
    begin = torch.zeros_like(totals)
    for stretch in stretches:
        end = begin + stretch.lengths
        inside = (places >= begin[:, None]) & (places < end[:, None])
        source = (stretch.starts - begin)[:, None] + places
        ids = torch.where(inside, flat[source.clamp(0, len(flat) - 1)], ids)
        types = types.masked_fill(inside, stretch.type)
        begin = end
    return ids, mask, types
