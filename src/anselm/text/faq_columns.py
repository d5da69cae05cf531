"""From the rows of a table, or the records of JSON, to the entries of a FAQ: columns are known by their names.

So are those of a log, the questions that people ask beside a FAQ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anselm.errors import FormatError, InputError
from anselm.text.column_names import BESIDE, KNOWN, LOG_NAMES, NAMES, SAID_OF_LOGS
from anselm.text.faq import Entry, Skip


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


def parse_columns(option: str, of_log: Sequence[str] = ()) -> dict[str, str]:
    """What the columns are called, from `question=Q,answer=A,id=Nr`; `of_log` are roles of a log that may be named."""
    roles = (*NAMES, *of_log)
    named: dict[str, str] = {}
    for part in option.split(","):
        role, _, name = (side.strip() for side in part.partition("="))
        if role not in roles or not name:
            alone = not of_log and role in SAID_OF_LOGS
            beside = "; that is for questions beside --faq or in --questions" if alone else ""
            taken = ",".join(f"{role}=NAME" for role in roles)
            raise InputError(f"--columns takes {taken}, or some of them, not {part!r}{beside}")
        if role in named:
            raise InputError(f"--columns names the {role} twice: {named[role]!r} and {name!r}")
        named[role] = name
    for part_of in split_columns(named):
        check_columns(part_of, roles)
    return named


def split_columns(named: Mapping[str, str] | None) -> tuple[dict[str, str], dict[str, str]]:
    """Those of a FAQ, and those of the log beside it."""
    if not isinstance(named, Mapping):
        check_columns(named)
        return {}, {}
    given = dict(named)
    of_log = {role: given.pop(role) for role in SAID_OF_LOGS if role in given}
    return given, of_log


def check_columns(named: Mapping[str, str] | None, known: Sequence[str] = tuple(NAMES)) -> None:
    """That each role is known, and each column has one of them."""
    if named is None:
        return
    if not isinstance(named, Mapping) or not all(role in known for role in named):
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
    found = find_roles(names, tuple(NAMES), named, place)
    if (answer := found["answer"]) is None:
        lists = "; lists with candidates are for --input" if "candidates" in names else ""
        raise FormatError(place, f"no column of answers; {_there(names, 'answer')}{lists}")
    return Columns(answer, found["question"], found["id"])


def find_roles(
    names: Sequence[str], roles: Sequence[str], named: Mapping[str, str], place: object
) -> dict[str, str | None]:
    """The column of each role, the surest first; None where there is none."""
    found: dict[str, str | None] = {role: _named(names, role, name, place) for role, name in named.items()}
    for role in roles:
        if role not in found:
            found[role] = _usual([name for name in names if name not in found.values()], role, place)
    return found


def _named(names: Sequence[str], role: str, name: str, place: object) -> str:
    same = [column for column in names if column == name] or [column for column in names if _key(column) == _key(name)]
    if len(same) != 1:
        problem = f"{len(same)} columns are named" if same else "no column is named"
        raise FormatError(place, f"{problem} {name!r}; {_there(names, role)}")
    return same[0]


def _usual(names: Sequence[str], role: str, place: object) -> str | None:
    for form in _forms(role):
        keys = [form(name) for name in names]
        for usual in KNOWN[role]:
            if keys.count(usual) > 1:
                raise FormatError(place, f"two columns are named {usual!r}; {_there(names, role)}")
            if usual in keys:
                return names[keys.index(usual)]
    return None


def knows_columns(names: Sequence[str], *roles: str) -> bool:
    """Whether there is a column of the usual names for each of the roles."""
    return all(any({form(name) for name in names} & set(KNOWN[role]) for form in _forms(role)) for role in roles)


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
    return (_key,) if role in ("id", "log id") else (_key, _bare)


def _bare(name: str) -> str:
    """A name without the words that may stand beside one that is known."""
    return " ".join(word for word in _key(name).split() if word not in BESIDE)


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip() or name.strip()


def _there(names: Sequence[str], role: str) -> str:
    columns = ", ".join(f"{name!r:.60}" for name in names[:20])
    said = f"there is {columns or 'none'}"
    if role in LOG_NAMES:
        return f"{said} (say --columns {role}=NAME)" if role in SAID_OF_LOGS else said
    return f"{said} ({say_columns(role)})"


def no_log_column(names: Sequence[str], role: str) -> str:
    """What is wrong with a log without it."""
    return f"no column of {'questions' if role == 'asked' else 'right entries'}; {_there(names, role)}"


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
