"""From bytes to text: UTF-8, or UTF-16 as Windows programs write it, with and without a byte order mark."""

from __future__ import annotations

import codecs
import re

from anselm.errors import FormatError

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffe\uffff]")  # what bytes that are no UTF-16 soon give
_SAMPLE = 4096  # bytes; enough to see in which half of the pairs the zeros are


def decode(raw: bytes, place: object) -> str:
    """The text, with its line ends as they are. What is neither is refused: guessing an encoding spoils texts."""
    mark = next((mark for mark in _MARKS if raw.startswith(mark)), b"")
    encoding = _MARKS.get(mark) or _unmarked(raw)
    try:
        text = raw[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        if b"\0" in raw and not mark:
            raise FormatError(place, "is binary, not a text") from None
        raise _invalid(error, place) from None
    if "\0" in text or (encoding != "utf-8" and _CONTROL.search(text)):
        raise FormatError(place, "is binary, not a text")
    return text


def _unmarked(raw: bytes) -> str:
    """Texts of most languages hold spaces and stops, whose upper byte in UTF-16 is zero; no UTF-8 text holds a zero."""
    sample = raw[:_SAMPLE]
    first, second = b"\0" in sample[::2], b"\0" in sample[1::2]
    if first == second or len(raw) % 2 or _holds_stray_zeros(sample):
        return "utf-8"
    return "utf-16-be" if first else "utf-16-le"


def _holds_stray_zeros(sample: bytes) -> bool:
    """Whether it is a text but for a few zeros. In UTF-16 letters of ASCII have one each; others give bytes that are
    control characters, or no UTF-8.
    """
    known = sample.replace(b"\0", b"").decode(errors="ignore")
    zeros, letters = sample.count(0), len(_CONTROL.sub("", known).encode())
    return zeros * 4 < len(sample) and letters * 20 > (len(sample) - zeros) * 19


def _invalid(error: UnicodeDecodeError, place: object) -> FormatError:
    if error.encoding != "utf-8":
        return FormatError(place, f"not valid {error.encoding.upper()} (byte {error.start + 1})")
    before = error.object[: error.start]
    byte, found = error.start - before.rfind(b"\n"), error.object[error.start : error.start + 1]
    windows = found.decode("cp1252", errors="replace")
    advice = f"in Windows-1252 it would be {windows!r}; save it as UTF-8 (in Excel: CSV UTF-8)"
    return FormatError(place, f"not valid UTF-8 (byte {byte} of the line); {advice}", before.count(b"\n") + 1)
