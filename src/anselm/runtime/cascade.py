"""Two rankers in a row: the default one reads all candidates, and a larger one those that may still matter.

The larger one reads the first so many by the score of the first ranker. What the others would have got from it is
estimated by a line, fitted on lists that both have read, and they stay below all that were read, in the order of the
first ranker:

    unread = min(alpha + beta first, the lowest score that was read)

A list that the larger one reads whole costs nothing beside it, and its scores are the larger one's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.abilities import gauge_of
from anselm.checkpoints.blend import read_blend
from anselm.checkpoints.catalogue import DEFAULT, SHIPPED
from anselm.checkpoints.checkpoint import Checkpoint
from anselm.data.question import Question
from anselm.runtime import blended
from anselm.runtime.blended import Blended, Open
from anselm.runtime.vector_store import Numbers
from anselm.scorer import Gauge, Scorer, Scores

Line = tuple[float, float]  # alpha, beta
Turn = tuple[Scores, NDArray[np.bool_]]  # of a list: its scores, and which candidates the larger one read
STEP = 1e-6  # between the scores of two that were not read and would be equal


@dataclass(frozen=True)
class Settings:
    """The rule: `read` candidates of a list; `texts` and `entries` are the lines of either kind."""

    read: int
    texts: Line
    entries: Line

    def score(self, first: Scorer, second: Scorer, questions: Sequence[Question]) -> list[Turn]:
        """The scores of each list, and which of its candidates the second read."""
        long = [place for place, question in enumerate(questions) if len(question.candidates) > self.read]
        rough = dict(zip(long, first.score([questions[place] for place in long]), strict=True))
        chosen = {place: choose(row, self.read) for place, row in rough.items()}
        read = [pick(one, chosen[place]) if place in chosen else one for place, one in enumerate(questions)]
        found = second.score(read)
        return [
            join(self._expected(question, rough[place]), chosen[place], row)
            if place in chosen
            else (row, np.ones(len(row), dtype=bool))
            for place, (question, row) in enumerate(zip(questions, found, strict=True))
        ]

    def _expected(self, question: Question, first: Scores) -> Scores:
        """What the larger one would give, about."""
        entry = np.array([bool(candidate.question) for candidate in question.candidates])
        lines = np.where(entry[:, None], self.entries, self.texts)  # (candidates, 2)
        return np.asarray(lines[:, 0] + lines[:, 1] * first)

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> Settings:
        record: Any = checkpoint.record.get("cascade")
        if not isinstance(record, Mapping) or type(read := record.get("read")) is not int or read < 1:
            raise checkpoint.refusal('"cascade" must be an object whose "read" is a whole number from 1 on')
        return cls(read, *(_line(checkpoint, record, kind) for kind in ("texts", "entries")))


def _line(checkpoint: Checkpoint, record: Mapping[str, Any], kind: str) -> Line:
    try:
        return read_blend(kind, record.get(kind))
    except ValueError as error:
        raise checkpoint.refusal(f'"cascade": {error}') from None


class Cascade:
    """`first` reads all, `second` some."""

    capacity: int | None = 200
    pairwise = False  # what is read depends on the rest of the list
    language: str | None = "English"

    def __init__(self, first: Blended, second: Blended, settings: Settings) -> None:
        self.name, self.first, self.second, self.settings = second.name, first, second, settings

    @property
    def lists_at_once(self) -> int:
        return self.second.lists_at_once

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [scores for scores, _ in self.score_in_turn(questions)]

    def score_in_turn(self, questions: Sequence[Question]) -> list[Turn]:
        return self.settings.score(self.first, self.second, questions)

    def stages(self) -> tuple[Settings, tuple[Blended, Blended]]:
        return self.settings, (self.first, self.second)

    def settled(self, question: Question) -> Blended:
        """What explains a score: the larger one, which scores each pair by itself."""
        return self.second

    def text_vectors(self, texts: list[str]) -> Numbers:
        """The first one's, which are made much faster."""
        return self.first.text_vectors(texts)

    @property
    def text_fingerprint(self) -> str:
        return self.first.text_fingerprint

    @property
    def texts_at_once(self) -> int:
        return self.first.texts_at_once

    def computes_on(self) -> tuple[str, int]:
        return self.second.computes_on()

    def gauge(self) -> Gauge:
        """The larger one's; the first one has the same window."""
        return gauge_of(self.second)

    def save(self, folder: Path) -> None:
        self.second.save(folder)


def choose(first: Scores, count: int) -> NDArray[np.intp]:
    """The places of the best, in the order of the list."""
    return np.sort(np.argsort(-first, kind="stable")[:count])


def pick(question: Question, places: NDArray[np.intp]) -> Question:
    return replace(question, candidates=tuple(question.candidates[place] for place in places))


def join(expected: Scores, places: NDArray[np.intp], read: Scores) -> tuple[Scores, NDArray[np.bool_]]:
    """All scores of a list: those that were read, and below them the others."""
    seen = np.zeros(len(expected), dtype=bool)
    seen[places] = True
    scores = np.minimum(expected, read.min() - STEP)
    order = np.argsort(-np.where(seen, -np.inf, expected), kind="stable")[: len(expected) - len(places)]
    scores[order] -= STEP * np.arange(len(order))  # where both are cut off, the order stays
    scores[places] = read
    return scores, seen


def load(checkpoint: Checkpoint, threads: int | None = None, open_graphs: Open | None = None) -> Cascade:
    settings = Settings.of(checkpoint)
    first = blended.load(Checkpoint.open(SHIPPED / DEFAULT), threads, open_graphs)
    return Cascade(first, blended.load(checkpoint, threads, open_graphs), settings)
