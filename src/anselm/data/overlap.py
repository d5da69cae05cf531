"""Does the training data repeat questions that it will be measured on? Said before training, not found out after."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from anselm.data.question import Question
from anselm.text.tokens import words


@dataclass(frozen=True)
class Overlap:
    """Training questions that also occur, with the same words, in another set."""

    name: str
    questions: int
    example: str

    def __str__(self) -> str:
        return f"{self.questions:,} training questions are also in {self.name}, such as {self.example!r}"


def find_overlap(training: Iterable[Question], name: str, measured: Iterable[Question]) -> Overlap | None:
    """By the words alone: case, punctuation and spacing do not make a question another one."""
    known = {_key(question) for question in measured}
    shared = [question.text for question in training if _key(question) in known]
    return Overlap(name, len(shared), shared[0]) if shared else None


def _key(question: Question) -> str:
    return " ".join(words(question.text))
