"""PowerPoint files (.pptx): each slide's title as a heading, then its paragraphs and tables in the order of its shapes.

Hidden slides, notes, footers, slide numbers and what is drawn in charts and diagrams are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from anselm.text.archives import Archive, local, open_archive
from anselm.text.extracts import Extract, Paragraph, Table, join_blocks

_TITLES = {"title", "ctrTitle"}
_FURNITURE = {"sldNum", "dt", "ftr", "hdr"}


def read_pptx(raw: bytes, place: object) -> Extract:
    with open_archive(raw, place, "a PowerPoint file (.pptx)") as archive:
        return join_blocks((block for slide in _slides(archive) for block in _blocks(slide)), place)


def _slides(archive: Archive) -> Iterator[Element]:
    """Those that are shown, in their order."""
    name = archive.main("ppt/presentation.xml")
    parts = archive.related(name)
    for listed in (one for one in archive.parse(name).iter() if local(one.tag) == "sldId"):
        id = next(value for key, value in listed.attrib.items() if key.endswith("}id"))
        slide = archive.parse(parts[id][1])
        if slide.get("show", "1") not in ("0", "false"):
            yield slide


def _blocks(slide: Element) -> Iterator[Paragraph | Table]:
    shapes = [(_role(shape), shape) for shape in _shapes(slide)]
    for role, shape in shapes:
        if role in _TITLES:
            yield Paragraph(" ".join(filter(None, _lines(shape))), level=1)
    for role, shape in shapes:
        if local(shape.tag) == "tbl":
            yield Table([[_cell(cell) for cell in row if local(cell.tag) == "tc"] for row in shape if _is_row(row)])
        elif role not in _TITLES | _FURNITURE:
            yield from map(Paragraph, _lines(shape))


def _shapes(element: Element) -> Iterator[Element]:
    for child in element:
        if local(child.tag) in ("sp", "tbl"):
            yield child
        elif local(child.tag) != "Fallback":  # says the same once more
            yield from _shapes(child)


def _role(shape: Element) -> str:
    """Of a shape that has a place in the layout."""
    return next((one.get("type", "body") for one in shape.iter() if local(one.tag) == "ph"), "")


def _lines(shape: Element) -> Iterator[str]:
    return (" ".join("".join(_words(one)).split()) for one in shape.iter() if local(one.tag) == "p")


def _words(paragraph: Element) -> Iterator[str]:
    for one in paragraph.iter():
        if local(one.tag) == "t":
            yield one.text or ""
        elif local(one.tag) == "br":
            yield " "


def _is_row(element: Element) -> bool:
    return local(element.tag) == "tr"


def _cell(cell: Element) -> str | None:
    if cell.get("vMerge") in ("1", "true"):
        return None
    return " ".join(filter(None, _lines(cell)))
