"""What some models can do besides scoring lists. Whoever needs it asks with isinstance, or does without.

Two are no methods: `exports_to: str | None`, the runtime that can run a model without torch, and `lists_at_once: int`,
where more than BATCH keep it busy. A torch module can besides be moved to what torch computes on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from anselm.data.question import Question
from anselm.scorer import AttendedPair, Figure, Gauge, Perspective, Scorer, Scores

Numbers = NDArray[np.float64]
_WORD = re.compile(r"\S+")


@runtime_checkable
class Computes(Protocol):
    def computes_on(self) -> tuple[str, int]:
        """The engine, and how many threads it has."""
        ...


@runtime_checkable
class Measures(Protocol):
    def gauge(self) -> Gauge:
        """How it counts texts, and how much of them it reads at once."""
        ...


@runtime_checkable
class Cuts(Protocol):
    def question_cut(self, question: str) -> int | None:
        """How many characters of a question that it has scored were read, if not all."""
        ...


@runtime_checkable
class Encodes(Protocol):
    def text_vectors(self, texts: list[str]) -> Numbers:
        """Unit vectors, by which similar texts are known. (texts, width)"""
        ...


@runtime_checkable
class Settles(Protocol):
    def settled(self, question: Question) -> Scorer:
        """The same scorer, without what it takes from the rest of a list."""
        ...


@runtime_checkable
class TakesTurns(Protocol):
    def score_in_turn(self, questions: Sequence[Question]) -> list[tuple[Scores, NDArray[np.bool_]]]:
        """For each list its scores, and which candidates the larger of two models read."""
        ...


@runtime_checkable
class HasStages(Protocol):
    def stages(self) -> tuple[Any, Sequence[Scorer]]:
        """The rule for that, and both models, for who has them elsewhere: rule.score(*models, questions)."""
        ...


@runtime_checkable
class Represents(Protocol):
    def representations(self, questions: Sequence[Question]) -> list[Numbers]:
        """For each list what its scores are read off. (candidates, width)"""
        ...


@runtime_checkable
class Relates(Protocol):
    def relations(self, question: Question) -> Sequence[Perspective]:
        """The graphs through which the candidates of a list see each other."""
        ...


@runtime_checkable
class Attends(Protocol):
    def attended(self, question: Question, chosen: Sequence[int]) -> Sequence[AttendedPair]:
        """The trees of the question and of some candidates, and what drew attention there."""
        ...


@runtime_checkable
class Shows(Protocol):
    def figures(self, question: Question, place: int) -> Sequence[Figure]:
        """What it saw else, of the candidate at this place above all."""
        ...


class WordGauge:
    """Of a model that has no tokens of its own, and reads texts of any length."""

    window = None
    asked = None

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def room(self, asked: int) -> float:
        return math.inf

    def cut(self, text: str, limit: int) -> str:
        ends = [match.end() for match in _WORD.finditer(text)]
        return text[: ends[limit - 1]] if len(ends) > limit else text


def computes_on(scorer: Scorer) -> tuple[str, int]:
    """What computes its scores, and with how many threads."""
    return scorer.computes_on() if isinstance(scorer, Computes) else ("python", 1)


def gauge_of(scorer: Scorer) -> Gauge:
    """How it counts texts: in words, where it does not say."""
    return scorer.gauge() if isinstance(scorer, Measures) else WordGauge()
