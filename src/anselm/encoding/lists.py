"""Lists of questions as arrays: every text is tokenized once, and a batch is a selection of numbers.

    Texts   all distinct texts as one flat array of token ids; text i is ids[starts[i] : starts[i] + lengths[i]]
    Lists   for each list its question's text and, flat over all lists, its candidates' texts and labels
    Picked  what goes into one batch: lists, and for each the candidates to look at, which may be fewer than the list
            has, or some from other lists

Nothing here is about a model: a pair model joins two texts, a siamese model reads them apart, a model that needs parses
or clusters keeps them in arrays beside these, by the same text numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anselm.data.question import Question

Indices = NDArray[np.int64]
Tokenize = Callable[[list[str]], Sequence[Sequence[int]]]

WINDOW_OVERLAP = 32  # tokens that two windows of a long candidate share


@dataclass(frozen=True)
class Texts:
    ids: NDArray[np.int32]  # (tokens,)
    starts: Indices  # (texts,)
    lengths: Indices  # (texts,)


@dataclass(frozen=True)
class Picked:
    """The lists of one batch; candidates and labels are flat, `sizes` says where each list ends."""

    questions: Indices  # (lists,) texts
    candidates: Indices  # (pairs,) texts
    contexts: Indices  # (pairs,) texts: what stands around each candidate; empty where the model wants none
    labels: NDArray[np.float32]  # (pairs,)
    sizes: Indices  # (lists,)
    lengths: Indices  # (pairs,) tokens, without what a model adds

    def part(self, number: int, parts: int) -> Picked:
        """Every so-manieth list: one process's share of a batch."""
        mine = np.arange(number, len(self.sizes), parts)
        starts = np.cumsum(self.sizes) - self.sizes
        pairs = spread(starts[mine], self.sizes[mine])
        contexts = self.contexts[pairs] if len(self.contexts) else self.contexts
        return Picked(
            self.questions[mine], self.candidates[pairs], contexts,
            self.labels[pairs], self.sizes[mine], self.lengths[pairs],
        )  # fmt: skip


@dataclass(frozen=True)
class Lists:
    texts: Texts
    questions: Indices  # (lists,) texts
    candidates: Indices  # (pairs,) texts
    contexts: Indices  # (pairs,) texts, or empty
    labels: NDArray[np.float32]  # (pairs,)
    bounds: Indices  # (lists + 1,)

    def __len__(self) -> int:
        return len(self.questions)

    @cached_property
    def sizes(self) -> Indices:
        return np.diff(self.bounds)

    @cached_property
    def pair_lengths(self) -> Indices:
        """(pairs,) tokens of question, candidate and context, without what a model adds between them."""
        lengths = self.texts.lengths
        total = np.repeat(lengths[self.questions], self.sizes) + lengths[self.candidates]
        return total + lengths[self.contexts] if len(self.contexts) else total

    @cached_property
    def longest(self) -> Indices:
        """(lists,) the longest pair of each list; 0 for one without candidates."""
        longest, filled = np.zeros(len(self), dtype=np.int64), self.sizes > 0
        if filled.any():
            longest[filled] = np.maximum.reduceat(self.pair_lengths, self.bounds[:-1][filled])
        return longest

    def pick(self, lists: Indices) -> Picked:
        sizes = self.sizes[lists]
        pairs = spread(self.bounds[lists], sizes)
        contexts = self.contexts[pairs] if len(self.contexts) else self.contexts
        return Picked(
            self.questions[lists], self.candidates[pairs], contexts, self.labels[pairs], sizes, self.pair_lengths[pairs]
        )


def spread(starts: Indices, sizes: Indices) -> Indices:
    """start, start + 1, ... for each start, so many of them. [5, 9], [2, 3] -> [5, 6, 9, 10, 11]"""
    ends: Indices = np.cumsum(sizes)
    found: Indices = np.arange(sizes.sum()) + np.repeat(starts - (ends - sizes), sizes)
    return found


def running(sizes: Indices | NDArray[np.bool_]) -> Indices:
    """Where each of so many begins, and where the last one ends. [2, 3] -> [0, 2, 5]"""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])


class Numbering:
    """Texts in the order in which they first came."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, texts: Iterable[str]) -> list[int]:
        return [self.numbers.setdefault(text, len(self.numbers)) for text in texts]


def encode_lists(questions: Sequence[Question], tokenize: Tokenize, title: bool = False, neighbours: int = 0) -> Lists:
    """Tokenize the distinct texts of the lists, all at once.

    With `title`, a candidate's context begins with the title of its document; with `neighbours`, it holds so many
    candidates before and after it, in the order of the source.
    """
    numbering = Numbering()
    asked = numbering.of(question.text for question in questions)
    candidates = numbering.of(candidate.content for question in questions for candidate in question.candidates)
    around = [text for question in questions for text in contexts(question, title, neighbours)]
    context = numbering.of(around)
    labels = [label for question in questions for label in question.labels]
    sizes = [len(question.candidates) for question in questions]
    return Lists(
        flatten(tokenize(list(numbering.numbers))),
        np.array(asked, dtype=np.int64),
        np.array(candidates, dtype=np.int64),
        np.array(context, dtype=np.int64),
        np.array(labels, dtype=np.float32),
        running(np.array(sizes, dtype=np.int64)),
    )


def contexts(question: Question, title: bool, neighbours: int) -> list[str]:
    """What stands around each candidate; nothing at all where no context is wanted."""
    if not title and not neighbours:
        return []
    texts = [candidate.content for candidate in question.candidates]
    heading = [str(question.meta.get("title") or "")] if title else []
    return [
        " ".join([*heading, *texts[max(0, i - neighbours) : i], *texts[i + 1 : i + 1 + neighbours]]).strip()
        for i in range(len(texts))
    ]


def flatten(tokens: Sequence[Sequence[int]]) -> Texts:
    lengths = np.fromiter((len(row) for row in tokens), dtype=np.int64, count=len(tokens))
    ids = np.fromiter((token for row in tokens for token in row), dtype=np.int32, count=int(lengths.sum()))
    return Texts(ids, np.cumsum(lengths) - lengths, lengths)


def window_candidates(lists: Lists, room: Indices, overlap: int = WINDOW_OVERLAP) -> tuple[Lists, Indices]:
    """Candidates longer than their room in tokens become overlapping windows, each a candidate of its own.

    `room` is per pair, at least 1. Also returns, for each pair of the result, the pair it came from: a candidate's
    score is the best of its windows'. Windows are stretches of the same flat ids, so nothing is copied.
    """
    lengths = lists.texts.lengths[lists.candidates]
    step = room - np.minimum(overlap, room // 2)  # where there is little room, less is shared
    counts = np.where(lengths > room, 1 + -(-(lengths - room) // step), 1)
    if (counts == 1).all():
        return lists, np.arange(len(lengths))
    owner = np.repeat(np.arange(len(lengths)), counts)
    offset = spread(np.zeros(len(counts), dtype=np.int64), counts) * step[owner]
    starts = lists.texts.starts[lists.candidates][owner] + offset
    known = len(lists.texts.starts)
    texts = Texts(
        lists.texts.ids,
        np.concatenate([lists.texts.starts, starts]),
        np.concatenate([lists.texts.lengths, np.minimum(room[owner], lengths[owner] - offset)]),
    )
    return Lists(
        texts,
        lists.questions,
        known + np.arange(len(owner)),
        lists.contexts[owner] if len(lists.contexts) else lists.contexts,
        lists.labels[owner],
        running(counts)[lists.bounds],
    ), owner
