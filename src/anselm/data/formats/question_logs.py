"""Logs of questions, as people ask them: one on each line of a text, or a table or JSONL with a column of questions.

Columns are known by their names (text/faq_columns.py), and may say which entries of a FAQ are right:

    asked,right
    what do i pay if i am late,late
    do you sell bicycles,
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anselm.data.formats.delimited import separated_rows, sheet_rows, tsv_rows
from anselm.data.formats.jsonl import parse_record
from anselm.data.formats.records import RecordError, as_id, check_question
from anselm.errors import FormatError, InputError
from anselm.files import STDIN, Skip, decode_lines, open_stdin, pass_over, read_lines
from anselm.outputs import STANDARD
from anselm.text.faq_columns import check_columns, find_roles, no_log_column
from anselm.text.kinds import KINDS, SHEETS, suffix

ROWS = {"csv": separated_rows, "tsv": tsv_rows} | dict.fromkeys(SHEETS.values(), sheet_rows)
ROLES = ("asked", "right", "log id")
READ = ".txt (a question on each line), .csv, .tsv, .xlsx, .ods or .jsonl"

Record = Mapping[str, Any]
Records = Iterable[tuple[int, Record]]  # line, values by column


@dataclass(frozen=True)
class Logged:
    """A question with the line it stands on, its id, which may be that line, and what it says is right."""

    line: int
    id: str
    question: str
    right: tuple[str, ...] = ()


def read_log(
    path: Path, columns: Mapping[str, str] | None = None, skip: Skip | None = None, *, judged: bool = False
) -> Iterator[Logged]:
    """The questions of a file; `-` is standard input, lines or JSONL.

    `columns` says how those of the log are called: {"asked": "Q", "right": "Entry"}. `skip` is told of each line that
    cannot be used, and it is passed over; without it the first is an error. Where the log is to be `judged` there must
    be a column of what is right, and a file whose name says nothing is CSV.
    """
    check_columns(columns, ROLES)
    place = place_of(path)
    names, records = _records(path, skip, judged)
    found = find_roles(names, ROLES if judged else (ROLES[0], ROLES[2]), columns or {}, place)
    for role in ROLES[: 1 + judged]:
        if found[role] is None:
            raise FormatError(place, no_log_column(names, role), 1)
    for line, record in records:
        try:
            yield _logged(line, record, found)
        except RecordError as error:
            pass_over(FormatError(place, str(error), line), skip)


def place_of(path: Path) -> object:
    """What errors call it."""
    return STDIN if str(path) == STANDARD else path


def log_columns(path: Path) -> Sequence[str]:
    """What the columns are called, of a log that is to be judged."""
    return _records(path, lambda error: None, judged=True)[0]


def _logged(line: int, record: Record, columns: Mapping[str, str | None]) -> Logged:
    asked, right, id = (record.get(name) if (name := columns.get(role)) else None for role in ROLES)
    given = right if isinstance(right, list) else [right]
    parts = [as_id(one, "").strip() for one in given]
    return Logged(line, as_id(id, "").strip() or f"{line}", check_question(asked), tuple(filter(None, parts)))


def _records(path: Path, skip: Skip | None, judged: bool) -> tuple[Sequence[str], Records]:
    """The names of the columns, and what stands in them."""
    kind = KINDS.get(suffix(path), "text")
    if kind in ROWS or (judged and kind == "text"):
        return _rows(path, ROWS.get(kind, separated_rows)(path), skip)
    if kind not in ("text", "jsonl"):
        raise InputError(f"{path} cannot be read as questions: {suffix(path)} is not one of {READ}")
    lines = decode_lines(open_stdin(), STDIN, skip) if str(path) == STANDARD else read_lines(path, skip)
    filled = [(number, line) for number, line in lines if line.strip()]
    if kind == "jsonl" or (str(path) == STANDARD and filled and filled[0][1].lstrip().startswith("{")):
        return _json(place_of(path), filled, skip)
    return ("asked",), [(number, {"asked": line.strip()}) for number, line in filled]


def _rows(path: Path, rows: Iterator[tuple[int, list[str]]], skip: Skip | None) -> tuple[Sequence[str], Records]:
    _, header = next(rows, (0, []))
    names = [name.strip() for name in header]

    def records() -> Iterator[tuple[int, Record]]:
        for number, row in rows:
            if len(row) == len(names) and any(cell.strip() for cell in row):
                yield number, dict(zip(names, row, strict=True))
            elif any(cell.strip() for cell in row):
                problem = f"{len(row)} cells where the header has {len(names)}"
                pass_over(FormatError(path, problem, number), skip)

    return names, records()


def _json(place: object, lines: Iterable[tuple[int, str]], skip: Skip | None) -> tuple[Sequence[str], Records]:
    """A record on each line, or a question by itself; the names are those of all records."""
    read = [(number, _record(line)) for number, line in lines]

    def records() -> Iterator[tuple[int, Record]]:
        for number, record in read:
            if isinstance(record, RecordError):
                pass_over(FormatError(place, str(record), number), skip)
            else:
                yield number, record

    known = (record for _, record in read if not isinstance(record, RecordError))
    names = list(dict.fromkeys(name for record in known for name in record))
    return names or ROLES, records()  # where there is no record, its columns are not what is wrong


def _record(line: str) -> Record | RecordError:
    try:
        value = parse_record(line)
    except RecordError as error:
        return error
    if isinstance(value, str):
        return {"question": value}
    return value if isinstance(value, dict) else RecordError("a JSON object with a question is needed")
