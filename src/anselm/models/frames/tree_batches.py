"""The trees of a batch of pairs: their schedule, and where the encoder's vectors of their words are.

A tree is never cut by a window. Where a candidate is read in several, each of its pieces is taken from the window in
which it is far from the edge, and the tree stands over all of them: one candidate, one tree, one score. Where a text is
cut (a question after `max_question`; a candidate in training, which knows no windows) the words that are not read are
not in its tree, nor are constituents that have no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from anselm.encoding.limits import Reading
from anselm.encoding.lists import Indices, Lists, spread
from anselm.encoding.tokenizer import PairTokenizer
from anselm.layers.tree_schedule import Schedule, make_schedule
from anselm.models.frames.constituents import TREES, TextTree
from anselm.models.frames.pair_batches import Batch, first_windows


@dataclass(frozen=True)
class TreeBatch(Batch):
    """The trees of the questions of all candidates, then those of the candidates."""

    schedule: Schedule
    words: WordPlaces
    trees: tuple[TextTree, ...]
    read: Indices  # (trees,) how many words of each there are


@dataclass(frozen=True)
class WordPlaces:
    """Where the vectors that a schedule asks for are in the encoder's states: each is the mean of some tokens."""

    rows: Tensor  # (tokens,)
    columns: Tensor  # (tokens,)
    vectors: Tensor  # (tokens,) which vector they are of
    counts: Tensor  # (vectors, 1) how many tokens each has

    def read(self, states: Tensor) -> Tensor:
        """(pairs, tokens, width) -> (vectors, width)"""
        found = states[self.rows, self.columns]
        return found.new_zeros(len(self.counts), states.shape[2]).index_add(0, self.vectors, found) / self.counts


def with_trees(
    batch: Batch, picked: Lists, reading: Reading, tokenizer: PairTokenizer, first_piece: bool, end_label: int | None
) -> TreeBatch:
    """A word is the mean of its pieces, or its first one."""
    windows = CandidateWindows.of(picked, reading, tokenizer)
    of_list = np.repeat(np.arange(len(picked)), picked.sizes)[windows.first]
    columns = batch.columns
    trees: list[TextTree] = [*columns.questions[TREES][of_list], *columns.candidates[TREES][windows.first]]
    shown = zip(trees, (*windows.asked, *windows.said), strict=True)
    read = np.array([np.searchsorted(tree.pieces[:, 0], limit) for tree, limit in shown], dtype=np.int64)
    schedule = make_schedule([tree.outline for tree in trees], read, end_label, batch.ids.device)
    places = place_words(trees, read, windows, first_piece, batch.ids.device)
    return TreeBatch(**vars(batch), schedule=schedule, words=places, trees=tuple(trees), read=read)


def place_words(
    trees: Sequence[TextTree], read: Indices, windows: CandidateWindows, first_piece: bool, device: torch.device
) -> WordPlaces:
    """The first so many words of each tree, then the start token of each, then their end tokens."""
    first, last = np.concatenate([tree.pieces[:count] for tree, count in zip(trees, read, strict=True)]).T
    owner = np.repeat(np.arange(len(trees)), read)
    limits = np.concatenate([windows.asked, windows.said])
    counts = np.ones_like(owner) if first_piece else np.minimum(last, limits[owner]) - first
    rows, columns = windows.places(np.repeat(owner, counts), spread(first, counts))
    counts = np.concatenate([counts, np.ones(2 * len(trees), dtype=np.int64)])
    arrays = (rows, columns, np.repeat(np.arange(len(counts)), counts), counts[:, None])
    return WordPlaces(*(torch.from_numpy(array).to(device, non_blocking=True) for array in arrays))


@dataclass(frozen=True)
class CandidateWindows:
    """How the pieces of each question and each candidate lie in the rows of a batch."""

    first: Indices  # (candidates,) the first row of each
    count: Indices  # (candidates,) how many rows it has
    offset: Indices  # (rows,) the first piece of the candidate in each row
    asked: Indices  # (candidates,) pieces of the question
    said: Indices  # (candidates,) pieces of the candidate in all its rows
    shown: Indices  # (rows,) pieces of the candidate
    before: int  # special tokens before the question,
    between: int  # and behind it

    @classmethod
    def of(cls, picked: Lists, reading: Reading, tokenizer: PairTokenizer) -> CandidateWindows:
        begins = first_windows(picked)
        first, owner = np.flatnonzero(begins), np.cumsum(begins) - 1
        lengths = reading.stretches(picked, tokenizer)[1]  # before, question, between, candidate, ...
        starts = picked.texts.starts[picked.candidates]
        offset, shown = starts - starts[first][owner], lengths[:, 3]
        count = np.bincount(owner, minlength=len(first))
        last = first + count - 1
        said = offset[last] + shown[last]
        return cls(first, count, offset, lengths[first, 1], said, shown, len(tokenizer.before), len(tokenizer.between))

    def places(self, trees: Indices, pieces: Indices) -> tuple[Indices, Indices]:
        """Row and column of pieces of the trees; then of the start token of each tree, then of the end tokens."""
        candidates = len(self.first)
        of_question, owner = trees < candidates, trees % candidates
        rows = np.where(of_question, self.first[owner], self.first[owner] + self._window(owner, pieces))
        second = self.before + self.asked + self.between  # (candidates,) where a candidate begins
        columns = pieces + np.where(of_question, self.before, second[owner] - self.offset[rows])
        last = self.first + self.count - 1
        edges = (
            np.full(candidates, max(self.before - 1, 0)),
            second - 1,
            self.before + self.asked,
            second + self.shown[last],
        )
        return np.concatenate([rows, *[self.first] * 3, last]), np.concatenate([columns, *edges])

    def _window(self, owner: Indices, pieces: Indices) -> Indices:
        """The one in which a piece is far from the edge: what two windows share is halved between them."""
        several = self.count > 1
        step = np.where(several, self.offset[np.minimum(self.first + 1, len(self.offset) - 1)], 1)
        shared = self.shown[self.first] - step
        window: Indices = (pieces - shared[owner] // 2) // step[owner]
        return np.clip(window, 0, (self.count - 1)[owner])
