"""HTML to text, read as browsers read it, with the source position of everything that is kept.

Block elements end a sentence, table cells are joined by commas, entities are decoded. Scripts, styles, the title (the
page says it again), navigation, drawings and form fields are no text. The tokenizer is our own because the standard
library's gives no positions for entities and end tags, and takes quadratic time on pages full of unclosed tags; the
tests compare the two. As in a browser, what is opened and never closed (a comment, a tag, a script) runs to the end.
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


def html_pieces(source: str) -> Iterator[Piece]:
    """The visible text of a page."""
    for token in TOKEN.finditer(source):
        start, end = token.span()
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


def tag_gap(name: str) -> str:
    """What a tag puts between the text before and after it."""
    return _GAPS.get(name.lower(), "")
