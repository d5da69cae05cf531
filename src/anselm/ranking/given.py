"""What a ranker is given: questions, candidates as people have them, and numbers, each checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any

from anselm.data.formats.records import check_question, check_rankable
from anselm.data.objects import candidate_from_object
from anselm.data.question import Candidate, Question
from anselm.errors import InputError


def list_candidates(candidates: Iterable[Any]) -> list[Any]:
    if isinstance(candidates, str | Candidate | Mapping) or not isinstance(candidates, Iterable):
        raise InputError(f"candidates must be a list of texts, not one {type(candidates).__name__}")
    return list(candidates)


def listed_all(name: str, values: Iterable[Any]) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a list, not one {type(values).__name__}")
    return list(values)


def make_question(id: str, text: str, given: Sequence[Any]) -> Question:
    found = [candidate_from_object(value, position) for position, value in enumerate(given)]
    return Question(id, check_question(text), check_rankable(found))


def make_questions(asked: Sequence[str], lists: Sequence[Iterable[Any]]) -> Iterator[tuple[Question, list[Any]]]:
    """Each question with what was given for it, which may be nothing: of many searches one comes back empty."""
    for place, (text, candidates) in enumerate(zip(asked, lists, strict=True)):
        try:
            given = list_candidates(candidates)
            question = make_question(str(place), text, given) if given else Question("", check_question(text), ())
        except InputError as error:
            raise InputError(f"list {place}: {error}") from None
        yield question, given


def check_questions(questions: Iterable[str]) -> list[str]:
    """Errors say which one it is."""
    asked = listed_all("questions", questions)
    for place, text in enumerate(asked):
        try:
            check_question(text)
        except InputError as error:
            raise InputError(f"question {place}: {error}") from None
    return asked


def check_count(name: str, value: int | None) -> None:
    """A whole number from 1 on, where there is one."""
    if value is None:
        return
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise InputError(f"{name} must be a whole number, not {value!r:.60}")
    if value < 1:
        raise InputError(f"{name} must be at least 1, not {value}")
