"""Lists of questions as arrays: every text is tokenized once, and a batch is a selection of numbers.

    Texts   all distinct texts as one flat array of token ids; text i is ids[starts[i] : starts[i] + lengths[i]]
    Lists   for each list its question's text and, flat over all lists, the columns of its pairs

A column is an array with a row for each text or for each pair. Pairs always have their candidate's text, its label and
its position in the source. A model's featurizer adds what else it wants to know (`Lists.add`): what is around a
candidate, the entities of a text, its vector, its tree (an array of objects will do). However pairs are chosen, their
columns come along. Nothing here is about a model: a pair model joins two texts, a siamese model reads them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.data.question import Question

Indices = NDArray[np.int64]
Columns = Mapping[str, NDArray[Any]]
Tokenize = Callable[[list[str]], Sequence[Sequence[int]]]

CANDIDATES, LABELS = "candidates", "labels"  # columns of pairs: the candidate's text, and how relevant it is;
POSITIONS = "positions"  # its place in its source list, from 0, and -1 where it was drawn from another list;
CONTEXTS = "contexts"  # the text of what is around it, where a model wants that;
COMPARED, ANSWERS = "compared", "answers"  # what it is compared by, and of an entry its answer, for who compares;
OWNERS = "owners"  # where candidates were cut into windows: the pair that each is a window of
WINDOW_OVERLAP = 32  # tokens that two windows of a long candidate share


@dataclass(frozen=True)
class Texts:
    ids: NDArray[np.int32]  # (tokens,)
    starts: Indices  # (texts,)
    lengths: Indices  # (texts,)
    strings: tuple[str, ...] = ()  # as they were tokenized; windows, which stand behind them, have none
    columns: Columns = field(default_factory=dict)  # each (texts, ...)


@dataclass(frozen=True)
class Lists:
    texts: Texts
    questions: Indices  # (lists,) texts
    bounds: Indices  # (lists + 1,)
    pairs: Columns  # each (pairs, ...)

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def candidates(self) -> Indices:
        """(pairs,) texts"""
        return self.pairs[CANDIDATES]

    @property
    def labels(self) -> NDArray[np.float32]:
        """(pairs,)"""
        return self.pairs[LABELS]

    @property
    def positions(self) -> Indices:
        """(pairs,)"""
        return self.pairs[POSITIONS]

    @cached_property
    def sizes(self) -> Indices:
        return np.diff(self.bounds)

    @cached_property
    def pair_lengths(self) -> Indices:
        """(pairs,) tokens of question, candidate and context, without what a model adds between them."""
        lengths = self.texts.lengths
        total: Indices = np.repeat(lengths[self.questions], self.sizes) + lengths[self.candidates]
        return total + lengths[self.pairs[CONTEXTS]] if CONTEXTS in self.pairs else total

    @cached_property
    def longest(self) -> Indices:
        """(lists,) the longest pair of each list; 0 for one without candidates."""
        longest, filled = np.zeros(len(self), dtype=np.int64), self.sizes > 0
        if filled.any():
            longest[filled] = np.maximum.reduceat(self.pair_lengths, self.bounds[:-1][filled])
        return longest

    def add(self, texts: Columns | None = None, pairs: Columns | None = None) -> Lists:
        """With more columns, or others of the same name."""
        given = ((texts or {}, len(self.texts.starts), "texts"), (pairs or {}, self.bounds[-1], "pairs"))
        for columns, count, what in given:
            for name, column in columns.items():
                if len(column) != count:
                    raise ValueError(f"the column {name!r} has {len(column)} rows for {count} {what}")
        known = replace(self.texts, columns={**self.texts.columns, **(texts or {})})
        return replace(self, texts=known, pairs={**self.pairs, **(pairs or {})})

    def pick(self, lists: Indices) -> Lists:
        """Some lists, whole."""
        sizes = self.sizes[lists]
        return self._take(self.questions[lists], spread(self.bounds[lists], sizes), sizes)

    def part(self, number: int, parts: int) -> Lists:
        """Every so-manieth list: one process's share of a batch."""
        return self.pick(np.arange(number, len(self), parts))

    def keep(self, wanted: NDArray[np.bool_]) -> Lists:
        """Some of the pairs, and those lists that still have any."""
        sizes = np.diff(running(wanted)[self.bounds])
        return self._take(self.questions[sizes > 0], np.flatnonzero(wanted), sizes[sizes > 0])

    def insert(self, lists: Indices, pairs: Indices, places: NDArray[np.float64]) -> Lists:
        """Candidates of other lists among those of some lists. There they are irrelevant, and have no position.

        A place is between 0, before the first, and 1, behind the last. A list's own candidates keep their order.
        """
        owner = np.repeat(np.arange(len(self)), self.sizes)
        own = (np.arange(len(owner)) - self.bounds[owner] + 0.5) / self.sizes[owner]
        order = np.lexsort((np.concatenate([own, places]), np.concatenate([owner, lists])))
        foreign = order >= len(owner)
        sizes = self.sizes + np.bincount(lists, minlength=len(self))
        taken = self._take(self.questions, np.concatenate([np.arange(len(owner)), pairs])[order], sizes)
        labels = np.where(foreign, np.float32(0), taken.labels)
        return taken.add(pairs={LABELS: labels, POSITIONS: np.where(foreign, -1, taken.positions)})

    def _take(self, questions: Indices, pairs: Indices, sizes: Indices) -> Lists:
        """Lists of any of the pairs."""
        return Lists(self.texts, questions, running(sizes), {name: row[pairs] for name, row in self.pairs.items()})


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

    def of(self, texts: Iterable[str]) -> Indices:
        found = [self.numbers.setdefault(text, len(self.numbers)) for text in texts]
        return np.array(found, dtype=np.int64)


