"""Pairs of texts as one batch, put together on the device. runtime/rows.py does the same in numpy, without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from anselm.encoding.limits import Reading, flat_ids
from anselm.encoding.lists import OWNERS, Lists, running
from anselm.encoding.packing import by_length
from anselm.encoding.tokenizer import PairTokenizer
from anselm.layers.layout import Layout
from anselm.layers.stretches import Stretch, join
from anselm.models.frames.columns import BatchColumns, Column, collate_columns, place_columns


@dataclass(frozen=True)
class Batch:
    """A pair is a question and a candidate, or a window of a candidate where some are too long."""

    ids: Tensor  # (pairs, tokens)
    mask: Tensor  # (pairs, tokens)
    types: Tensor  # (pairs, tokens)
    groups: tuple[Group, ...]  # which pairs are read together
    layout: Layout
    labels: Tensor  # (pairs,)
    windows: Windows
    columns: BatchColumns


@dataclass(frozen=True)
class Group:
    """Pairs of about the same length."""

    rows: Tensor  # (some of the pairs,)
    width: int  # tokens of the longest


@dataclass(frozen=True)
class Windows:
    """Which pairs are windows of one candidate: for models that see whole candidates. In training none are."""

    owners: Tensor  # (pairs,) the candidate of each, numbered through the batch
    first: Tensor  # (candidates,) the first pair of each
    layout: Layout  # how the candidates form lists

    @classmethod
    def of(cls, picked: Lists, device: torch.device) -> Windows:
        begins = first_windows(picked)
        arrays = np.cumsum(begins) - 1, np.flatnonzero(begins)
        owner, first = (torch.from_numpy(array).to(device, non_blocking=True) for array in arrays)
        return cls(owner, first, Layout.of(np.diff(running(begins)[picked.bounds]), device))

    def mean(self, values: Tensor) -> Tensor:
        """Of each candidate's windows. (pairs, ...) -> (candidates, ...); back again by `[owners]`."""
        if len(self.first) == len(values):
            return values
        total = values.new_zeros(len(self.first), *values.shape[1:]).index_add(0, self.owners, values)
        counts = torch.bincount(self.owners, minlength=len(self.first)).to(values.dtype)
        return total / counts.view(-1, *[1] * (values.dim() - 1))


def first_windows(picked: Lists) -> NDArray[np.bool_]:
    """Which pairs are the first window of their candidate. (pairs,)"""
    begins = np.ones(len(picked.labels), dtype=np.bool_)
    if (owners := picked.pairs.get(OWNERS)) is not None:
        begins[1:] = owners[1:] != owners[:-1]
    return begins


@dataclass(frozen=True)
class Placed:
    """The texts of many lists on a device."""

    flat: Tensor  # (tokens,)
    columns: Mapping[str, Column]  # each (texts, ...)


def place_texts(lists: Lists, tokenizer: PairTokenizer, device: torch.device) -> Placed:
    flat = torch.from_numpy(flat_ids(lists.texts, tokenizer)).to(device)
    return Placed(flat, place_columns(lists, device))


def collate_pairs(placed: Placed, picked: Lists, tokenizer: PairTokenizer, reading: Reading) -> Batch:
    device = placed.flat.device

    def move(array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(device, non_blocking=True)

    widths = np.minimum(picked.pair_lengths + reading.overhead(tokenizer), reading.max_length)
    starts, lengths = (move(table).unbind(dim=1) for table in reading.stretches(picked, tokenizer))
    stretches = [Stretch(*row) for row in zip(starts, lengths, reading.types(tokenizer), strict=True)]
    rows = join(placed.flat, stretches, int(widths.max(initial=0)), tokenizer.pad)
    split = by_length(widths, wide=device.type == "cuda")
    groups = tuple(Group(move(some), int(widths[some].max(initial=0))) for some in split)
    return Batch(
        *rows, groups, Layout.of(picked.sizes, device), move(picked.labels),
        Windows.of(picked, device), collate_columns(placed.columns, picked, device),
    )  # fmt: skip
