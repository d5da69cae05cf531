"""In which order the spans of many trees are computed: all spans of one level in one step, the deepest level first.

    Outline     one tree as arrays: its spans, and what is in them
    Schedule    many trees as one table of tokens, and the steps over it

A span is a start token, its words or child spans, and an end token. In a schedule the spans of a level stand in the
order in which the level above holds them, so that the results of one step are the child tokens of the next one as they
are: nothing is looked up, and nothing older than a step is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Indices = NDArray[np.int64]
Move = Callable[[NDArray[Any]], Tensor]
CHILD = -1  # in place of a word's number


class Outline(NamedTuple):
    """Spans and members from the root down and from left to right. The root is the first span.

    Words are numbered from left to right; the first word of a span says whether it is there when only so many are read.
    """

    spans: Indices  # (spans, 3): label, level, first word
    members: Indices  # (members, 4): the span that it is in, label, word or CHILD, first word


@dataclass(frozen=True)
class Step:
    """The spans of one level, in all trees. Spans and tokens are counted from the first of the level."""

    spans: int
    tokens: int
    longest: int  # tokens of a span
    owners: Tensor  # (tokens,) the span that each is in
    cells: Tensor  # (tokens,) where each is in a flat table of (spans, longest)
    children: Tensor  # (child tokens,) those that the step before has computed


@dataclass(frozen=True)
class Schedule:
    """A table of tokens, span by span, in the order of the steps; the root of tree i is the i-th span of the last."""

    steps: tuple[Step, ...]
    words: int  # of all trees
    longest: int  # positions that there are
    depth: int  # levels that there are
    starts: Tensor  # (spans,) the start token of each
    sources: Tensor  # (tokens,) vectors: those of all words, then the start of each tree, then its end
    labels: Tensor  # (tokens,)
    positions: Tensor  # (tokens,) in the span; its start token has 0
    levels: Tensor  # (tokens,) of the span
    fixed: Tensor  # (tokens,) whether it is there from the beginning: False for child spans


def make_schedule(
    outlines: Sequence[Outline], read: Indices, end_label: int | None, device: torch.device | str = "cpu"
) -> Schedule:
    """`read` says how many words of each tree there are: what lies behind them is not in the schedule.

    A span's end token has the label of the span, unless all of them have one label.
    """
    spans, members = join_outlines(outlines, read)
    sizes = np.bincount(members[:, 0], minlength=len(spans)) + 2
    ends = np.cumsum(sizes)
    begins = ends - sizes
    owner = np.repeat(np.arange(len(spans)), sizes)
    inner = np.ones(len(owner), dtype=np.bool_)
    inner[begins] = inner[ends - 1] = False
    child = np.zeros_like(inner)
    child[inner] = members[:, 2] == CHILD

    labels = spans[owner, 0]
    labels[inner] = members[:, 1]
    if end_label is not None:
        labels[ends - 1] = end_label
    words = int(read.sum())
    sources = words + spans[owner, 3]
    sources[ends - 1] += len(outlines)
    sources[inner] = np.maximum(members[:, 2], 0)

    def move(array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(device, non_blocking=True)

    steps = make_steps(spans[:, 1], sizes, child, move)
    columns = (begins, sources, labels, np.arange(len(owner)) - begins[owner], spans[owner, 1], ~child)
    return Schedule(steps, words, int(sizes.max()), int(spans[0, 1]) + 1, *map(move, columns))


def join_outlines(outlines: Sequence[Outline], read: Indices) -> tuple[Indices, Indices]:
    """Spans with their tree, the deepest first, (spans, 4), and members by span, (members, 4), as far as read."""
    span_counts, member_counts = (np.array([len(part) for part in parts]) for parts in zip(*outlines, strict=True))
    tree = np.repeat(np.arange(len(outlines)), span_counts)
    spans = np.column_stack([np.concatenate([one.spans for one in outlines]), tree])
    members = np.concatenate([one.members for one in outlines])
    of = np.repeat(np.arange(len(outlines)), member_counts)
    members[:, 0] += (np.cumsum(span_counts) - span_counts)[of]
    members[:, 2] += np.where(members[:, 2] == CHILD, 0, (np.cumsum(read) - read)[of])
    members = members[members[:, 3] < read[of]]
    kept = (spans[:, 2] < read[tree]) | (spans[:, 1] == 0)  # the root is there even without a word
    order = np.flatnonzero(kept)[np.argsort(-spans[kept, 1], kind="stable")]
    rank = np.empty(len(spans), dtype=np.int64)
    rank[order] = np.arange(len(order))
    members[:, 0] = rank[members[:, 0]]
    return spans[order], members[np.argsort(members[:, 0], kind="stable")]


def make_steps(levels: Indices, sizes: Indices, child: NDArray[np.bool_], move: Move) -> tuple[Step, ...]:
    """Of spans by level, the deepest first, each with how many tokens it has."""
    edges = np.searchsorted(-levels, np.arange(-levels[0], 2))
    tokens = running(sizes)
    return tuple(
        _step(sizes[first:last], child[tokens[first] : tokens[last]], move) for first, last in pairwise(edges.tolist())
    )


def _step(sizes: Indices, child: NDArray[np.bool_], move: Move) -> Step:
    spans, longest, tokens = len(sizes), int(sizes.max()), len(child)
    owners = np.repeat(np.arange(spans), sizes)
    cells = np.arange(tokens) + (np.arange(spans) * longest - running(sizes)[:-1])[owners]
    return Step(spans, tokens, longest, *map(move, (owners, cells, np.flatnonzero(child))))


def running(sizes: Indices) -> Indices:
    """How many there are before each, and in all. (n,) -> (n + 1,)"""
    found: Indices = np.concatenate([[0], np.cumsum(sizes)])
    return found
