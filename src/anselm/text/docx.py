"""The text of a Word file (.docx), with its headings and tables: paragraphs and rows, with a blank line between.

A .docx is a packed folder of XML, of which the text and the names of its styles are read. A question in bold is a
heading, by itself or in front of its answer, and so are other bold lines of a page in which more of them ask.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

from anselm.text.archives import Archive, open_archive
from anselm.text.extracts import Extract, Paragraph, Table, cell_text, join_blocks

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"  # as another kind of .docx has it
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # says the same once more
_BOLD, _BOLD_TITLE = 7, 70  # levels: of what asks, and of what may be a heading
_NO_TITLE = (":", ".", ",", ";", "!", "…")
_MOST_COLUMNS = 63  # of a table in Word
_GAPS = {f"{_W}tab": " ", f"{_W}br": " ", f"{_W}cr": " ", f"{_W}noBreakHyphen": "-"}
_AROUND = {f"{_W}{name}" for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo")}  # rows and cells
_GONE = {_FALLBACK, f"{_W}moveFrom", f"{_W}pPr"}  # no text, or one that stands elsewhere
_BOX = f"{_W}txbxContent"


def read_docx(raw: bytes, place: object) -> Extract:
    with open_archive(raw, place, "a Word file (.docx)") as archive:
        name = archive.main("word/document.xml")
        body, styles = _parse(archive, name), archive.part(name, "styles") or "word/styles.xml"
        levels = _levels(_parse(archive, styles)) if styles in archive else {}
        return join_blocks(_settle_titles(list(_blocks(body, levels))), place)


def _parse(archive: Archive, name: str) -> ElementTree.Element:
    """In one namespace."""
    root = archive.parse(name)
    if root.tag.startswith(_STRICT):
        for one in root.iter():
            one.tag = one.tag.replace(_STRICT, _W)
            for key in [key for key in one.attrib if key.startswith(_STRICT)]:
                one.set(key.replace(_STRICT, _W), one.attrib.pop(key))
    return root


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


def _blocks(element: ElementTree.Element, levels: dict[str, int]) -> Iterator[Paragraph | Table]:
    """The paragraphs and tables, wherever they are nested."""
    for child in element:
        if child.tag == f"{_W}p":
            yield from _paragraphs(child, levels)
            for box in _inline(child, _BOX):
                yield from _blocks(box, levels)
        elif child.tag == f"{_W}tbl":
            yield Table.of(list(_cells(row)) for row in _inside(child, f"{_W}tr"))
        elif child.tag not in _GONE:
            yield from _blocks(child, levels)


def _inline(paragraph: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    """Its runs, or the boxes of text that stand beside it."""
    for child in paragraph:
        if child.tag == tag:
            yield child
        elif child.tag not in _GONE and child.tag != _BOX:
            yield from _inline(child, tag)


def _inside(element: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in _AROUND:
            yield from _inside(child, tag)


def _cells(row: ElementTree.Element) -> Iterator[str | None]:
    """One for each column: a cell over several is that of the first, and none stands in the others."""
    yield from [""] * _count(row, "trPr/gridBefore", 0)
    for cell in _inside(row, f"{_W}tc"):
        merged = cell.find(f"{_W}tcPr/{_W}vMerge")
        text = cell_text(_blocks(cell, {}))
        goes_on = merged is not None and merged.get(f"{_W}val", "continue") == "continue"
        yield None if goes_on and not text else text
        yield from [""] * (_count(cell, "tcPr/gridSpan", 1) - 1)


def _count(element: ElementTree.Element, path: str, least: int) -> int:
    written = _value(element, path)
    return min(max(int(written), least), _MOST_COLUMNS) if written else least


def _text(paragraph: ElementTree.Element) -> str:
    return " ".join("".join(_words(paragraph)).split())


def _words(element: ElementTree.Element) -> Iterator[str]:
    for child in element:
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in _GAPS:
            yield _GAPS[child.tag]
        elif child.tag not in _GONE and child.tag != _BOX:
            yield from _words(child)


def _paragraphs(paragraph: ElementTree.Element, levels: dict[str, int]) -> Iterator[Paragraph]:
    """One, or a question in bold and what follows it in the same paragraph."""
    text, style = _text(paragraph), _value(paragraph, "pPr/pStyle")
    lead = _bold_lead(paragraph)
    if style in levels:
        yield Paragraph(text, levels[style])
    elif lead.endswith("?"):
        yield Paragraph(lead, _BOLD)
        yield Paragraph(text[len(lead) :].strip())
    else:
        yield Paragraph(text, _BOLD_TITLE if lead == text and not text.endswith(_NO_TITLE) else None)


def _bold_lead(paragraph: ElementTree.Element) -> str:
    """The text that is bold from the beginning."""
    found = []
    for run in _inline(paragraph, f"{_W}r"):
        words = "".join(_words(run))
        mark = run.find(f"{_W}rPr/{_W}b")
        if words.strip() and (mark is None or mark.get(f"{_W}val", "1") in ("0", "false")):
            break
        found.append(words)
    return " ".join("".join(found).split())


def _settle_titles(blocks: list[Paragraph | Table]) -> Iterator[Paragraph | Table]:
    """Bold lines are headings where more of them ask."""
    levels = Counter(block.level for block in blocks if isinstance(block, Paragraph))
    level = _BOLD if levels[_BOLD_TITLE] < levels[_BOLD] else None
    for block in blocks:
        if isinstance(block, Paragraph) and block.level == _BOLD_TITLE:
            block = block._replace(level=level)
        yield block
