"""CSV, TSV and spreadsheets: one pair per row, in columns named question, answer and label.

`question_id` and `answer_id` are optional columns; without them a question is known by its text. Rows of a question
need not stand together, so the whole file is held while it is grouped; grouped JSONL is the format to stream.

CSV is quoted: a text may hold commas, quotation marks and line breaks. TSV is not: a quotation mark is text like any
other, every line is a row and every tab ends a column. So a tab or line break in a text becomes a blank when TSV is
written; in an id, where that could make two ids one, it is refused. A spreadsheet (.xlsx) is read, if it has one sheet.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO

from anselm.data.formats.faqs import open_entries
from anselm.data.formats.records import (
    RecordError,
    as_label,
    check_candidates,
    check_question,
    check_text,
    spell_label,
)
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError
from anselm.files import read_lines
from anselm.text.kinds import SHEETS, suffix

Rows = Iterator[tuple[int, list[str]]]  # line number, fields

COLUMNS = ("question_id", "question", "answer_id", "answer", "label")
NEEDED = ("question", "answer")
IDS = ("question_id", "answer_id")
FIELD_LIMIT = 100_000_000  # the csv module's own limit of 128 KiB would turn long answers away
SEPARATORS = ",;\t|"
BREAKS = re.compile(r"[\t\r\n]+")


def read_csv(path: Path) -> Iterator[Question]:
    return group_rows(name_columns(csv_rows(path), path), path)


def read_tsv(path: Path) -> Iterator[Question]:
    return group_rows(name_columns(tsv_rows(path), path), path)


def read_sheet(path: Path) -> Iterator[Question]:
    return group_rows(name_columns(sheet_rows(path), path), path)


def table_rows(path: Path) -> Rows:
    """As the name says; what says nothing is CSV."""
    return (sheet_rows if suffix(path) in SHEETS else tsv_rows if suffix(path) == ".tsv" else csv_rows)(path)


def sheet_rows(path: Path) -> Rows:
    """The rows of the only sheet that is shown, each with a value for every column that is used."""
    sheets = open_entries(path).sheets
    if len(sheets) > 1:
        names = ", ".join(f"{sheet.name!r:.60}" for sheet in sheets[:5])
        raise FormatError(path, f"has {len(sheets)} sheets with text ({names}), where one is needed; hide the others")
    used = sorted({column for _, cells in sheets[0].rows for column in cells})
    for number, cells in sheets[0].rows:
        yield number, [cells.get(column, ("",))[0] for column in used]


def tsv_rows(path: Path) -> Rows:
    return ((number, line.split("\t") if line else []) for number, line in read_lines(path))


def separated_rows(path: Path) -> Rows:
    """As spreadsheets write CSV in other countries, too: what the header has most of separates."""
    return csv_rows(path, SEPARATORS)


def csv_rows(path: Path, separators: str = ",") -> Rows:
    csv.field_size_limit(FIELD_LIMIT)
    lines = (line + "\n" for _, line in read_lines(path))
    header = next(lines, "")
    reader = csv.reader(chain([header], lines), delimiter=max(separators, key=header.count), strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise FormatError(path, f"not valid CSV: {error}", reader.line_num) from None


def name_columns(rows: Rows, path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Stream (line number, row by column name). The header is needed, and every row must have its columns."""
    header = [name.strip().lower() for name in next(rows, (1, []))[1]]
    check_header(header, path)
    for number, row in rows:
        if row and len(row) != len(header):
            raise FormatError(path, f"{len(row)} columns where the header has {len(header)}", number)
        if row:
            yield number, dict(zip(header, row, strict=True))


def check_header(header: list[str], path: Path) -> None:
    found = ", ".join(header) or "nothing"
    for name in COLUMNS:
        if header.count(name) > 1:
            raise FormatError(path, f"two columns are named {name!r} in the header ({found}); which one counts?", 1)
        if name in NEEDED and name not in header:
            needed = "needed: question, answer and, to evaluate, label"
            raise FormatError(path, f"no column {name!r} in the header ({found}); {needed}", 1)


def group_rows(rows: Iterator[tuple[int, dict[str, str]]], path: Path) -> Iterator[Question]:
    texts: dict[str, str] = {}
    groups: dict[str, list[Candidate]] = {}
    first: dict[str, str] = {}
    for number, row in rows:
        first = first or row
        try:
            check_ids(row, first)
            text = check_question(row["question"])
            key = row.get("question_id") or text
            if texts.setdefault(key, text) != text:
                raise RecordError(f"the question_id {key!r} has another question text further up")
            group = groups.setdefault(key, [])
            group.append(candidate_from_row(row, len(group)))
        except RecordError as error:
            raise FormatError(path, str(error), number) from None
    for position, (key, group) in enumerate(groups.items(), start=1):
        try:
            candidates = check_candidates(group)
        except RecordError as error:
            raise FormatError(path, f"question {key!r}: {error}") from None
        yield Question(key if first.get("question_id") else str(position), texts[key], candidates)


def check_ids(row: dict[str, str], first: dict[str, str]) -> None:
    """Ids are given in all rows or in none: one made up for a row could be that of another."""
    for name in IDS:
        if bool(row.get(name)) != bool(first.get(name)):
            raise RecordError(f"{name} is given in some rows and empty in others; give it in all or in none")


def candidate_from_row(row: dict[str, str], position: int) -> Candidate:
    text = check_text(row["answer"], "the answer")
    return Candidate(row.get("answer_id") or str(position), text, as_label(row.get("label"), "the answer"))


def write_csv(questions: Iterable[Question], file: IO[str]) -> int:
    # Line breaks of other systems would be read back as "\n", and a lone "\r" would not be read back at all.
    writer = csv.writer(file, lineterminator="\n")
    return write_rows(questions, lambda row: writer.writerow(re.sub(r"\r\n?", "\n", field) for field in row))


def write_tsv(questions: Iterable[Question], file: IO[str]) -> int:
    def write(row: tuple[str, ...]) -> None:
        for value in (row[0], row[2]):
            if BREAKS.search(value):
                raise FormatError(
                    "TSV output", f"the id {value!r} has a tab or line break in it, which the format lacks"
                )
        file.write("\t".join(BREAKS.sub(" ", field) for field in row) + "\n")

    return write_rows(questions, write)


def write_rows(questions: Iterable[Question], write: Callable[[tuple[str, ...]], object]) -> int:
    """The header, then a row for each candidate; returns the number of lists."""
    write(COLUMNS)
    count = 0
    for count, question in enumerate(questions, start=1):
        for candidate in question.candidates:
            write((question.id, question.text, candidate.id, candidate.text, spell_label(candidate.label)))
    return count
