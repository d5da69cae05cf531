"""What every model is to the rest of the house: something that scores whole lists, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from anselm.data.question import Question

T = TypeVar("T")
Scores = NDArray[np.float64]
Progress = Callable[[Iterable[Question]], Iterable[Question]]  # passes the questions on, and shows that it does

BATCH = 64  # lists: enough for a model to put batches together, few enough for progress to move


@dataclass(frozen=True)
class Perspective:
    """A graph over the candidates of one list, as a model sees them."""

    name: str
    about: str  # what an edge says: "share an entity"
    edges: NDArray[np.float64]  # (n, n), 0 where there is none; what a candidate takes from others stands in its row
    notes: Mapping[tuple[int, int], str] = field(default_factory=dict)  # of edges i < j: "henry cavill"


@dataclass(frozen=True)
class Constituent:
    """A constituent with its children, or a part of speech with its word, as a model read them.

    `share` is how much of what the whole text drew on came from here: 1 at the root, of which its start and its end
    take a part; what a constituent has is passed on to its children as it attends to them.
    """

    label: str
    share: float
    children: tuple[Constituent, ...] = ()
    word: str = ""

    def walk(self) -> Iterator[tuple[Constituent, int]]:
        """Every one of it with its level, parents before their children and from left to right."""
        waiting = [(self, 0)]
        while waiting:
            one, level = waiting.pop()
            yield one, level
            waiting.extend((child, level + 1) for child in reversed(one.children))


@dataclass(frozen=True)
class AttendedPair:
    """The trees of a question and of one of its candidates."""

    question: Constituent
    candidate: Constituent


@dataclass(frozen=True)
class Figure:
    """Something to look at: what a model made of a list on its way to the scores."""

    name: str  # "graphs", "trees"
    title: str
    svg: str  # of attributes alone, without styles and scripts, so that it may stand in any page
    sentences: tuple[str, ...]  # the same in words, for who does not see it
    values: Mapping[str, Any]  # the same for programs, as JSON has it


class Gauge(Protocol):
    """How long texts are to a model."""

    @property
    def window(self) -> int | None:
        """The most of question and candidate together that it reads at once; None: all."""
        ...

    @property
    def asked(self) -> int | None:
        """The most of a question that it reads beside a candidate; None: all."""
        ...

    def lengths(self, texts: Sequence[str]) -> list[int]: ...

    def room(self, asked: int) -> float:
        """The most of a candidate that is read at once beside a question of this length."""
        ...

    def cut(self, text: str, limit: int) -> str:
        """A text up to this length."""
        ...


class Scorer(Protocol):
    """One score per candidate, higher is better, each list on its own.

    abilities.py has what some can do besides.
    """

    name: str
    capacity: int | None  # a list longer than this passes a lexical first pass when documents are asked; None: any
    pairwise: bool  # a score depends on the question and its candidate alone, not on the rest of the list
    language: str | None  # that it reads; None where it was made for none, or nobody knows

    def score(self, questions: Sequence[Question]) -> list[Scores]: ...

    def save(self, folder: Path) -> None:
        """Write what `load` of the model's file needs into a folder that exists."""
        ...


def silent(questions: Iterable[Question]) -> Iterable[Question]:
    return questions


def score_lists(scorer: Scorer, questions: Iterable[Question], progress: Progress = silent) -> list[Scores]:
    """One row of scores per question."""
    return [row for batch in batched(progress(questions), at_once(scorer)) for row in scorer.score(batch)]


def at_once(scorer: Scorer) -> int:
    """How many lists to give it."""
    return int(getattr(scorer, "lists_at_once", BATCH))


def batched(values: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """Lists of so many, and what remains."""
    source = iter(values)
    while batch := list(islice(source, size)):
        yield batch
