"""OpenDocument, as LibreOffice writes it: spreadsheets (.ods) and texts (.odt).

A cell is the text that it shows, a date as ISO 8601 has it; hidden sheets are left out. Of a text, its headings are
those of an outline level and the title; notes, comments, contents and what was deleted are no text.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from anselm.text.archives import local, open_archive
from anselm.text.cell_values import NumberFormat, show
from anselm.text.extracts import Extract, Paragraph, Table, cell_text, check_cells, join_blocks
from anselm.text.sheets import MOST_CELLS, Grid, lay_out

_CONTENT = "content.xml"
_GAPS = {"s", "tab", "line-break"}
_NO_TEXT = {"annotation", "note", "ruby-text", "tracked-changes", "forms", "table-of-content", "title", "desc"}
_ROWS = {"table-rows", "table-row-group", "table-header-rows"}
_CELLS = {"table-cell", "covered-table-cell"}
_MOST_COLUMNS = 1_000  # of a table in a text


def read_ods(raw: bytes, place: object) -> Extract:
    with open_archive(raw, place, "an OpenDocument spreadsheet (.ods)") as archive:
        content = archive.parse(_CONTENT)
        hidden = _hidden_styles(content)
        grids: list[Grid] = []
        for table in (table for body in _all(content, "spreadsheet") for table in body if local(table.tag) == "table"):
            if _attribute(table, "style-name") not in hidden:
                room = grids[-1].room if grids else MOST_CELLS
                grids.append(_read_sheet(table, Grid(_attribute(table, "name"), place, room)))
        text, sheets = lay_out(grids, place)
    return Extract(text, sheets=sheets)


def read_odt(raw: bytes, place: object) -> Extract:
    with open_archive(raw, place, "an OpenDocument text (.odt)") as archive:
        content = archive.parse(_CONTENT)
        titles = {"Title"} | {
            _attribute(style, "name")
            for style in _all(content, "style")
            if _attribute(style, "parent-style-name") == "Title"
        }
        return join_blocks((block for body in _all(content, "text") for block in _blocks(body, titles)), place)


def _all(element: Element, name: str) -> Iterator[Element]:
    return (one for one in element.iter() if local(one.tag) == name)


def _attribute(element: Element, name: str) -> str:
    return next((value for key, value in element.attrib.items() if local(key) == name), "")


def _count(element: Element, name: str) -> int:
    return max(int(_attribute(element, name) or 1), 1)


def _hidden_styles(content: Element) -> set[str]:
    """Those of sheets that are not shown."""
    return {
        _attribute(style, "name")
        for style in _all(content, "style")
        if any(_attribute(one, "display") == "false" for one in style if local(one.tag) == "table-properties")
    }


def _rows(table: Element) -> Iterator[Element]:
    for child in table:
        if local(child.tag) == "table-row":
            yield child
        elif local(child.tag) in _ROWS:
            yield from _rows(child)


def _read_sheet(table: Element, grid: Grid) -> Grid:
    number, merged = 1, []
    for row in _rows(table):
        repeated, column = _count(row, "number-rows-repeated"), 1
        for cell in (cell for cell in row if local(cell.tag) in _CELLS):
            wide, value = _count(cell, "number-columns-repeated"), _value(cell)
            for below in range(repeated if value else 0):
                for across in range(wide):
                    grid.put(number + below, column + across, value)
            if (deep := _count(cell, "number-rows-spanned")) > 1:
                merged.append((column, number, number + deep - 1))
            column += wide
        number += repeated
    grid.merge(merged)
    return grid


def _value(cell: Element) -> str:
    """What it shows; of what was merged away nothing, and nothing of an error."""
    kinds = {local(key): value for key, value in cell.attrib.items() if local(key) != "value-type"}
    types = {value for key, value in cell.attrib.items() if local(key) == "value-type"}
    if "error" in types or local(cell.tag) == "covered-table-cell":
        return ""
    if "date-value" in kinds:
        return kinds["date-value"].replace("T", " ").removesuffix(" 00:00:00").removesuffix(":00")
    lines = ("".join(_words(line)).strip() for line in cell if local(line.tag) == "p")
    return "\n".join(lines).strip() or show(kinds.get("value", ""), NumberFormat())


def _blocks(element: Element, titles: set[str]) -> Iterator[Paragraph | Table]:
    for child in element:
        name = local(child.tag)
        if name in ("h", "p"):
            title = 0 if _attribute(child, "style-name") in titles else None
            yield Paragraph(_text(child), _count(child, "outline-level") if name == "h" else title)
            yield from _blocks(child, titles)  # of frames, which stand beside it
        elif name == "table":
            yield Table.of(_table_rows(child))
        elif name not in _NO_TEXT and not name.endswith("-index"):
            yield from _blocks(child, titles)


def _table_rows(table: Element) -> Iterator[list[str | None]]:
    below: dict[int, int] = {}  # by column, how many more rows a cell above reaches over
    for row in _rows(table):
        cells: list[str | None] = []
        for cell in (cell for cell in row if local(cell.tag) in _CELLS):
            if local(cell.tag) == "covered-table-cell":
                goes_on = below.get(len(cells), 0) > 0
                below[len(cells)] = below.get(len(cells), 0) - 1
                cells.append(None if goes_on else "")
                continue
            below[len(cells)] = _count(cell, "number-rows-spanned") - 1
            cells += [cell_text(_blocks(cell, set()))] * min(_count(cell, "number-columns-repeated"), _MOST_COLUMNS)
            check_cells(len(cells))
        yield cells


def _text(paragraph: Element) -> str:
    return " ".join("".join(_words(paragraph)).split())


def _words(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = local(child.tag)
        if name in _GAPS:
            yield "\n" if name == "line-break" else " "
        elif name not in _NO_TEXT and name not in ("p", "h"):  # of a frame
            yield from _words(child)
        yield child.tail or ""
