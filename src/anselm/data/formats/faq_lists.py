"""A FAQ as labelled lists, to train, calibrate and evaluate on: each question with the answers of all."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from anselm.data.formats.faqs import read_entries
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError
from anselm.files import open_binary
from anselm.outputs import is_stream
from anselm.text.kinds import SHEETS, TABLES, suffix

MAX_CANDIDATES = 50
_BEGINNING = 100_000  # bytes
_OTHER = re.compile(rb'\A[^\n]*\blabel\b|"candidates"|"paragraphs"', re.IGNORECASE)  # labelled pairs, lists, SQuAD


def read_faq(path: Path, columns: Mapping[str, str] | None = None) -> Iterator[Question]:
    entries = read_entries(path, columns)
    if len({_key(entry.question) for entry in entries if entry.question}) < 2:
        raise FormatError(path, "lists are made of a FAQ's questions, each with the answers of all; two are needed")
    yield from faq_lists(entries)


def is_faq(path: Path) -> bool:
    """Whether a table is a FAQ: questions and answers without labels, most questions there once.

    Where questions come again, their rows are lists of candidates that nobody has judged. A pipe, which is read but
    once, is what its name says.
    """
    if suffix(path) not in TABLES or is_stream(path):
        return False
    try:
        with open_binary(path) as file:
            if suffix(path) not in SHEETS and _OTHER.search(file.read(_BEGINNING)):
                return False
        entries = read_entries(path, skip=lambda error: None)
    except (
        InputError,
        OSError,
        EOFError,
        zlib.error,
    ):  # the reader of the format that it is then taken for says what is wrong
        return False
    asked = {_key(entry.question) for entry in entries if entry.question}
    return len(asked) * 2 > len(entries) and all(entry.label is None for entry in entries)


def faq_lists(entries: Sequence[Candidate]) -> list[Question]:
    """Each question once, with the answers of all entries, or a sample of them, in the order of the FAQ.

    Its own answer is right, and so is that of every entry with the same question, and the same text further down; the
    candidates do not say which question they were filed under. The sample depends on the question alone.
    """
    answers: dict[str, Candidate] = {}
    right: dict[str, set[str]] = {}
    questions: dict[str, tuple[str, str]] = {}
    given = all(entry.id for entry in entries)  # where only some have one, a position could be another's
    for position, entry in enumerate(entries):
        if entry.text.strip():
            id = entry.id if given else str(position)
            answers.setdefault(_key(entry.text), Candidate(id, entry.text))
            if key := _key(entry.question):
                right.setdefault(key, set()).add(_key(entry.text))
                questions.setdefault(key, (id, entry.question))
    return [Question(id, text, _sample(answers, right[key], key)) for key, (id, text) in questions.items()]


def _sample(answers: dict[str, Candidate], right: set[str], seed: str) -> tuple[Candidate, ...]:
    others = [key for key in answers if key not in right]
    room = max(MAX_CANDIDATES - len(right), 0)
    kept = right.union(others if len(others) <= room else Random(seed).sample(others, room))
    return tuple(
        Candidate(answer.id, answer.text, float(key in right)) for key, answer in answers.items() if key in kept
    )


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
