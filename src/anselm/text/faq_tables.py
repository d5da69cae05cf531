"""Rows of CSV and TSV as spreadsheets write them, with the place of every field.

The separator is told by the header, or by Excel's first line `sep=;`. A field in quotation marks may hold separators
and line breaks. In TSV a mark that does not close before the tab is text like any other. Where the header names one
column only, nothing separates: every line is a text, whatever commas it holds. The reader is our own because the
standard library's gives no places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from anselm.errors import FormatError
from anselm.text.faq import Entry, LineNumbers, Skip
from anselm.text.faq_columns import Row, are_numbers, entries_from_rows, knows_columns, names_columns

_SEPARATORS = ",;\t|"
_TOLD = re.compile(r"sep=([^\r\n])(?:\r\n?|\n|\Z)", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|\n|\Z")
TITLES = 3  # rows above a header
_HEADER = re.compile(r'(?:[^"\r\n]++|"(?:[^"]|"")*+"|")*+')
_QUOTED = re.compile(r'"(?:[^"]|"")*+"')

Field = tuple[str, int, int]  # value, and where it stands
NumberedRow = tuple[int, list[Field]]  # behind the number of its line


def table_entries(text: str, kind: str, columns: Mapping[str, str], place: object, skip: Skip) -> Iterator[Entry]:
    """The entries of a CSV or TSV file. Columns named by numbers stand for a table without a header."""
    told = _TOLD.match(text)
    separator = told[1] if told else "\t" if kind == "tsv" else find_separator(text)
    table = list(_Table(text, separator, place, skip).rows(told.end() if told else 0))
    header: list[str] = []
    if table and not are_numbers(columns):
        table = table[find_header([_values(row) for row in table[: TITLES + 1]], columns) :]
        header, table = _values(table[0]), table[1:]
    known = names_of(header)
    rows = [_row(fields, known, line) for line, fields in table if _fits(fields, header, line, place, skip)]
    names = known or [str(number + 1) for number in range(max((len(row.values) for row in rows), default=0))]
    if not names:
        return iter(())
    if header and not columns and not knows_columns(names, "answer"):
        place = (
            f"{place}, whose first line must name the columns (if it names none, their numbers do: question=1,answer=2)"
        )
    return entries_from_rows(rows, names, columns, place, skip)


def find_header(rows: Sequence[Sequence[str]], columns: Mapping[str, str]) -> int:
    """Which of the first rows names the columns: above it may stand titles, rows with one of several fields filled."""
    for place, values in enumerate(rows):
        if place and names_columns(values, columns, "answer"):
            return place
        if len(values) < 2 or sum(map(bool, values)) != 1:
            break
    return 0


def _values(row: NumberedRow) -> list[str]:
    return [value.strip() for value, _, _ in row[1]]


def find_separator(text: str) -> str | None:
    """What separates the names in the first line; None where there is only one."""
    line = _HEADER.match(text)
    header = _QUOTED.sub('""', line[0]) if line else ""
    sure = [mark for mark in _SEPARATORS if mark in header]
    return max(sure, key=lambda mark: (knows_columns(header.split(mark), "answer"), header.count(mark)), default=None)


class _Table:
    def __init__(self, text: str, separator: str | None, place: object, skip: Skip) -> None:
        self.text, self.separator, self.place, self.skip = text, separator, place, skip
        self.lines = LineNumbers(text)
        mark = re.escape(separator or "")
        inside = '[^"\t]' if separator == "\t" else '[^"]'
        ends = rf"(?=[{mark}\r\n]|\Z)" if separator else r"(?=[\r\n]|\Z)"
        self.quoted = re.compile(rf'[ ]*+"((?:{inside}|"")*+)"[ ]*+{ends}')
        self.plain = re.compile(rf"[^{mark}\r\n]*+")

    def rows(self, position: int) -> Iterator[NumberedRow]:
        """(line, fields) of each line that is not blank."""
        while position < len(self.text):
            begin, line = position, self.lines.at(position)
            fields, position = self.row(begin)
            if position < 0:
                self.skip(FormatError(self.place, "a quotation mark is not closed, or text follows it", line))
                position = self.text.find("\n", begin) + 1 or len(self.text)
            elif any(value.strip() for value, _, _ in fields):
                yield line, fields

    def row(self, position: int) -> tuple[list[Field], int]:
        """The fields, and where the next row begins; -1 where the quotation marks are wrong."""
        fields = []
        while True:
            field, position = self.field(position)
            fields.append(field)
            if position < 0 or self.text[position : position + 1] != self.separator:
                break
            position += 1
        end = _LINE_END.match(self.text, position) if position >= 0 else None
        return fields, end.end() if end else -1

    def field(self, position: int) -> tuple[Field, int]:
        if found := self.quoted.match(self.text, position):
            return (found[1].replace('""', '"'), *found.span(1)), found.end()
        found = self.plain.match(self.text, position)
        value = found[0] if found else ""
        wrong = self.separator != "\t" and value.lstrip(" ").startswith('"')
        return (value, position, position + len(value)), -1 if wrong else position + len(value)


def _fits(fields: list[Field], header: list[str], line: int, place: object, skip: Skip) -> bool:
    """Spreadsheets leave out empty fields at the end of a row, or add some."""
    if not header or not any(value.strip() for value, _, _ in fields[len(header) :]):
        return True
    skip(FormatError(place, f"{len(fields)} columns where the header has {len(header)}", line))
    return False


def _row(fields: list[Field], known: list[str], line: int) -> Row:
    names = known or [str(number + 1) for number in range(len(fields))]
    named = dict(zip(names, fields, strict=False))
    values = {name: named[name][0] if name in named else "" for name in names}
    return Row(values, {name: (start, end) for name, (_, start, end) in named.items()}, line)


def names_of(header: Sequence[str], numbers: Iterable[int] | None = None) -> list[str]:
    """No two the same, so that no field is lost: the second `note` is `note (2)`, and one without a name is `(3)`."""
    names: dict[str, None] = {}
    for number, name in zip(numbers or count(1), header, strict=False):
        while not name or name in names:
            name = f"{name} ({number})".strip()
        names[name] = None
    return list(names)
