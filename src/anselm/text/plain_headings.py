"""The headings of plain text, which has no markup: a few words between blank lines.

    3.1 Returns   with a number before them, but not in a numbered list
    Returns       without one, above a paragraph that is much longer and ends as sentences do

The second might be anything, a short answer too, or an item of a list. So there must be two of them at least, and none
directly below another, but for a title at the top of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from anselm.text.outlines import Heading, titled
from anselm.text.pieces import Piece

_PARAGRAPH = re.compile(r"\S[^\n]*+(?:\n(?![ \t\r]*+(?:\n|\Z))[^\n]*+)*+")
_NUMBER = r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})"
_ITEM = re.compile(rf"{_NUMBER}[.)][ \t]")
_NUMBERED = re.compile(rf"{_NUMBER}[.)]?[ \t]++[A-Z](?:[^\n]{{0,58}}[^\n.!?:;,])?+")
_BARE = re.compile(r"[^\W\d_](?:[^\n\t|@]{0,58}[\w)\"'”’])?")  # a few words, at whose end nothing stops
_ENDED = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_TIMES = 2  # as many words as its heading, at least, has what stands below it
_LEAST = 2  # headings without a number

Placed = tuple[int, int, int, int]  # level, start, end, and where the text below ends at the latest


def text_headings(source: str, pieces: Sequence[Piece]) -> list[Heading]:
    paragraphs = list(_PARAGRAPH.finditer(source))
    found = [*_numbered(paragraphs, len(source)), *_bare(paragraphs, len(source))]
    return titled(pieces, sorted(found, key=lambda one: one[1]))


def _numbered(paragraphs: Sequence[re.Match[str]], until: int) -> Iterator[Placed]:
    depths = [None, *(_item_depth(paragraph[0]) for paragraph in paragraphs)]
    for before, depth, after, paragraph in zip(depths, depths[1:], depths[2:], paragraphs, strict=False):
        one = _NUMBERED.fullmatch(paragraph[0].rstrip())
        if one and depth is not None and depth not in (before, after):  # else an item of a list
            yield depth + 1, paragraph.start(), paragraph.start() + len(one[0]), until


def _item_depth(paragraph: str) -> int | None:
    """Of the number that it begins with: 0 for 3., 1 for 3.1."""
    item = _ITEM.match(paragraph) or _NUMBERED.fullmatch(paragraph.rstrip())
    return item["number"].count(".") if item else None


def _bare(paragraphs: Sequence[re.Match[str]], until: int) -> list[Placed]:
    texts = [paragraph[0].rstrip() for paragraph in paragraphs]
    short = [bool(_BARE.fullmatch(text)) and text[0].isupper() for text in texts]
    places = [
        place
        for place in range(len(texts) - 1)
        if short[place] and (place <= 1 or not short[place - 1]) and _heads(texts[place], texts[place + 1])
    ]
    if len(places) < _LEAST:
        return []
    title = [0] if short[0] and places[0] == 1 else []
    return [
        (1 if place in title else 2, paragraphs[place].start(), paragraphs[place].start() + len(texts[place]), until)
        for place in (*title, *places)
    ]


def _heads(line: str, below: str) -> bool:
    return bool(_ENDED.search(below)) and len(below.split()) >= _TIMES * len(line.split())