def encode_lists(
    questions: Sequence[Question], tokenize: Tokenize, title: bool = False, neighbours: int = 0, compared: bool = False
) -> Lists:
    """Tokenize the distinct texts of the lists, all at once.

    With `title`, a candidate's context begins with the title of its document; with `neighbours`, it holds so many
    candidates before and after it, in the order of the source. `compared` adds what candidates are compared by.
    """
    numbering = Numbering()
    asked = numbering.of(question.text for question in questions)
    sizes = np.array([len(question.candidates) for question in questions], dtype=np.int64)
    pairs: dict[str, NDArray[Any]] = {
        CANDIDATES: numbering.of(candidate.content for question in questions for candidate in question.candidates),
        LABELS: np.array([label for question in questions for label in question.labels], dtype=np.float32),
        POSITIONS: np.array([place for question in questions for place in places(question)], dtype=np.int64),
    }
    if title or neighbours:
        around = (text for question in questions for text in contexts(question, title, neighbours))
        pairs[CONTEXTS] = numbering.of(around)
    if compared:
        everyone = [candidate for question in questions for candidate in question.candidates]
        pairs[COMPARED] = numbering.of(candidate.compared for candidate in everyone)
        pairs[ANSWERS] = numbering.of(one.text if one.question else one.content for one in everyone)
    return Lists(flatten(tokenize(list(numbering.numbers)), tuple(numbering.numbers)), asked, running(sizes), pairs)


def places(question: Question) -> list[int]:
    """Where its candidates stand: in the order in which they are given, unless they say."""
    return [number if one.place is None else one.place for number, one in enumerate(question.candidates)]


def contexts(question: Question, title: bool, neighbours: int) -> list[str]:
    """What stands around each candidate."""
    texts = [candidate.content for candidate in question.candidates]
    heading = [str(question.meta.get("title") or "")] if title else []
    return [
        " ".join([*heading, *texts[max(0, i - neighbours) : i], *texts[i + 1 : i + 1 + neighbours]]).strip()
        for i in range(len(texts))
    ]


def flatten(tokens: Sequence[Sequence[int]], strings: tuple[str, ...] = ()) -> Texts:
    lengths = np.fromiter((len(row) for row in tokens), dtype=np.int64, count=len(tokens))
    ids = np.fromiter((token for row in tokens for token in row), dtype=np.int32, count=int(lengths.sum()))
    return Texts(ids, np.cumsum(lengths) - lengths, lengths, strings)


def window_candidates(lists: Lists, room: Indices, overlap: int = WINDOW_OVERLAP) -> tuple[Lists, Indices]:
    """Candidates longer than their room in tokens become overlapping windows, each a candidate of its own.

    `room` is per pair, at least 1. Also returns, for each pair of the result, the pair it came from, whose columns and
    whose text's columns it has. Windows are stretches of the same flat ids, so no token is copied.
    """
    lengths = lists.texts.lengths[lists.candidates]
    step = room - np.minimum(overlap, room // 2)  # where there is little room, less is shared
    counts = np.where(lengths > room, 1 + -(-(lengths - room) // step), 1)
    if (counts == 1).all():
        return lists, np.arange(len(lengths))
    owner = np.repeat(np.arange(len(lengths)), counts)
    offset = spread(np.zeros_like(counts), counts) * step[owner]
    texts = add_stretches(
        lists.texts, lists.candidates[owner], offset, np.minimum(room[owner], lengths[owner] - offset)
    )
    windowed = lists._take(lists.questions, owner, np.diff(running(counts)[lists.bounds]))
    numbers = len(lists.texts.starts) + np.arange(len(owner))
    return replace(windowed, texts=texts).add(pairs={CANDIDATES: numbers, OWNERS: owner}), owner


def add_stretches(texts: Texts, whole: Indices, offset: Indices, lengths: Indices) -> Texts:
    """Parts of some of the texts behind all of them, each with the columns of the whole."""
    return replace(
        texts,
        starts=np.concatenate([texts.starts, texts.starts[whole] + offset]),
        lengths=np.concatenate([texts.lengths, lengths]),
        columns={name: np.concatenate([column, column[whole]]) for name, column in texts.columns.items()},
    )


def best_window(scores: NDArray[np.float64], owner: Indices, count: int) -> NDArray[np.float64]:
    """The highest score of each candidate's windows. (windows,) -> (count,)"""
    best = np.full(count, -np.inf)
    np.maximum.at(best, owner, scores)
    return best
