"""The headings of a page: where they stand, how deep, and which of them stand above a place.

Markdown has headings with # or underlined, and people write questions in bold, on a line of their own or before the
answer; where they do, other bold lines are headings, too. In HTML the <summary> of <details> and the <dt> of a list are
headings, too, for as long as that element lasts. In plain text a heading is a few words with a number before them ("3.1
Returns"), between blank lines and not in a numbered list. Where every fourth block of a page or more is a question by
itself, these are headings, whatever marks they have (`questions.py`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from operator import attrgetter

from anselm.text.html import TOKEN as HTML_TOKEN
from anselm.text.markdown import TOKEN as MARKDOWN_TOKEN
from anselm.text.pieces import Cleaned, Piece, cut
from anselm.text.questions import Block, question_blocks, without_number

SEPARATOR = " > "  # between the headings above a place
_BOLD = re.compile(
    r"^[ \t>]*+(?:(?:[-*+•]|\d{1,9}[.)])[ \t]++)?+(?P<mark>\*\*|__)(?!\s|Q[\s\d]*[:.)])[^*\n]{2,300}?"
    r"(?:[?？](?P=mark)|(?P=mark)[?？])(?:[ \t\r]*+(?:<br ?/?>[ \t\r]*+)?$|(?=[ \t]))",
    re.MULTILINE,
)
_BOLD_TITLE = re.compile(
    r"^[ \t>]*+(?:(?:[-*+•]|\d{1,9}[.)])[ \t]++)?+(?P<mark>\*\*|__)(?!\s)[^*\n]{1,200}?[^*\n:.,;!…](?P=mark)"
    r"[ \t\r]*+(?:<br ?/?>[ \t\r]*+)?$",
    re.MULTILINE,
)
_UNDERLINE = re.compile(r"[ \t>]*+(={2,}+|-{2,}+)[ \t\r]*+")
_MARKED = re.compile(r"[ \t]*+(?:[-*+•>|#]|\d{1,9}[.)][ \t]|$)")  # no text that could be underlined
_PARAGRAPH = re.compile(r"\S[^\n]*+(?:\n(?![ \t\r]*+(?:\n|\Z))[^\n]*+)*+")
_NUMBER = r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})"
_ITEM = re.compile(rf"{_NUMBER}[.)][ \t]")
_NUMBERED = re.compile(rf"{_NUMBER}[.)]?[ \t]++[A-Z](?:[^\n]{{0,58}}[^\n.!?:;,])?+")
_LEVELS = {**{f"h{level}": level for level in range(1, 7)}, "summary": 7, "dt": 8}
_SCOPES = {"summary": {"/details"}, "dt": {"/dl"}}  # where what stands below them ends
_PAGE_END = {"footer", "/main", "/body"}
_LOWEST, _NOWHERE = 9, 1 << 60
Spot = tuple[int, int, int, int]  # the level of a heading, where it begins and ends, and where its text ends


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, its span of the source, and where at the latest the text below it ends."""

    level: int
    title: str
    start: int
    end: int
    until: int


def markdown_headings(source: str, pieces: Sequence[Piece]) -> list[Heading]:
    bold = {title.start(): title.end() for title in _BOLD.finditer(source)}
    titles = {title.start(): title.end() for title in _BOLD_TITLE.finditer(source)}
    if len(titles.keys() - bold.keys()) < len(bold):  # where most ask, the others are titles, too
        bold = titles | bold
    found = {start: (7, start, end) for start, end in sorted(bold.items())}
    fences = list[tuple[int, int]]()
    for token in MARKDOWN_TOKEN.finditer(source):
        if token.lastgroup == "heading":
            found[token.start()] = (token[0].count("#"), token.start(), _line_end(source, token.end()))
        elif token.lastgroup == "block" and (line := _UNDERLINE.fullmatch(token[0])):
            if (start := _underlined(source, token.start())) is not None:
                found[start] = (1 if line[1].startswith("=") else 2, start, token.end())
        elif token.lastgroup == "fenced":
            fences.append(token.span())
    starts = [start for start in sorted(found) if not _is_within(start, fences)]
    return _titled(pieces, [(*found[start], len(source)) for start in starts])


def _is_within(position: int, spans: Sequence[tuple[int, int]]) -> bool:
    index = bisect_right(spans, (position, _NOWHERE)) - 1
    return index >= 0 and position < spans[index][1]


