"""The text of a Word file (.docx), with its headings: paragraphs and table rows, with a blank line between.

A .docx is a packed folder of XML, of which the text and the names of its styles are read. A paragraph that is all bold
and asks something is a heading, as in other pages.
"""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

from anselm.errors import FormatError
from anselm.text.outlines import Heading

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # says the same once more
_LARGEST = 500_000_000  # bytes, unpacked
_BOLD = 7  # level
_GAPS = {f"{_W}tab": " ", f"{_W}br": " ", f"{_W}cr": " ", f"{_W}noBreakHyphen": "-"}


# Of the packing, of the XML and its encoding; RuntimeError also where elements are nested too deeply.
_DAMAGES = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, LookupError, ValueError,
    ElementTree.ParseError,
)  # fmt: skip


class _Block(NamedTuple):
    text: str
    level: int | None = None  # of a heading


def read_docx(raw: bytes, place: object) -> tuple[str, tuple[Heading, ...]]:
    """The text and its headings."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as folder:
            body = _parse(folder, "word/document.xml", place)
            levels = _levels(_parse(folder, "word/styles.xml", place)) if "word/styles.xml" in folder.namelist() else {}
        blocks = [block for block in _blocks(body, levels) if block.text]
    except _DAMAGES:
        raise FormatError(place, "is not a Word file (.docx), or damaged or encrypted") from None
    if not blocks:
        raise FormatError(place, "has no text")
    text = "\n\n".join(block.text for block in blocks)
    return text, tuple(_headings(blocks, len(text)))


def _parse(folder: zipfile.ZipFile, name: str, place: object) -> ElementTree.Element:
    if folder.getinfo(name).file_size > _LARGEST:
        raise FormatError(place, f"unpacks to more than {_LARGEST:,} bytes")
    return ElementTree.fromstring(folder.read(name))


def _levels(styles: ElementTree.Element) -> dict[str, int]:
    """The level of each style that is a heading's, also of one made from such a style."""
    based: dict[str, str] = {}
    levels: dict[str, int] = {}
    for style in styles.iter(f"{_W}style"):
        id, name = style.get(f"{_W}styleId", ""), _value(style, "name").lower()
        based[id] = _value(style, "basedOn")
        if found := re.fullmatch(r"heading (\d)", name):
            levels[id] = int(found[1])
        elif name == "title":
            levels[id] = 0
    for id in based:
        above, seen = id, {id}
        while above not in levels and (above := based.get(above, "")) and above not in seen:
            seen.add(above)
        if above in levels:
            levels[id] = levels[above]
    return levels


def _value(element: ElementTree.Element, path: str) -> str:
    found = element.find("/".join(_W + step for step in path.split("/")))
    return found.get(f"{_W}val", "") if found is not None else ""


def _blocks(element: ElementTree.Element, levels: dict[str, int]) -> Iterator[_Block]:
    """The paragraphs and table rows, wherever they are nested."""
    for child in element:
        if child.tag == f"{_W}p":
            text = _text(child)
            yield _Block(text, _level(child, text, levels))
        elif child.tag == f"{_W}tr":
            cells = (" ".join(map(_text, cell.iter(f"{_W}p"))).strip() for cell in child.findall(f"{_W}tc"))
            yield _Block(", ".join(cell for cell in cells if cell))
        elif child.tag != _FALLBACK:
            yield from _blocks(child, levels)


def _text(paragraph: ElementTree.Element) -> str:
    return " ".join("".join(_words(paragraph)).split())


def _words(element: ElementTree.Element) -> Iterator[str]:
    for child in element:
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in _GAPS:
            yield _GAPS[child.tag]
        elif child.tag not in (_FALLBACK, f"{_W}pPr"):
            yield from _words(child)


def _level(paragraph: ElementTree.Element, text: str, levels: dict[str, int]) -> int | None:
    style = _value(paragraph, "pPr/pStyle")
    if style in levels:
        return levels[style]
    runs = [run for run in paragraph.iter(f"{_W}r") if "".join(_words(run)).strip()]
    bold = [run.find(f"{_W}rPr/{_W}b") for run in runs]
    all_bold = all(mark is not None and mark.get(f"{_W}val", "1") not in ("0", "false") for mark in bold)
    return _BOLD if text.endswith("?") and all_bold else None


def _headings(blocks: list[_Block], length: int) -> Iterator[Heading]:
    position = 0
    for block in blocks:
        end = position + len(block.text)
        if block.level is not None:
            yield Heading(block.level, block.text, position, end, length)
        position = end + 2
