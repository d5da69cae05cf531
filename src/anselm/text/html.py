"""HTML to text, read as browsers read it, with the source position of everything that is kept.

Block elements end a sentence, table cells are joined by commas, entities are decoded. Scripts, styles, the title (the
page says it again), navigation, footers, asides, drawings and form fields are no text. The tokenizer is our own because
the standard library's gives no positions for entities and end tags, and takes quadratic time on pages full of unclosed
tags; the tests compare the two. As in a browser, what is opened and never closed (a comment, a tag, a script) runs to
the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from anselm.text.pieces import BREAK, CELL, SPACE, Piece, entity, verbatim

_BLOCKS = """
    address article aside blockquote body button caption center dd details dialog div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hr html label legend li main menu ol option p pre section summary table tbody
    tfoot thead tr ul
"""
_GAPS = dict.fromkeys(_BLOCKS.split(), BREAK) | {"td": CELL, "th": CELL, "br": SPACE}
_ATTRIBUTES = r"""(?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?+)*+(?:>|\Z)"""  # a quoted value may hold a >
ENTITY = r"&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});?"
TOKEN = re.compile(
    rf"""(?P<text>[^<&]++)
    |(?P<entity>{ENTITY})
    |(?P<breaks>(?:<br\b[^<>]*+>\s*+){{2,}}+)
    |<!--(?:-?>|.*?(?:--!?>|\Z))
    |<(?P<skipped>script|style|title|template|noscript|iframe|nav|svg|select|textarea)(?=[\s/>]){_ATTRIBUTES}(?<!/>)
        .*?(?:</(?P=skipped)(?=[\s/>])[^>]*+(?:>|\Z)|\Z)
    |</?(?P<tag>[a-zA-Z][^\s/>]*+){_ATTRIBUTES}
    |<[!?/][^>]*+(?:>|\Z)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


_ASIDES = ("footer", "aside")
_NAVIGATION = re.compile(r"""\srole\s*+=\s*+["']?navigation\b""", re.IGNORECASE)


def html_pieces(source: str) -> Iterator[Piece]:
    """The visible text of a page, without what stands around it."""
    aside = _Aside()
    for token in TOKEN.finditer(source):
        start, end = token.span()
        if aside.holds(token):
            yield Piece(BREAK if token.lastgroup == "tag" else "", start, end)
            continue
        match token.lastgroup:
            case "text" | "other":
                yield from verbatim(source, start, end)
            case "entity":
                yield entity(token[0], start)
            case "breaks":
                yield Piece(BREAK, start, end)
            case "tag":
                yield Piece(tag_gap(token["tag"]), start, end)
            case _:  # comments, scripts, declarations
                yield Piece("", start, end)


class _Aside:
    """Whether the page is at something that stands beside its text: a footer, an aside, a navigation."""

    def __init__(self) -> None:
        self.name, self.depth = "", 0

    def holds(self, token: re.Match[str]) -> bool:
        """Token after token; also of the tags at both ends."""
        inside = self.depth > 0
        if token.lastgroup == "tag":
            name, tag = token["tag"].lower(), token[0]
            if not inside and not tag.startswith("</") and (name in _ASIDES or _NAVIGATION.search(tag)):
                self.name = name
            if name == self.name and not tag.endswith("/>"):
                self.depth = max(self.depth + (-1 if tag.startswith("</") else 1), 0)
                inside = True
            if not self.depth:
                self.name = ""
        return inside


def tag_gap(name: str) -> str:
    """What a tag puts between the text before and after it."""
    return _GAPS.get(name.lower(), "")