def text_headings(source: str, pieces: Sequence[Piece]) -> list[Heading]:
    paragraphs = list(_PARAGRAPH.finditer(source))
    depths = [None, *(_item_depth(paragraph[0]) for paragraph in paragraphs)]
    found = []
    for before, depth, after, paragraph in zip(depths, depths[1:], depths[2:], paragraphs, strict=False):
        one = _NUMBERED.fullmatch(paragraph[0].rstrip())
        if one and depth is not None and depth not in (before, after):  # else an item of a list
            found.append((depth + 1, paragraph.start(), paragraph.start() + len(one[0]), len(source)))
    return _titled(pieces, found)


def _item_depth(paragraph: str) -> int | None:
    """Of the number that it begins with: 0 for 3., 1 for 3.1."""
    item = _ITEM.match(paragraph) or _NUMBERED.fullmatch(paragraph.rstrip())
    return item["number"].count(".") if item else None


def _underlined(source: str, underline: int) -> int | None:
    """Where the line begins that is underlined here: text by itself, since after other text this would be a rule."""
    start = source.rfind("\n", 0, max(underline - 1, 0)) + 1
    before = source.rfind("\n", 0, max(start - 1, 0)) + 1
    alone = not source[before : max(start - 1, 0)].strip()
    return start if alone and not _MARKED.match(source[start:underline].rstrip()) else None


def _line_end(source: str, position: int) -> int:
    end = source.find("\n", position)
    return len(source) if end < 0 else end


def html_headings(source: str, pieces: Sequence[Piece]) -> list[Heading]:
    """Each from its opening tag to its closing one, or to what closes it in a browser: the next heading."""
    found: list[Spot] = []
    names: list[str] = []
    for token in HTML_TOKEN.finditer(source):
        if token.lastgroup != "tag":
            continue
        tag = ("/" if token[0].startswith("</") else "") + token["tag"].lower()
        if tag in _LEVELS:
            found.append((_LEVELS[tag], token.start(), -1, len(source)))
            names.append(tag)
        elif found:
            level, start, end, until = found[-1]
            if end < 0 and (tag == f"/{names[-1]}" or tag == "dd"):
                found[-1] = (level, start, token.end() if tag.startswith("/") else token.start(), until)
            elif until == len(source) and tag in _SCOPES.get(names[-1], _PAGE_END):
                found[-1] = (level, start, end if end >= 0 else token.start(), token.start())
    return _titled(pieces, [one for one in found if one[2] >= 0])


def _titled(pieces: Sequence[Piece], found: list[Spot]) -> list[Heading]:
    headings = []
    for level, start, end, until in found:
        title = Cleaned(cut(pieces, start, end)).text
        if title:
            headings.append(Heading(level, " ".join(title.split()), start, end, until))
    return headings


def with_questions(headings: Sequence[Heading], blocks: Sequence[Block]) -> list[Heading]:
    """Headings, and questions that are set like some: below every other, and as long as the one they stand below."""
    starts = [heading.start for heading in headings]
    bare = [block._replace(text="") if _is_inside(block, headings, starts) else block for block in blocks]
    found, ends, known = list(headings), list[int](), 0
    for one in question_blocks(bare):
        while known < len(headings) and headings[known].start <= one.start:
            heappush(ends, headings[known].until)
            known += 1
        while ends and ends[0] <= one.start:
            heappop(ends)
        title = " ".join(without_number(one.text).split())
        found.append(Heading(_LOWEST, title, one.start, one.end, ends[0] if ends else _NOWHERE))
    return sorted(found, key=attrgetter("start"))


def _is_inside(block: Block, headings: Sequence[Heading], starts: Sequence[int]) -> bool:
    index = bisect_right(starts, block.start) - 1
    return index >= 0 and block.start < headings[index].end


class Outline:
    """Headings in order, and which of them stand above a place."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self.headings = headings
        self._starts = [heading.start for heading in headings]
        self._above: list[tuple[Heading, ...]] = []  # for each heading those above it
        stack: list[Heading] = []
        for heading in headings:
            stack = [one for one in stack if one.level < heading.level and heading.start < one.until]
            self._above.append(tuple(stack))
            stack.append(heading)

    def above(self, index: int) -> tuple[Heading, ...]:
        """The headings above a heading, the highest first."""
        return self._above[index]

    def is_leaf(self, index: int) -> bool:
        """Whether no other heading stands below it."""
        return index + 1 == len(self.headings) or self.headings[index] not in self._above[index + 1]

    def path(self, position: int) -> tuple[Heading, ...]:
        """The headings that hold a place of the source, the highest first."""
        index = bisect_right(self._starts, position) - 1
        if index < 0:
            return ()
        return tuple(one for one in (*self._above[index], self.headings[index]) if position < one.until)

    def is_heading(self, position: int) -> bool:
        """Whether the place is a heading's own."""
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self.headings[index].end


def join_titles(headings: Sequence[Heading]) -> str:
    return SEPARATOR.join(heading.title for heading in headings)
