"""Tables of pages with a column of questions and one of answers, and where their cells stand.

A page is full of tables: "Title" over "Description" is a FAQ only where most of what stands below asks. People
leave out the row of names, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from anselm.errors import FormatError
from anselm.text.faq_columns import Columns, find_columns, knows_columns
from anselm.text.html import TOKEN
from anselm.text.pieces import Cleaned, Piece, cut
from anselm.text.questions import FEWEST, ends_as_question, is_question

Span = tuple[int, int]
Grid = list[list[Span]]  # rows of cells
_RULE = re.compile(r"[ \t>]*+\|?+[ \t]*+:?+-{2,}+:?+[ \t]*+(?:\|[ \t]*+:?+-{2,}+:?+[ \t]*+)++\|?+[ \t\r]*+")
_BAR = re.compile(r"\\.|`[^`\n]*+`|(?P<bar>\|)")
_ROWSPAN, _MOST_ROWS = re.compile(r"\browspan\s*+=\s*+[\"']?+(\d{1,6})", re.IGNORECASE), 65_534  # as browsers have it
_MOST_COLUMNS = 100  # to which cells of rows above are copied
_FENCE = re.compile(r"[ \t>]*+(?:`{3}[^`]*+$|~{3})")


@dataclass(frozen=True)
class FaqRow:
    question: Span
    answer: Span
    others: Mapping[str, Span]  # by the names of their columns


@dataclass(frozen=True)
class FaqTable:
    """From the first cell to the end of the last."""

    start: int
    end: int
    rows: Sequence[FaqRow]


def faq_tables(grids: Iterable[Grid], pieces: Sequence[Piece]) -> list[FaqTable]:
    """Those whose first row names both columns, and whose questions ask."""
    return [table for grid in grids if (table := _table(grid, pieces))]


def grids_of(source: str, kind: str) -> Iterator[Grid]:
    """The tables of Markdown and HTML."""
    return _GRIDS.get(kind, _none)(source)


def _table(grid: Grid, pieces: Sequence[Piece]) -> FaqTable | None:
    names = [_text(pieces, cell) for cell in grid[0]]
    if not knows_columns(names, "question", "answer"):
        return _nameless(grid, pieces)
    if len(set(names)) < len(names):
        return None
    try:
        columns = find_columns(names, {}, "the table")
    except FormatError:  # in two languages, say: then it is text
        return None
    found = (row for cells in grid[1:] if (row := _row(dict(zip(names, cells, strict=False)), columns)))
    rows = [row for row in found if _text(pieces, row.question) or _text(pieces, row.answer)]  # else a title over some
    asking = sum(is_question(_text(pieces, row.question)) for row in rows)
    return FaqTable(grid[0][0][0], grid[-1][-1][1], rows) if asking * 2 > len(rows) else None


def _nameless(grid: Grid, pieces: Sequence[Piece]) -> FaqTable | None:
    """A table of two columns without a row of names, in which most first cells ask, and no second one does."""
    if any(len(row) != 2 for row in grid):
        return None
    texts = [[_text(pieces, cell) for cell in row] for row in grid]
    asking = sum(ends_as_question(question) for question, _ in texts)
    if asking < FEWEST or asking * 2 <= len(grid) or any(ends_as_question(answer) for _, answer in texts):
        return None
    rows = [FaqRow(row[0], row[1], {}) for row, cells in zip(grid, texts, strict=True) if any(cells)]
    return FaqTable(grid[0][0][0], grid[-1][-1][1], rows)


def _text(pieces: Sequence[Piece], span: Span) -> str:
    return Cleaned(cut(pieces, *span)).text.strip()


def _row(cells: dict[str, Span], columns: Columns) -> FaqRow | None:
    """None without a question; an answer may be missing."""
    if columns.question not in cells:
        return None
    question = cells.pop(columns.question)
    return FaqRow(question, cells.pop(columns.answer, (question[1], question[1])), cells)


def _markdown(source: str) -> Iterator[Grid]:
    """The line above a rule with bars, and the lines below it that have bars."""
    lines, position, fenced = list[Span](), 0, False
    for line in source.split("\n"):
        fenced ^= bool(_FENCE.match(line))
        lines.append((position, position if fenced else position + len(line)))  # in a fence nothing is a table
        position += len(line) + 1
    below = 0
    for number, span in enumerate(lines):
        if number <= below or not _RULE.fullmatch(source, *span):
            continue
        below = number + 1
        while below < len(lines) and any(bar["bar"] for bar in _BAR.finditer(source, *lines[below])):
            below += 1
        grid = [_cells(source, *lines[one]) for one in (number - 1, *range(number + 1, below))]
        if len(grid[0]) > 1 and len(grid) > 1:
            yield grid


def _cells(source: str, start: int, end: int) -> list[Span]:
    bars = [bar.start() for bar in _BAR.finditer(source, start, end) if bar["bar"]]
    edges = [start - 1, *bars, end]
    cells = [(left + 1, right) for left, right in pairwise(edges)]
    if bars and not source[start : bars[0]].strip(" \t>"):
        cells = cells[1:]
    return cells[:-1] if bars and len(cells) > 1 and not source[bars[-1] + 1 : end].strip() else cells


def _html(source: str) -> Iterator[Grid]:
    """Of tables in tables the outer one; what is not closed ends with the page, as in a browser."""
    table = _HtmlTable()
    depth = 0
    for token in TOKEN.finditer(source):
        name = (token["tag"] or "").lower()
        opens = not token[0].startswith("</")
        if name == "table":
            depth = max(0, depth + (1 if opens else -1))
            if depth == 0 and not opens:
                yield from table.close(token.start())
                table = _HtmlTable()
        elif depth == 1 and name in ("tr", "td", "th"):
            table.read(token, name, opens)
    yield from table.close(len(source))


class _HtmlTable:
    """Rows of a table while they are read; a cell over several rows stands in each of them."""

    def __init__(self) -> None:
        self.rows: Grid = []
        self.begin = -1  # of the cell that is open
        self.reach = 1  # its rows
        self.below: dict[int, tuple[int, Span]] = {}  # by column: for how many rows more, and what

    def read(self, token: re.Match[str], name: str, opens: bool) -> None:
        self._end_cell(token.start())
        if name == "tr":
            self._end_row()
            if opens:
                self.rows.append([])
        elif opens:
            self.rows = self.rows or [[]]
            self.begin = token.end()
            self.reach = min(int(found[1]), _MOST_ROWS) if (found := _ROWSPAN.search(token[0])) else 1

    def close(self, position: int) -> Iterator[Grid]:
        self._end_cell(position)
        self._end_row()
        if len(rows := [row for row in self.rows if row]) > 1:
            yield rows

    def _end_cell(self, position: int) -> None:
        if self.begin < 0:
            return
        self._fill()
        row = self.rows[-1]
        if self.reach > 1:
            self.below[len(row)] = (self.reach - 1, (self.begin, position))
        row.append((self.begin, position))
        self.begin = -1

    def _end_row(self) -> None:
        if self.rows and self.rows[-1]:
            self._fill()

    def _fill(self) -> None:
        """The cells of rows above that stand here, too."""
        row = self.rows[-1]
        while len(row) < _MOST_COLUMNS and (kept := self.below.pop(len(row), None)):
            rows, span = kept
            if rows > 1:
                self.below[len(row)] = (rows - 1, span)
            row.append(span)


def _none(source: str) -> Iterator[Grid]:
    yield from ()


_GRIDS: dict[str, Callable[[str], Iterator[Grid]]] = {"markdown": _markdown, "html": _html}
