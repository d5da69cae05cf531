"""The text of a PDF: paragraphs joined from their lines, headings by their size, and the place where each page begins.

Words that were broken at the end of a line are mended, and lines at the top and bottom of most pages are dropped. What
is set much larger than the running text is a heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median
from typing import Any

from anselm.errors import FormatError, MissingExtraError
from anselm.text.outlines import Heading

_BROKEN = "\x02"  # what PDFium puts for a hyphen at the end of a line
_LINE_ENDS = ("\n", _BROKEN)
_BULLET = re.compile(r"[-*•‣▪●○◦·–—]\s|\(?\d{1,3}[.)]\s|\(?[a-zA-Z]\)\s")
_ENDED = re.compile(r"[.!?:;…][\"'”’»)\]]*$")
_LARGER = 1.15  # times the running text, at least
_APART = 1.4  # times the usual distance of lines, at least
_LONGEST = 200  # characters; what is longer is no heading
_WRONG_PASSWORD = 4  # PDFium's code


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, where it stands and how large it is set, in points."""

    text: str
    page: int
    x: float
    y: float
    size: float


def read_pdf(raw: bytes, place: object) -> tuple[str, tuple[Heading, ...], tuple[int, ...]]:
    """The text, its headings, and the place at which each page begins."""
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtraError(f"reading {place}, a PDF,", "documents") from None
    try:
        document = pypdfium2.PdfDocument(raw)
        try:
            pages = [list(_lines(page, number)) for number, page in enumerate(document)]
        finally:
            document.close()
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _WRONG_PASSWORD:
            raise FormatError(place, "is encrypted; save a copy without a password") from None
        raise FormatError(place, "is not a PDF, or damaged") from None
    if not any(pages):
        many = "its page is a picture" if len(pages) == 1 else f"its {len(pages)} pages are pictures"
        raise FormatError(place, f"has no text: {many}, as of a scan; put it through text recognition (OCR) first")
    return _join(_without_repeated(pages), len(pages))


def _lines(page: Any, number: int) -> Iterator[Line]:
    """The lines of a page, as PDFium finds them."""
    from pypdfium2 import raw as pdfium

    text = page.get_textpage()
    characters = [chr(pdfium.FPDFText_GetUnicode(text, index)) for index in range(text.count_chars())]
    start = 0
    for end in [index + 1 for index, character in enumerate(characters) if character in _LINE_ENDS] + [len(characters)]:
        line = "".join(character for character in characters[start:end] if character >= " " or character == _BROKEN)
        line = line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if line.strip():
            first = next(index for index in range(start, end) if not characters[index].isspace())
            yield Line(" ".join(line.split()), number, *_place(text, first))
        start = end


def _place(text: Any, index: int) -> tuple[float, float, float]:
    """Where a character stands, and its size: PDFium tells the one before the page's own scale."""
    from ctypes import byref, c_double

    from pypdfium2 import raw as pdfium

    x, y, matrix = c_double(), c_double(), pdfium.FS_MATRIX()
    pdfium.FPDFText_GetCharOrigin(text, index, byref(x), byref(y))
    pdfium.FPDFText_GetMatrix(text, index, byref(matrix))
    return x.value, y.value, round(pdfium.FPDFText_GetFontSize(text, index) * (abs(matrix.d) or 1), 1)


def _without_repeated(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """Without a first or last line that most pages have, whatever number is in it."""
    edges = Counter(key for page in pages for key in {_key(line) for line in (*page[:1], *page[-1:])})
    repeated = {key for key, count in edges.items() if count > 2 and count * 2 > len(pages)}
    kept = []
    for page in pages:
        inner = page[1:-1] if len(page) > 1 else ()
        outer = [line for line in (*page[:1], *page[-1:]) if _key(line) not in repeated]
        kept += [line for line in page if line in inner or line in outer]
    return kept


def _key(line: Line) -> str:
    return re.sub(r"\d+", "0", line.text.casefold())


def _join(lines: Sequence[Line], count: int) -> tuple[str, tuple[Heading, ...], tuple[int, ...]]:
    """Lines to paragraphs, with a blank line between."""
    usual, whole = _usual_distance(lines), " ".join(line.text for line in lines)
    parts: list[str] = []
    blocks: list[tuple[int, float]] = []  # where each begins, and its size
    length, starts = 0, [0] * count
    for last, line in zip([None, *lines], lines, strict=False):
        breaks = last is None or _breaks(last, line, usual)
        gap = "" if last is None else _gap(last.text, line.text, breaks, whole)
        length += len(gap)
        if breaks:
            blocks.append((length, line.size))
        if last is None or line.page != last.page:
            starts[line.page] = length
        text = line.text.removesuffix(_BROKEN)
        length += len(text)
        parts += [gap, text]
    headings = _headings("".join(parts), blocks, _levels(lines))
    return "".join(parts), tuple(headings), tuple(accumulate(starts, max))


def _gap(before: str, after: str, breaks: bool, whole: str) -> str:
    """What stands between two lines; a word that was broken is mended, unless it is written with a hyphen elsewhere."""
    hyphen = ""
    if before.endswith(_BROKEN):
        first, second = re.search(r"\w*+(?=.$)", before), re.match(r"\w*+", after)
        word = f"{first[0] if first else ''}-{second[0] if second else ''}"
        hyphen = "-" if breaks or word in whole or not after[:1].islower() else ""
    return hyphen + ("\n\n" if breaks else "" if before.endswith(_BROKEN) else " ")


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
