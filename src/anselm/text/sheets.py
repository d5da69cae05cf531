"""Sheets of a spreadsheet: their cells, and the text that these are laid out in, so that every cell has its place.

In the text a tab stands between cells, a line break between rows and a blank line between sheets.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anselm.errors import FormatError
from anselm.text.archives import LARGEST

MOST_CELLS = 5_000_000  # of all sheets
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384  # of Excel
Field = tuple[str, int, int]  # value, and where it stands
Rows = dict[int, dict[int, str]]  # values by row and column, both from 1


@dataclass(frozen=True)
class Sheet:
    """The rows that hold something, in order: number and cells by column, also from 1.

    `unsaved` are the cells with a formula that was saved without its value.
    """

    name: str
    rows: Sequence[tuple[int, Mapping[int, Field]]]
    unsaved: frozenset[tuple[int, int]] = frozenset()


@dataclass
class Grid:
    """A sheet while it is read. No more cells are taken than there is room for."""

    name: str
    place: object
    room: int = MOST_CELLS
    rows: Rows = field(default_factory=dict)
    unsaved: set[tuple[int, int]] = field(default_factory=set)

    def put(self, row: int, column: int, value: str) -> None:
        """What is empty is left out; of two in one place, which no program writes, the first stays."""
        if not (1 <= row <= LAST_ROW and 1 <= column <= LAST_COLUMN):
            raise ValueError(f"no cell is in row {row}, column {column}")
        if value:
            self.spend(1)
            self.rows.setdefault(row, {}).setdefault(column, value)

    def put_unsaved(self, row: int, column: int) -> None:
        self.spend(1)
        self.rows.setdefault(row, {})[column] = ""
        self.unsaved.add((row, column))

    def merge(self, merged: Sequence[tuple[int, int, int]]) -> None:
        """(column, first row, last row) of cells that are one: what stands in the first is said of all these rows."""
        known = sorted(self.rows)
        for column, first, last in merged:
            if value := self.rows.get(first, {}).get(column, ""):
                below = known[bisect_right(known, first) : bisect_right(known, last)]
                self.spend(len(below))
                for row in below:
                    self.rows[row].setdefault(column, value)

    def spend(self, cells: int) -> None:
        self.room -= cells
        if self.room < 0:
            raise FormatError(self.place, f"has more than {MOST_CELLS:,} cells; save what is asked about by itself")


def lay_out(grids: Sequence[Grid], place: object) -> tuple[str, tuple[Sheet, ...]]:
    """The text, and the sheets that say where each cell stands in it."""
    if sum(len(value) for grid in grids for cells in grid.rows.values() for value in cells.values()) > LARGEST:
        raise FormatError(place, f"holds more than {LARGEST:,} characters")
    parts: list[str] = []
    sheets: list[Sheet] = []
    position = 0
    for grid in grids:
        rows = []
        for number in sorted(grid.rows):
            cells: dict[int, Field] = {}
            for column in sorted(grid.rows[number]):
                value = grid.rows[number][column]
                cells[column] = (value, position, position + len(value))
                parts += (value, "\t")
                position += len(value) + 1
            parts[-1] = "\n"
            rows.append((number, cells))
        if rows:
            sheets.append(Sheet(grid.name, rows, frozenset(grid.unsaved)))
            parts.append("\n")
            position += 1
    if not sheets:
        raise FormatError(place, "has no text in a sheet that is shown")
    return "".join(parts).rstrip("\n"), tuple(sheets)
