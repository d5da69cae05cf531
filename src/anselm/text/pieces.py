"""Cleaned text that remembers where each part of it stood in its source.

An extractor (Markdown, HTML) yields pieces: some cleaned text and the source span that it came from, or a gap.
`Cleaned` joins them and maps a span of the cleaned text back to the source.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from operator import attrgetter
from typing import NamedTuple

# What may stand between two texts, weakest first; of several in a row only the strongest remains, and none at the ends.
SPACE, CELL, BREAK = " ", ", ", "\n\n"
_STRENGTH = {"": 0, SPACE: 1, CELL: 2, BREAK: 3}
_RUN = re.compile(r"\S++(?: \S++)*+")  # words with nothing but single spaces between them


class Piece(NamedTuple):
    """Cleaned text and the source span it came from; where both are equally long, character for character."""

    text: str
    start: int
    end: int


def verbatim(source: str, start: int, end: int) -> Iterator[Piece]:
    """The source as it is, except that any other white space than a single blank becomes a gap."""
    last = start
    for run in _RUN.finditer(source, start, end):
        if run.start() > last:
            yield Piece(SPACE, last, run.start())
        last = run.end()
        yield Piece(run[0], run.start(), last)
    if last < end:
        yield Piece(SPACE, last, end)


def entity(written: str, start: int) -> Piece:
    """A character reference: &amp; &#38; &nbsp;"""
    text = unescape(written)
    return Piece(SPACE if text.isspace() else text, start, start + len(written))


def cut(pieces: Sequence[Piece], start: int, end: int) -> Iterator[Piece]:
    """The pieces of the source from start to end; one that reaches beyond is cut where that can be done."""
    for index in range(bisect_right(pieces, start, key=attrgetter("end")), len(pieces)):
        piece = pieces[index]
        if piece.start >= end:
            return
        first, last = max(start, piece.start), min(end, piece.end)
        if piece.text not in _STRENGTH and len(piece.text) == piece.end - piece.start:
            piece = Piece(piece.text[first - piece.start : last - piece.start], first, last)
        yield piece


class Cleaned:
    """The pieces joined into one `text`."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._pieces = list(_joined(pieces))
        self.text = "".join(piece.text for piece in self._pieces)
        self._offsets = [0]  # of each piece in the cleaned text, and the length of that
        for piece in self._pieces:
            self._offsets.append(self._offsets[-1] + len(piece.text))

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Where the non-empty span [start, end) of the cleaned text came from."""
        first = bisect_right(self._offsets, start) - 1
        last = bisect_left(self._offsets, end) - 1
        return self._source(first, start)[0], self._source(last, end - 1)[1]

    def _source(self, index: int, position: int) -> tuple[int, int]:
        """The source span of one character."""
        text, start, end = self._pieces[index]
        if len(text) != end - start:
            return start, end
        place = start + position - self._offsets[index]
        return place, place + 1


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    gap, last = "", -1
    for piece in pieces:
        if piece.text in _STRENGTH:
            gap = max(gap, piece.text, key=_STRENGTH.__getitem__)
            continue
        if gap and last >= 0:
            yield Piece(gap, last, piece.start)
        gap, last = "", piece.end
        yield piece
