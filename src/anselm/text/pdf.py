"""The text of a PDF, with its headings and the place where each page begins. PDFium finds the lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from ctypes import byref, c_double
from typing import Any

from anselm.errors import FormatError, MissingExtraError
from anselm.text.extracts import Extract
from anselm.text.paragraphs import BROKEN, Line, join_lines, without_repeated

_LINE_ENDS = ("\n", BROKEN)
_SAMPLED = 9  # characters of a line that tell its size: a bullet or a name may be set otherwise
_WRONG_PASSWORD = 4  # PDFium's code


def read_pdf(raw: bytes, place: object) -> Extract:
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
    lines = without_repeated(pages)
    if not lines:
        many = "its page is a picture" if len(pages) == 1 else f"its {len(pages)} pages are pictures"
        raise FormatError(place, f"has no text: {many}, as of a scan; put it through text recognition (OCR) first")
    return Extract(*join_lines(lines, len(pages)))


def _lines(page: Any, number: int) -> Iterator[Line]:
    """The lines of a page, as PDFium finds them."""
    from pypdfium2 import raw as pdfium

    text = page.get_textpage()
    characters = [chr(pdfium.FPDFText_GetUnicode(text, index)) for index in range(text.count_chars())]
    start = 0
    for end in [index + 1 for index, character in enumerate(characters) if character in _LINE_ENDS] + [len(characters)]:
        line = "".join(character for character in characters[start:end] if character >= " " or character == BROKEN)
        line = line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if line.strip():
            seen = [index for index in range(start, end) if not characters[index].isspace()]
            sizes = Counter(_size(text, index) for index in seen[:: len(seen) // _SAMPLED + 1])
            yield Line(" ".join(line.split()), number, _height(text, seen[0]), sizes.most_common(1)[0][0])
        start = end


def _height(text: Any, index: int) -> float:
    """Of the line that a character stands on, above the foot of the page."""
    from pypdfium2 import raw as pdfium

    x, y = c_double(), c_double()
    pdfium.FPDFText_GetCharOrigin(text, index, byref(x), byref(y))
    return float(y.value)


def _size(text: Any, index: int) -> float:
    """PDFium tells the one before the page's own scale."""
    from pypdfium2 import raw as pdfium

    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text, index, byref(matrix))
    return float(round(pdfium.FPDFText_GetFontSize(text, index) * (abs(matrix.d) or 1), 1))
