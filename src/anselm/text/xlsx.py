"""Excel files (.xlsx, .xlsm) as sheets: the values as they are shown, row by row, and nothing of what is hidden.

Hidden are sheets; hidden rows and columns are read, since a filter hides some, too. A formula is the value that was
saved with it, an error is an empty cell. A value that is merged downwards is said of every row that it stands beside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree

from anselm.text.archives import Archive, Event, local, open_archive
from anselm.text.cell_values import BUILT_IN, NumberFormat, number_format, show
from anselm.text.extracts import Extract
from anselm.text.sheets import MOST_CELLS, Grid, lay_out

_CELL = re.compile(r"\$?([A-Z]{1,3})\$?([1-9]\d{0,6})")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")  # of characters that XML cannot hold
_BREAKS = re.compile("\r\n?")
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_READING_AID = "rPh"  # how Japanese is pronounced


def read_xlsx(raw: bytes, place: object) -> Extract:
    with open_archive(raw, place, "an Excel file (.xlsx)") as archive:
        text, sheets = lay_out(_Book(archive).grids(), place)
    return Extract(text, sheets=sheets)


@dataclass
class _Cell:
    row: int
    column: int
    kind: str
    style: int
    value: str | None = None
    formula: bool = False


@dataclass
class _Reading:
    """Where in a sheet we are; what has no place of its own stands behind what came before."""

    row: int = 0
    column: int = 0
    cell: _Cell | None = None
    aside: int = 0
    texts: list[str] | None = None
    merged: list[str] = field(default_factory=list)


class _Book:
    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.name = archive.main("xl/workbook.xml")
        self.parts = archive.related(self.name)
        book = archive.parse(self.name)
        self.listed = [one for one in book.iter() if local(one.tag) == "sheet"]
        settings = next((one for one in book if local(one.tag) == "workbookPr"), None)
        self.from_1904 = settings is not None and settings.get("date1904") in ("1", "true")
        self.shared = list(_texts(archive.events(name), "si")) if (name := self._part("sharedStrings")) else []
        self.formats = _formats(archive.parse(name)) if (name := self._part("styles")) else []

    def _part(self, kind: str) -> str:
        return next((name for known, name in self.parts.values() if known == kind and name in self.archive), "")

    def grids(self) -> list[Grid]:
        """Of the sheets that are shown."""
        found: list[Grid] = []
        for sheet in self.listed:
            id = next((value for key, value in sheet.attrib.items() if key.endswith("}id")), "")
            kind, name = self.parts[id]
            if sheet.get("state", "visible") == "visible" and kind == "worksheet":
                room = found[-1].room if found else MOST_CELLS
                found.append(self.grid(Grid(sheet.get("name", ""), self.archive.place, room), name))
        return found

    def grid(self, grid: Grid, name: str) -> Grid:
        at = _Reading()
        for tag, content in self.archive.events(name):
            if isinstance(content, dict):
                _begin(at, tag, content)
            elif content is not None:
                if at.texts is not None:
                    at.texts.append(content)
            elif self._end(at, tag) and at.cell:
                self._put(grid, at.cell)
                at.cell = None
        edges = [(_place(first), _place(last)) for first, _, last in (one.partition(":") for one in at.merged)]
        grid.merge([(column, row, last) for (column, row), (_, last) in edges])
        return grid

    def _end(self, at: _Reading, tag: str) -> bool:
        """Whether a cell has ended."""
        at.aside -= tag == _READING_AID
        if tag in ("v", "t") and at.texts is not None:
            if at.cell and not at.aside:
                at.cell.value = (at.cell.value or "") + "".join(at.texts)
            at.texts = None
        return tag == "c"

    def _put(self, grid: Grid, cell: _Cell) -> None:
        if cell.formula and not cell.value and cell.kind != "str":  # which may be empty
            grid.put_unsaved(cell.row, cell.column)
        else:
            grid.put(cell.row, cell.column, self._shown(cell).strip())

    def _shown(self, cell: _Cell) -> str:
        value = cell.value or ""
        match cell.kind:
            case "s":
                return self._shared(int(value)) if value else ""
            case "b":
                return "TRUE" if value.strip() in ("1", "true") else "FALSE" if value else ""
            case "e":
                return ""
            case "d":
                return value.replace("T", " ").removesuffix(" 00:00:00")
            case "n":
                form = self.formats[cell.style] if 0 <= cell.style < len(self.formats) else NumberFormat()
                return show(value, form, self.from_1904)
        return _written(value)

    def _shared(self, place: int) -> str:
        if place < 0:
            raise ValueError(f"no text has the number {place}")
        return self.shared[place]


def _begin(at: _Reading, tag: str, attributes: dict[str, str]) -> None:
    if tag == "row":
        at.row, at.column = int(attributes.get("r", at.row + 1)), 0
    elif tag == "c":
        at.column += 1
        if "r" in attributes:
            at.column, at.row = _place(attributes["r"])
        at.cell = _Cell(at.row, at.column, attributes.get("t", "n"), int(attributes.get("s", 0)))
    elif tag == "f" and at.cell:
        at.cell.formula = True
    elif tag in ("v", "t") and at.cell:
        at.texts = []
        if tag == "v":
            at.cell.value = ""
    elif tag == "mergeCell":
        at.merged.append(attributes.get("ref", ""))
    at.aside += tag == _READING_AID


def _texts(events: Iterator[Event], whole: str) -> Iterator[str]:
    """The text of each such element: of its runs, without aids to reading."""
    found: list[str] = []
    inside, aside = False, 0
    for tag, content in events:
        if isinstance(content, str):
            if inside and not aside:
                found.append(content)
            continue
        begins = content is not None
        aside += (1 if begins else -1) * (tag == _READING_AID)
        inside = begins and tag == "t"
        if tag == whole and not begins:
            yield _written("".join(found))
            found = []


def _written(text: str) -> str:
    """Without escapes, with line breaks of one kind, and without what nobody sees."""
    if "_x" in text:
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _UNSEEN.sub("", _BREAKS.sub("\n", text))


def _place(reference: str) -> tuple[int, int]:
    """Column and row of "B7"."""
    found = _CELL.fullmatch(reference)
    if not found:
        raise ValueError(f"{reference} names no cell")
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column, int(found[2])


def _formats(styles: ElementTree.Element) -> list[NumberFormat]:
    """Of each style of a cell, by its number."""
    codes = dict(BUILT_IN)
    used: list[int] = []
    for part in styles:
        if local(part.tag) == "numFmts":
            codes |= {int(one.get("numFmtId", 0)): one.get("formatCode", "") for one in part}
        elif local(part.tag) == "cellXfs":
            used = [int(one.get("numFmtId", 0)) for one in part]
    known = {id: number_format(codes.get(id, "General")) for id in set(used)}
    return [known[id] for id in used]
