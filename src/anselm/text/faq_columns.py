"""From the rows of a table, or the records of JSON, to the entries of a FAQ: columns are known by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anselm.errors import FormatError, InputError
from anselm.text.faq import Entry, Skip

# What people call them, the surest first; case, blanks and underscores do not count.
NAMES = {
    "question": """
        question, questions, q, faq question, question text, frage, fragen, query, prompt, title, heading, headline,
        subject, summary, topic
    """,
    "answer": """
        answer, answers, a, faq answer, answer text, antwort, antworten, response, reply, solution, resolution, text,
        content, page content, passage, body, sentence, candidate, description
    """,
    "id": """
        id, key, nr, no, number, num, uid, uuid, #, faq id, entry id, answer id, candidate id, passage id, doc id, docid
    """,
}
_KNOWN = {role: [name.strip() for name in names.split(",")] for role, names in NAMES.items()}
# With one of these words that of questions or answers is still known: "Question (EN)"; "Answer count" is another thing.
_WORDS_BESIDE = """
    en de fr es it nl english german french spanish deutsch text html body full final official approved accepted public
    customer user client agent our your the standard suggested
"""
_BESIDE = set(_WORDS_BESIDE.split())


@dataclass(frozen=True)
class Row:
    """A row of a table or a record of JSON: its values by column, where each stands in the text, and its line."""

    values: Mapping[str, Any]
    spans: Mapping[str, tuple[int, int]]
    line: int


@dataclass(frozen=True)
class Columns:
    """Which column holds what."""

    answer: str
    question: str | None = None
    id: str | None = None


class _EntryError(InputError):
    """What is wrong with a row; the file and the line are added."""


def parse_columns(option: str) -> dict[str, str]:
    """What the columns are called, from `question=Q,answer=A,id=Nr`."""
    named: dict[str, str] = {}
    for part in option.split(","):
        role, _, name = (side.strip() for side in part.partition("="))
        if role not in NAMES or not name:
            raise InputError(f"--columns takes question=NAME,answer=NAME,id=NAME, or some of them, not {part!r}")
        if role in named:
            raise InputError(f"--columns names the {role} twice: {named[role]!r} and {name!r}")
        named[role] = name
    check_columns(named)
    return named


def check_columns(named: Mapping[str, str] | None) -> None:
    """That each role is known, and each column has one of them."""
    if named is None:
        return
    if not isinstance(named, Mapping) or not all(role in NAMES for role in named):
        raise InputError(f"columns must be like {{'question': 'Q', 'answer': 'A', 'id': 'Nr'}}, not {named!r:.60}")
    roles: dict[str, str] = {}
    for role, name in named.items():
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"the column of the {role} must be a name, not {name!r:.60}")
        if name in roles:
            raise InputError(f"the column {name!r} cannot be both the {roles[name]} and the {role}")
        roles[name] = role


def find_columns(names: Sequence[str], named: Mapping[str, str], place: object) -> Columns:
    """The columns by role: as the user has named them, or else by what people usually call them."""
    found: dict[str, str | None] = {role: _named(names, role, name, place) for role, name in named.items()}
    for role in NAMES:
        if role not in found:
            found[role] = _usual([name for name in names if name not in found.values()], role, place)
    if (answer := found["answer"]) is None:
        lists = "; lists with candidates are for --input" if "candidates" in names else ""
        raise FormatError(place, f"no column of answers; {_there(names, 'answer')}{lists}")
    return Columns(answer, found["question"], found["id"])


def _named(names: Sequence[str], role: str, name: str, place: object) -> str:
    same = [column for column in names if column == name] or [column for column in names if _key(column) == _key(name)]
    if len(same) != 1:
        problem = f"{len(same)} columns are named" if same else "no column is named"
        raise FormatError(place, f"{problem} {name!r}; {_there(names, role)}")
    return same[0]


def _usual(names: Sequence[str], role: str, place: object) -> str | None:
    for form in _forms(role):
        keys = [form(name) for name in names]
        for usual in _KNOWN[role]:
            if keys.count(usual) > 1:
                raise FormatError(place, f"two columns are named {usual!r}; {_there(names, role)}")
            if usual in keys:
                return names[keys.index(usual)]
    return None


def knows_columns(names: Sequence[str], *roles: str) -> bool:
    """Whether there is a column of the usual names for each of the roles."""
    return all(any({form(name) for name in names} & set(_KNOWN[role]) for form in _forms(role)) for role in roles)


def names_columns(names: Sequence[str], named: Mapping[str, str], *roles: str) -> bool:
    """Whether all columns are there that the user has named; where none were, usual names for each of the roles."""
    if named:
        there = {_key(name) for name in named.values()} <= {_key(name) for name in names}
        return there and ("answer" in named or knows_columns(names, "answer"))
    return knows_columns(names, *roles)


def are_numbers(named: Mapping[str, str]) -> bool:
    """Whether the user has named columns by their numbers, since no header does."""
    return bool(named) and all(name.isdecimal() for name in named.values())


def _forms(role: str) -> Sequence[Callable[[str], str]]:
    """In which a name may be known, the surest first. "Customer ID" is the customer's, who may ask more than once."""
    return (_key,) if role == "id" else (_key, _bare)


def _bare(name: str) -> str:
    """A name without the words that may stand beside one that is known."""
    return " ".join(word for word in _key(name).split() if word not in _BESIDE)


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip() or name.strip()


def _there(names: Sequence[str], role: str) -> str:
    columns = ", ".join(f"{name!r:.60}" for name in names[:20])
    return f"there is {columns or 'none'} ({say_columns(role)})"


def say_columns(role: str) -> str:
    return f'say --columns {role}=NAME; in Python and over HTTP, columns is {{"{role}": "NAME"}}'


def entries_from_rows(
    rows: Iterable[Row], names: Sequence[str], named: Mapping[str, str], place: object, skip: Skip
) -> Iterator[Entry]:
    """An entry for each row that has something to say; ids must differ."""
    columns = find_columns(names, named, place)
    lines: dict[str, int] = {}  # by id
    for row in rows:
        try:
            entry = _entry(row, columns)
            if entry is not None and entry.id in lines:
                raise _EntryError(f"the id {entry.id!r} was used on line {lines[entry.id]} already")
        except _EntryError as error:
            skip(FormatError(place, str(error), row.line))
            continue
        if entry is not None:
            if entry.id:
                lines[entry.id] = row.line
            yield entry


def _entry(row: Row, columns: Columns) -> Entry | None:
    """None for an empty row; a row with an id may lack its answer, so that every id that was given comes back."""
    if all(value is None or not str(value).strip() for value in row.values.values()):
        return None
    answer, id = _text(row, columns.answer, "answer"), _id(row, columns.id)
    question = _text(row, columns.question, "question").strip() if columns.question else ""
    if not answer.strip():
        if not id or (columns.question and not question):
            raise _EntryError(f"there is no answer in the column {columns.answer!r}")
        answer = ""
    own = (columns.answer, columns.question, columns.id)
    meta = {name: value for name, value in row.values.items() if name not in own}
    start, end = row.spans.get(columns.answer, (0, 0))
    return Entry(question, answer, start, end, row.line, id, meta)


def _text(row: Row, column: str, role: str) -> str:
    value = row.values.get(column)
    if value is not None and not isinstance(value, str):
        raise _EntryError(f"the {role} must be a text, not {value!r:.60}")
    return value or ""


def _id(row: Row, column: str | None) -> str:
    value = row.values.get(column) if column else None
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        raise _EntryError(f"an id must be a string or a whole number, not {value!r:.60}")
    return "" if value is None else str(value).strip()
