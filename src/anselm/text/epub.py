"""Books (.epub): the pages of the spine, in their order, each read as HTML is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from anselm.errors import FormatError
from anselm.text.archives import Archive, local, open_archive
from anselm.text.encodings import decode
from anselm.text.extracts import Extract, Paragraph, join_blocks
from anselm.text.html import html_pieces
from anselm.text.outlines import html_headings
from anselm.text.questions import blocks_of

_PAGES = {"application/xhtml+xml", "text/html", "text/x-oeb1-document"}
_DECLARED = re.compile(
    rb"""\s*<\?xml\s[^>]*encoding\s*=\s*["']((?:iso-8859-|latin|windows-|cp|koi8-)[\w-]+)["']""", re.I
)
_LOCKS = "META-INF/encryption.xml"


def read_epub(raw: bytes, place: object) -> Extract:
    with open_archive(raw, place, "a book (.epub)") as archive:
        locked = _locked(archive)
        blocks: list[Paragraph] = []
        for name in _pages(archive):
            if name in locked:
                raise FormatError(place, "is protected against copying (DRM), and cannot be read")
            blocks += _blocks(_decode(archive.read(name), f"{place}, {name}"))
    return join_blocks(blocks, place)


def _pages(archive: Archive) -> Iterator[str]:
    """What is to be read one after the other; asides are not."""
    container = archive.parse("META-INF/container.xml")
    package = next(one.get("full-path", "") for one in container.iter() if local(one.tag) == "rootfile")
    book = list(archive.parse(package).iter())
    items = {one.get("id"): one for one in book if local(one.tag) == "item"}
    for one in (one for one in book if local(one.tag) == "itemref" and one.get("linear") != "no"):
        item = items[one.get("idref")]
        if item.get("media-type") in _PAGES:
            yield normpath(join(dirname(package), unquote(item.get("href", ""))))


def _locked(archive: Archive) -> set[str]:
    """Parts that are encrypted: fonts often are, pages where a book is protected."""
    listed = archive.parse(_LOCKS).iter() if _LOCKS in archive else ()
    return {unquote(one.get("URI", "")) for one in listed if local(one.tag) == "CipherReference"}


def _decode(raw: bytes, place: object) -> str:
    """Old books name their encoding; all others are in those of Unicode."""
    declared = _DECLARED.match(raw)
    try:
        return raw.decode(declared[1].decode()) if declared else decode(raw, place)
    except (UnicodeDecodeError, LookupError):
        problem = f"is not in the encoding that it names, {declared[1].decode()}" if declared else ""
    except FormatError:
        if b"\0" in raw:
            raise
        problem = "is not in UTF-8, and names no other encoding"
    raise FormatError(place, f"{problem}; a copy converted to EPUB anew, as by Calibre, can be read")


def _blocks(source: str) -> Iterator[Paragraph]:
    pieces = list(html_pieces(source))
    headings = html_headings(source, pieces)
    starts = [heading.start for heading in headings]
    for block in blocks_of(source, pieces):
        index = bisect_right(starts, block.start) - 1
        inside = index >= 0 and block.start < headings[index].end
        yield Paragraph(block.text, headings[index].level if inside else None)
