"""Pairs of texts as one batch for a cross-encoder, put together on the device: a row is

    [CLS] question [SEP] candidate [SEP], and, where there is a context, context [SEP]

cut from the end. runtime/rows.py does the same in numpy, without torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from anselm.encoding.limits import Reading
from anselm.encoding.lists import CONTEXTS, OWNERS, Lists, running
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
        begins = np.ones(len(picked.labels), dtype=np.bool_)
        if (owners := picked.pairs.get(OWNERS)) is not None:
            begins[1:] = owners[1:] != owners[:-1]
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


@dataclass(frozen=True)
class Placed:
    """The texts of many lists on a device."""

    flat: Tensor  # (tokens,)
    starts: Tensor  # (texts,)
    lengths: Tensor  # (texts,)
    columns: Mapping[str, Column]  # each (texts, ...)


def place_texts(lists: Lists, tokenizer: PairTokenizer, device: torch.device) -> Placed:
    """The special tokens stand before all texts, to be stretches as well."""
    special = [*tokenizer.before, *tokenizer.between, *tokenizer.after]
    ids = np.concatenate([np.array(special, dtype=np.int32), lists.texts.ids])
    arrays = (ids, lists.texts.starts + len(special), lists.texts.lengths)
    flat, starts, lengths = (torch.from_numpy(array).to(device) for array in arrays)
    return Placed(flat, starts, lengths, place_columns(lists, device))


def collate_pairs(placed: Placed, picked: Lists, tokenizer: PairTokenizer, reading: Reading) -> Batch:
    device = placed.flat.device
    labels, question, candidate = (
        torch.from_numpy(array).to(device, non_blocking=True)
        for array in (picked.labels, np.repeat(picked.questions, picked.sizes), picked.candidates)
    )
    widths = np.minimum(picked.pair_lengths + reading.overhead(tokenizer), reading.max_length)
    context = torch.from_numpy(picked.pairs[CONTEXTS]).to(device) if CONTEXTS in picked.pairs else None
    stretches = stretch_pairs(placed, question, candidate, context, tokenizer, reading)
    rows = join(placed.flat, stretches, int(widths.max(initial=0)), tokenizer.pad)
    groups = tuple(
        Group(torch.from_numpy(some).to(device, non_blocking=True), int(widths[some].max(initial=0)))
        for some in by_length(widths)
    )
    return Batch(
        *rows, groups, Layout.of(picked.sizes, device), labels,
        Windows.of(picked, device), collate_columns(placed.columns, picked, device),
    )  # fmt: skip


def stretch_pairs(
    placed: Placed,
    question: Tensor,
    candidate: Tensor,
    context: Tensor | None,
    tokenizer: PairTokenizer,
    reading: Reading,
) -> list[Stretch]:
    """What each row consists of, one after the other; the texts are given by their numbers. (pairs,)"""
    limit = reading.max_length - reading.overhead(tokenizer)
    asked = placed.lengths[question].clamp(max=reading.max_question)
    said = torch.minimum(placed.lengths[candidate], limit - asked)
    first, second = tokenizer.types
    before, between, after = special_stretches(tokenizer, torch.ones_like(question))
    stretches = [
        Stretch(*before, first), Stretch(placed.starts[question], asked, first), Stretch(*between, first),
        Stretch(placed.starts[candidate], said, second), Stretch(*after, second),
    ]  # fmt: skip
    if context is not None:
        shown = torch.minimum(placed.lengths[context], (limit - asked - said).clamp(min=0))
        closing = Stretch(after[0], after[1] * (shown > 0), second)  # none where nothing is to be closed
        stretches += [Stretch(placed.starts[context], shown, second), closing]
    return stretches


def special_stretches(tokenizer: PairTokenizer, ones: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Where the tokens before, between and after the texts stand in the flat array, and how many they are. (pairs,)"""
    lengths = [len(part) for part in (tokenizer.before, tokenizer.between, tokenizer.after)]
    return [(ones * sum(lengths[:place]), ones * length) for place, length in enumerate(lengths)]
