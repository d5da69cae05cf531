"""What is taken out of files that are no text: paragraphs and tables, joined to one text with its headings and tables.

A row of a table is a paragraph, with commas between its cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from anselm.errors import FormatError
from anselm.text.archives import LARGEST, ContentError
from anselm.text.outlines import Heading
from anselm.text.page_tables import Grid
from anselm.text.pieces import BREAK, CELL
from anselm.text.sheets import Sheet

MOST_CELLS = 1_000_000  # of all tables of a text, also of those that are merged or repeated
_LONGEST_CELL = 10_000_000  # characters, of a cell with tables in it


@dataclass(frozen=True)
class Extract:
    """A text with what was found in the file beside it: as in a `Document`."""

    text: str
    headings: tuple[Heading, ...] = ()
    pages: tuple[int, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    grids: tuple[Grid, ...] = ()


class Paragraph(NamedTuple):
    text: str
    level: int | None = None  # of a heading


class Table(NamedTuple):
    """Rows of cells; None is one with the cell above it, whose text is said of this row, too."""

    rows: Sequence[Sequence[str | None]]

    @classmethod
    def of(cls, rows: Iterable[Sequence[str | None]]) -> Table:
        """Few bytes of a file may say that a cell comes again a thousand times."""
        found: list[Sequence[str | None]] = []
        cells = 0
        for row in rows:
            found.append(row)
            cells += len(row)
            check_cells(cells)
        return cls(found)

    def filled(self) -> Iterator[list[str]]:
        """The rows that have a text of their own."""
        above: list[str] = []
        for row in self.rows:
            if any(row):
                above += [""] * (len(row) - len(above))
                above = [above[place] if cell is None else cell for place, cell in enumerate(row)]
                yield above

    def texts(self) -> Iterator[str]:
        return (CELL.join(filter(None, row)) for row in self.filled())


def check_cells(count: int) -> None:
    if count > MOST_CELLS:
        raise ContentError(f"has more than {MOST_CELLS:,} cells in its tables; save what is asked about by itself")


def cell_text(blocks: Iterable[Paragraph | Table]) -> str:
    """The paragraphs and tables inside a cell, on one line."""
    parts: list[str] = []
    length = 0
    for block in blocks:
        for text in filter(None, [block.text] if isinstance(block, Paragraph) else block.texts()):
            parts.append(text)
            length += len(text)
            if length > _LONGEST_CELL:  # cells that are repeated, in cells that are
                raise ContentError(f"holds more than {_LONGEST_CELL:,} characters in a cell of a table")
    return " ".join(parts)


def join_blocks(blocks: Iterable[Paragraph | Table], place: object) -> Extract:
    """One text, with a blank line between paragraphs; those without text are left out."""
    parts: list[str] = []
    headings: list[tuple[int, str, int]] = []
    grids: list[Grid] = []
    position = cells = 0
    for block in blocks:
        if isinstance(block, Table):
            cells += sum(map(len, block.rows))
            check_cells(cells)
            grids.append(_spans(block, position))
        elif block.text and block.level is not None:
            headings.append((block.level, block.text, position))
        for text in filter(None, [block.text] if isinstance(block, Paragraph) else block.texts()):
            parts.append(text)
            position += len(text) + len(BREAK)
            if position > LARGEST:  # cells that reach over many rows
                raise FormatError(place, f"holds more than {LARGEST:,} characters")
    if not parts:
        raise FormatError(place, "has no text")
    text = BREAK.join(parts)
    found = (Heading(level, title, start, start + len(title), len(text)) for level, title, start in headings)
    return Extract(text, tuple(found), grids=tuple(grid for grid in grids if len(grid) > 1))


def _spans(table: Table, position: int) -> Grid:
    """Where each cell stands, in a table that begins here."""
    grid: Grid = []
    for row in table.filled():
        cells = []
        for cell in row:
            cells.append((position, position + len(cell)))
            position += len(cell) + len(CELL) if cell else 0
        grid.append(cells)
        position += len(BREAK) - len(CELL)
    return grid
