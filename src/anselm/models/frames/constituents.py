"""The trees of a batch of pairs: of each text an outline of its tree and the pieces of its words, as a column; of each
batch its schedule, and where the encoder's vectors of the words are.

A tree is never cut by a window. Where a candidate is read in several, each of its pieces is taken from the window in
which it is farthest from the edge, and the tree stands over all of them: one candidate, one tree, one score. Where a
text is cut (a question after `max_question`, a candidate in training, which knows no windows) the words that are not
read are not in its tree, nor are constituents that have no other. A word without a piece is left out as well.

Constituents below the level DEEPEST are dissolved: their words belong to the one above. That bounds the steps that a
sentence takes, and no tree that a parser makes of a sentence is so deep.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from anselm.annotations.alignment import locate_words, pieces_of_words
from anselm.annotations.penn_labels import EMPTY, label_number
from anselm.annotations.syntax import parse_texts
from anselm.annotations.trees import Tree
from anselm.encoding.limits import Reading
from anselm.encoding.lists import Indices, Lists, spread
from anselm.encoding.tokenizer import PairTokenizer
from anselm.layers.tree_attention import LEVELS
from anselm.layers.tree_schedule import CHILD, Outline, Schedule, make_schedule
from anselm.models.frames.pair_batches import Batch, first_windows

TREES = "trees"  # column of texts
DEEPEST = LEVELS - 1


@dataclass(frozen=True)
class TextTree:
    outline: Outline
    pieces: Indices  # (words, 2) the first piece of each word, and the one behind its last


@dataclass(frozen=True)
class TreeBatch(Batch):
    """The trees of the questions of all candidates, then those of the candidates."""

    schedule: Schedule
    words: WordPlaces


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


def add_trees(lists: Lists, tokenizer: PairTokenizer, parser: str) -> Lists:
    column = np.empty(len(lists.texts.starts), dtype=np.object_)
    which = np.union1d(lists.questions, lists.candidates)
    texts = [lists.texts.strings[text] for text in which]
    found = zip(parse_texts(texts, parser), texts, tokenizer.offsets(texts), strict=True)
    for text, one in zip(which, found, strict=True):
        column[text] = read_tree(*one)
    return lists.add(texts={TREES: column})


def read_tree(tree: Tree, text: str, offsets: NDArray[np.int64]) -> TextTree:
    words = ["" if leaf.label == EMPTY else leaf.word for leaf in tree.leaves()]
    pieces = pieces_of_words(locate_words(words, text), offsets)
    kept = pieces[:, 1] > pieces[:, 0]
    return TextTree(make_outline(tree, kept), pieces[kept])


def make_outline(tree: Tree, kept: NDArray[np.bool_]) -> Outline:
    """Of some of its words. A constituent that has none of them begins behind them all, where nobody looks."""
    spans, members, ends = list[list[int]](), list[list[int]](), list[int]()
    above: list[int] = []  # the spans that are open, from the root down
    stays, word = iter(kept.tolist()), 0
    for one, level in (Tree(tree.label, (tree,)) if tree.word else tree).walk():
        while len(above) > level:
            ends[above.pop()] = word
        if one.word and next(stays):
            members.append([above[-1], label_number(one.label), word, word])
            word += 1
        elif not one.word and level <= DEEPEST:
            members.append([above[-1] if above else CHILD, label_number(one.label), CHILD, word])
            above.append(len(spans))
            spans.append([label_number(one.label), level, word])
            ends.append(word)
    for span in above:
        ends[span] = word
    return _without_empty(np.array(spans), np.array(members[1:], dtype=np.int64).reshape(-1, 4), np.array(ends), word)


def _without_empty(spans: Indices, members: Indices, ends: Indices, words: int) -> Outline:
    spans[1:, 2] = np.where(ends == spans[:, 2], words, spans[:, 2])[1:]
    members[members[:, 2] == CHILD, 3] = spans[1:, 2]
    return Outline(spans, members)


def with_trees(
    batch: Batch, picked: Lists, reading: Reading, tokenizer: PairTokenizer, first_piece: bool, end_label: int | None
) -> TreeBatch:
    """A word is the mean of its pieces, or its first one."""
    windows = CandidateWindows.of(picked, reading, tokenizer)
    asked = batch.columns.questions[TREES][np.repeat(np.arange(len(picked)), picked.sizes)[windows.first]]
    trees: list[TextTree] = [*asked, *batch.columns.candidates[TREES][windows.first]]
    limits = np.concatenate([windows.asked, windows.said])
    read = np.array(
        [np.searchsorted(tree.pieces[:, 0], n) for tree, n in zip(trees, limits, strict=True)], dtype=np.int64
    )
    device = batch.ids.device
    pieces = np.concatenate([tree.pieces[:n] for tree, n in zip(trees, read, strict=True)])
    owner = np.repeat(np.arange(len(trees)), read)
    counts = np.ones_like(owner) if first_piece else np.minimum(pieces[:, 1], limits[owner]) - pieces[:, 0]
    places = windows.places(np.repeat(owner, counts), spread(pieces[:, 0], counts))
    counts = np.concatenate([counts, np.ones(2 * len(trees), dtype=np.int64)])
    arrays = (*places, np.repeat(np.arange(len(counts)), counts), counts[:, None])
    words = WordPlaces(*(torch.from_numpy(array).to(device, non_blocking=True) for array in arrays))
    schedule = make_schedule([tree.outline for tree in trees], read, end_label, device)
    return TreeBatch(**vars(batch), schedule=schedule, words=words)


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
        window = (pieces - shared[owner] // 2) // step[owner]
        return np.clip(window, 0, (self.count - 1)[owner])
