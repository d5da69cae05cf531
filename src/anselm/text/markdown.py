"""Markdown to text, with the source position of everything that is kept.

    kept      the text of headings, links, emphasis, list items, quotes, table cells, footnotes; the alt text of images;
              code, in a line or fenced, as it is (answers to technical questions are often code): a fenced block is
              one block, its line breaks become spaces
    dropped   the marks of all these, link targets and their definitions, footnote marks, rules, front matter, HTML
              comments and tags

A table row is one block, its cells joined by commas; rows are known by the bar they begin with. Marks that come in
pairs (** and [ ](...)) are dropped only when the second is found in the same block, as the standard has it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from anselm.text.html import ENTITY, tag_gap
from anselm.text.pieces import BREAK, CELL, SPACE, Piece, entity, verbatim

TOKEN = re.compile(
    rf"""(?P<block>
        \A---[ \t]*+\r?\n(?s:.*?)\n(?:---|\.\.\.)[ \t\r]*+$  # front matter
        |^[ ]{{0,3}}\[(?!\^)[^\]\n]++\]:[ \t]*+\S[^\n]*+  # [label]: where the link goes
        |^[ \t>]*+[-=*_:|+][-=*_:|+ \t\r]*+$  # a rule, the underline of a heading or of a table's head
        |\n[ \t>\r]*+$  # a blank line
        |^[ \t>]*+(?:(?:[-*+•]|\d{{1,9}}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?+)++(?!`{{3}}|~{{3}})  # list items
    )
    |^[ \t>]*+(?:(?:[-*+•]|\d{{1,9}}[.)])[ \t]++)?+(?P<fence>`{{3,}}+|~{{3,}}+)[^`\n]*+(?:\n|\Z)
        (?P<fenced>(?s:.*?))(?:^[ \t>]*+(?P=fence)[`~]*+[ \t\r]*+$|\Z)
    |(?P<heading>^[ \t>]*+\#{{1,6}}[ \t])
    |(?P<row>^[ \t>]*+\|)
    |(?P<bar>\|[ \t\r]*+$|\|)
    |(?P<line>(?:[ \t]\#++[ \t\r]*+)?\n)
    |(?P<nothing>
        <!--(?s:.*?)(?:-->|\Z)
        |^[ \t]*+>[ \t>]*+  # a quote goes on
        |\[\^[^\]\s]{{1,99}}+\]:?+  # a footnote
    )
    |(?P<code>(?<!`)(?:`[^`\n]++`|``(?:[^`\n]|`(?!`))++``)(?!`))
    |\\(?P<escaped>[!-/:-@\[-`{{-~])
    |(?P<entity>{ENTITY}(?<=;))
    |<(?P<address>(?:[a-zA-Z][a-zA-Z0-9+.-]{{1,31}}+:|[\w.+-]{{1,99}}+@)[^\s<>]++)>
    |</?(?P<tag>[a-zA-Z][\w-]*+)(?:[\s/][^<>]*+)?>
    |(?P<open>!?\[)
    |\](?P<target>\(\s*+(?:<[^<>\n]*+>|(?:[^()\s]|\([^()\s]*+\))*+)(?:\s++(?:"[^"\n]*+"|'[^'\n]*+'))?+\s*+\))
    |\](?P<label>(?:\[[^\[\]\n]*+\])?+)
    |(?P<pair>\*\*(?=\S)|(?<=\S)\*\*|\*(?=\S)|(?<=\S)\*|~~|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w))""",
    re.VERBOSE | re.MULTILINE,
)
_DEFINED = re.compile(r"^ {0,3}\[(?!\^)([^\]\n]++)\]:", re.MULTILINE)


def markdown_pieces(source: str) -> Iterator[Piece]:
    """The text of a page of Markdown."""
    reader = _Reader(source)
    last = 0
    for token in TOKEN.finditer(source):
        reader.keep(last, token.start())
        reader.take(token)
        last = token.end()
    reader.keep(last, len(source))
    yield from reader.pieces


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.pieces: list[Piece] = []
        self.opened: dict[str, list[int]] = defaultdict(list)  # marks that wait for their second: indices of pieces
        self.labels = {label.casefold() for label in _DEFINED.findall(source)}
        self.bar, self.line_end = "|", SPACE  # what these mean on the current line

    def keep(self, start: int, end: int) -> None:
        self.pieces += verbatim(self.source, start, end)

    def put(self, text: str, token: re.Match[str]) -> None:
        if text == BREAK:
            self.opened.clear()
        self.pieces.append(Piece(text, *token.span()))

    def take(self, token: re.Match[str]) -> None:
        match token.lastgroup:
            case "block":
                self.put(BREAK, token)
            case "heading" | "row":
                self.put(BREAK, token)
                self.bar, self.line_end = CELL if token["row"] else "|", BREAK
            case "line":
                self.put(self.line_end, token)
                self.bar, self.line_end = "|", SPACE
            case "bar":
                self.put(self.bar, token)
            case "fenced":
                self.put(BREAK, token)
                self.keep(*token.span("fenced"))
                self.put(BREAK, token)
            case _:
                self.take_inline(token)

    def take_inline(self, token: re.Match[str]) -> None:
        match token.lastgroup:
            case "code":
                ticks = 2 if token[0].startswith("``") else 1
                self.keep(token.start() + ticks, token.end() - ticks)
            case "entity":
                self.pieces.append(entity(token[0], token.start()))
            case "escaped":
                self.put(token["escaped"], token)
            case "address":
                self.keep(*token.span("address"))
            case "tag":
                self.put(tag_gap(token["tag"]), token)
            case "nothing":
                self.put("", token)
            case _:
                self.take_mark(token)

    def take_mark(self, token: re.Match[str]) -> None:
        """Marks in pairs: the first waits for the second, and both go or both stay."""
        kind, (start, end) = token.lastgroup, token.span()
        mark = token["pair"] or "["
        closes = kind in ("target", "label") or (kind == "pair" and not self.source[start - 1 : start].isspace())
        opens = kind == "open" or (kind == "pair" and not self.source[end : end + 1].isspace())
        if closes and self.opened[mark]:
            first = self.opened[mark].pop()
            if kind != "label" or self.is_link(self.pieces[first], token):
                self.pieces[first] = self.pieces[first]._replace(text="")
                return self.put("", token)
        elif opens:
            self.opened[mark].append(len(self.pieces))
        return self.put(token[0], token)

    def is_link(self, opening: Piece, closing: re.Match[str]) -> bool:
        """[text][label], or [label] and [label][] themselves: a link if the label is defined somewhere."""
        label = closing["label"].strip("[]") or self.source[opening.end : closing.start()]
        return label.casefold() in self.labels
