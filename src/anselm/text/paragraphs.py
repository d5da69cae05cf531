"""Paragraphs and headings from the lines of printed pages.

Words that were broken at the end of a line are mended, and lines at the top and bottom of most pages are dropped. What
is set much larger than the running text is a heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from anselm.text.outlines import Heading

BROKEN = "\x02"  # what PDFium puts for a hyphen at the end of a line
_BULLET = re.compile(r"[-*•‣▪●○◦·–—]\s|\(?\d{1,3}[.)]\s|\(?[a-zA-Z]\)\s")
_ENDED = re.compile(r"[.!?:;…][\"'”’»)\]]*$")
_LARGER = 1.15  # times the running text, at least
_APART = 1.4  # times the usual distance of lines, at least
_LONGEST = 200  # characters; what is longer is no heading


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, how high it stands and how large it is set, in points."""

    text: str
    page: int
    y: float
    size: float


def without_repeated(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """Without a first or last line that most pages have, whatever number is in it."""
    edges = Counter(key for page in pages for key in {_key(line) for line in (*page[:1], *page[-1:])})
    repeated = {key for key, count in edges.items() if count > 2 and count * 2 > len(pages)}
    return [
        line
        for page in pages
        for index, line in enumerate(page)
        if 0 < index < len(page) - 1 or _key(line) not in repeated
    ]


def _key(line: Line) -> str:
    return re.sub(r"\d+", "0", line.text.casefold())


def join_lines(lines: Sequence[Line], count: int) -> tuple[str, tuple[Heading, ...], tuple[int, ...]]:
    """Lines to paragraphs, with a blank line between."""
    usual, whole = _usual_distance(lines), " ".join(line.text for line in lines)
    parts: list[str] = []
    blocks: list[tuple[int, float]] = []  # where each begins, and its size
    starts: dict[int, int] = {}  # by page
    length = 0
    for last, line in zip([None, *lines], lines, strict=False):
        breaks = last is None or _breaks(last, line, usual)
        gap = "" if last is None else _gap(last.text, line.text, breaks, whole)
        length += len(gap)
        if breaks:
            blocks.append((length, line.size))
        if last is None or line.page != last.page:
            starts[line.page] = length
        text = line.text.removesuffix(BROKEN)
        length += len(text)
        parts += [gap, text]
    headings = _headings("".join(parts), blocks, _levels(lines))
    return "".join(parts), tuple(headings), _fill(starts, count, length)


def _fill(starts: Mapping[int, int], count: int, length: int) -> tuple[int, ...]:
    """Where each page begins; one without text, where the next one does."""
    filled = [length]
    for page in reversed(range(count)):
        filled.append(starts.get(page, filled[-1]))
    return tuple(reversed(filled[1:]))


def _gap(before: str, after: str, breaks: bool, whole: str) -> str:
    """What stands between two lines; a word that was broken is mended, unless it is written with a hyphen elsewhere."""
    hyphen = ""
    if before.endswith(BROKEN):
        first, second = re.search(r"\w*+(?=.$)", before), re.match(r"\w*+", after)
        word = f"{first[0] if first else ''}-{second[0] if second else ''}"
        hyphen = "-" if breaks or word in whole or not after[:1].islower() else ""
    return hyphen + ("\n\n" if breaks else "" if before.endswith(BROKEN) else " ")


def _levels(lines: Sequence[Line]) -> dict[float, int]:
    """The sizes of headings, the largest first: those well above the size of most of the text."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    running = max(sizes, key=lambda size: sizes[size], default=0.0)
    large = sorted((size for size in sizes if size > running * _LARGER), reverse=True)
    return {size: level for level, size in enumerate(large, start=1)}


def _usual_distance(lines: Sequence[Line]) -> float:
    """Of the baselines, in sizes of the type."""
    near = [(one.y - two.y) / two.size for one, two in pairwise(lines) if one.page == two.page and two.size]
    return median([distance for distance in near if 0.5 < distance < 4] or [1.2])


def _breaks(last: Line, line: Line, usual: float) -> bool:
    """Whether a new paragraph begins with this line."""
    if _BULLET.match(line.text) or not 0.93 < (line.size or 1) / (last.size or 1) < 1.07:
        return True
    if line.page != last.page or line.y > last.y:  # the next page or column: the sentence may go on
        return bool(_ENDED.search(last.text)) or not line.text[:1].islower()
    return last.y - line.y > usual * _APART * line.size


def _headings(text: str, blocks: Sequence[tuple[int, float]], levels: dict[float, int]) -> Iterator[Heading]:
    ends = [start - 2 for start, _ in blocks[1:]] + [len(text)]
    for (start, size), end in zip(blocks, ends, strict=True):
        if size in levels and end - start <= _LONGEST:
            yield Heading(levels[size], text[start:end], start, end, len(text))
