"""HTML pages: headings, terms, and lines in bold that ask something, with the text below them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from itertools import takewhile

from tools.default_model.entries.blocks import QUESTION, Block, is_plain, squeeze
from tools.default_model.entries.headings import NUMBER, asks, clean_heading

LEFT_OUT = re.compile("script|style|nav|footer|form|select|button|noscript|svg|math|object|iframe|template|title")
PART = re.compile("h[1-6r]|p|li|d[tdl]|div|section|article|blockquote|[uo]l|main|body|center|t[dhr]|table|pre|address")
ALWAYS_CLOSED = re.compile("div|span|section|[uod]l|a")
STRONG = re.compile("b|strong|em|i")
CLASSES_LEFT_OUT = re.compile(
    r"(^|\s)((wy-)?nav(header|footer|bar|igation|-panel|-side)?|toc|toctree-wrapper|breadcrumbs?|(sphinx)?sidebar|related"
    r"|footer|menu|headerlink|copiable-link|footnotes?|copyright|legalnotice|revhistory|language|path|twikiToc|contents"
    r"|sectnum|section-number|caption|summary-letter|(informal)?(figure|table)|example|embedded|howtoget)(\s|$)",
    re.I,
)
BREAK = "\n"
CELL = 6  # words; a cell of fewer is a value, not a sentence


def read(page: str) -> list[Block]:
    language = re.search(r"<html[^>]*\slang=[\"']?([a-z]+)", page[:3000], re.I)
    if language and language[1].lower() != "en":
        return []
    reader = Reader()
    with suppress(AssertionError):  # on declarations that the parser does not know
        reader.feed(page)
        reader.close()
    reader.flush()
    return reader.blocks


class Reader(HTMLParser):
    """Gathers the text between two tags that begin or end a block, and notes which of it is bold or a link."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Block] = []
        self.inside: list[str] = []  # open tags that say what the text is; "?" after one of a question
        self.skipped: list[str] = []  # open tags of the same name as the one whose text is left out
        self.runs: list[tuple[str, bool, bool]] = []  # text, whether it is bold, whether it is a link

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        classes = given.get("class", "")
        if self.skipped:
            self.skipped += [tag] if tag == self.skipped[0] else []
        elif LEFT_OUT.fullmatch(tag) or (ALWAYS_CLOSED.fullmatch(tag) and CLASSES_LEFT_OUT.search(classes)):
            self.skipped = [tag]
        elif tag == "br":
            self.handle_data(BREAK)
        elif PART.fullmatch(tag):
            self.flush()
            ends = "h[1-6]|d[td]" if tag in ("dt", "dd") else "h[1-6]"  # often left open
            self.inside = [name for name in self.inside if not re.fullmatch(ends, name.rstrip("?"))]
            self.inside.append(f"{tag}?" if tag == "dt" or "question" in classes.split() else tag)
        elif STRONG.fullmatch(tag) or "href" in given:
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.skipped:
            self.skipped = self.skipped[1:] if tag == self.skipped[0] else self.skipped
            return
        if PART.fullmatch(tag):
            self.flush()
        names = [name.rstrip("?") for name in self.inside]
        if tag in names:
            place = len(names) - 1 - names[::-1].index(tag)
            # A part also ends what was left open in it; bold and links cross each other at times.
            del self.inside[place : len(names) if PART.fullmatch(tag) else place + 1]

    def handle_data(self, data: str) -> None:
        if data == BREAK and self.runs and self.runs[-1][0].endswith(BREAK) and "pre" not in self.inside:
            self.flush()
        elif not self.skipped:
            self.runs.append((data, any(map(STRONG.fullmatch, self.inside)), "a" in self.inside))

    def flush(self) -> None:
        text = squeeze("".join(run[0] for run in self.runs))
        bold, linked = (squeeze("".join(run[0] for run in self.runs if run[kind])) for kind in (1, 2))
        first = squeeze("".join(run[0] for run in takewhile(lambda run: run[1] or not run[0].strip(), self.runs)))
        self.runs = []
        heading = next((int(name[1]) for name in self.inside if re.match("h[1-6]", name)), 0)
        if heading:
            self.blocks.append(Block(text, heading))
        elif not re.fullmatch("[QA]?[:.]?", text) and len(linked) <= 0.8 * len(text):  # no label, no menu
            self.blocks += self._blocks(text, bold, first)

    def _blocks(self, text: str, bold: str, first: str) -> Iterator[Block]:
        asked = any(name.endswith("?") for name in self.inside) or re.match(r"(Q|Question)\s*\d*\s*[:.)]", text)
        if "pre" in self.inside:
            yield Block(text, code=not is_plain(text))
        elif asked or len(bold) >= max(10, 0.9 * len(NUMBER.sub("", text))):
            yield Block(text, QUESTION)
        elif asks(clean_heading(first)):
            yield Block(first, QUESTION)
            yield Block(text[len(first) :].strip())
        else:
            yield Block(text, code="td" in self.inside and len(text.split()) < CELL)
