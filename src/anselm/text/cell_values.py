"""Numbers as a spreadsheet shows them: dates, times, percent, leading zeros and decimals, by the format of their cell.

A date is written as ISO 8601 has it, whatever parts of it are shown, and words beside a number come with it (5 days).
Marks between thousands, signs of currencies and colours are left out; fractions and thousands as "k" are plain numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

# The formats that have a number but no code in the file; 27 to 36 and 50 to 58 are dates in East Asia.
BUILT_IN = {
    1: "0", 2: "0.00", 3: "0", 4: "0.00", 9: "0%", 10: "0.00%", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm",
    17: "mmm-yy", 18: "h:mm", 19: "h:mm:ss", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 45: "mm:ss",
    46: "[h]:mm:ss", 47: "mm:ss", **dict.fromkeys((*range(27, 37), *range(50, 59)), "yyyy-mm-dd"),
}  # fmt: skip
_LITERAL = re.compile(r'"[^"]*"|[\\_*].|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE)
_SECTION = re.compile(r'(?:"[^"]*"|[\\_*].|[^;])*')
# Before and behind the digits.
_WORDS = re.compile(r'((?:"[^"]*"|\\.|_.| )*)((?:[^"\\]*[^"\\ ])?)((?:"[^"]*"|\\.|_.| )*)')
_COLOUR = re.compile(r"\[[^\]]*\]|\*.")
_UNMARKED = re.compile(r'"([^"]*)"|\\(.)|_.')
_LETTER = re.compile(r"[^\W\d_]")
_CONDITION = re.compile(r"\[[<>=]")
_PLAIN = re.compile(r"(?:[#,]*?)(0+)(?:\.(0+))?(%?)")
_LONGEST = 255  # of a format in Excel
_EXACT = 10**15  # beyond, a cell has no more digits
_IN_FULL = 10**21  # up to which whole numbers are written with all of theirs, as those of accounts are
_LAST_DAY, _LATER = 2_958_465, 1_462  # of the year 9999; days between the two beginnings


@dataclass(frozen=True)
class NumberFormat:
    """What a format's code says: whether there is a day and a time of it, and how many digits."""

    day: bool = False
    time: bool = False
    elapsed: bool = False
    zeros: int = 0
    decimals: int | None = None
    percent: bool = False
    before: str = ""
    behind: str = ""
    signed: bool = False  # whether these words are those of numbers above zero


def number_format(code: str) -> NumberFormat:
    if len(code) > _LONGEST:
        return NumberFormat()
    written = code
    code = _LITERAL.sub("", code).split(";")[0].strip()
    if re.search(r"\[[hms]+\]", code, re.IGNORECASE):
        return NumberFormat(elapsed=True)
    if re.search(r"general|standard|@|e[+-]", code, re.IGNORECASE):
        return NumberFormat()
    day, time = (bool(re.search(letters, code, re.IGNORECASE)) for letters in ("[dy]|(?<![hs:.])mmm", "[hs]"))
    if day or time or re.search("m", code, re.IGNORECASE):
        return NumberFormat(day=day or not time, time=time)
    if plain := _PLAIN.fullmatch(code):
        zeros, decimals, percent = plain.groups()
        digits = NumberFormat(zeros=len(zeros), decimals=len(decimals or ""), percent=bool(percent))
        return replace(digits, **_words(written))
    return NumberFormat(percent=code.endswith("%"))


def _words(code: str) -> dict[str, Any]:
    """What is written beside the digits and has letters in it, unless it depends on the number."""
    section = _SECTION.match(code)
    found = _WORDS.fullmatch(_COLOUR.sub("", section[0])) if section else None
    if not section or not found or _CONDITION.search(code):
        return {}
    before, behind = (_literal(found[side]) for side in (1, 3))
    return {"before": before, "behind": behind, "signed": section[0] != code}


def _literal(written: str) -> str:
    text = re.sub(r"\s+", " ", _UNMARKED.sub(lambda found: found[1] or found[2] or " ", written))
    return text if _LETTER.search(text) else ""


def show(written: str, form: NumberFormat, from_1904: bool = False) -> str:
    """A number as it stands in the file, as it stands in the sheet; what is none comes back as it is."""
    try:
        value = float(written)
    except ValueError:
        return written
    if abs(value) >= _EXACT:
        return _long(written.strip(), value)
    if form.elapsed:
        seconds = round(value * 86_400)
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if (form.day or form.time) and 0 <= value < _LAST_DAY - _LATER * from_1904:
        return _date(value, form, from_1904)
    digits = _digits(value * 100 if form.percent else value, form) + "%" * form.percent
    return digits if form.signed and value <= 0 else f"{form.before}{digits}{form.behind}".strip()


def _long(written: str, value: float) -> str:
    if abs(value) >= _IN_FULL or not value.is_integer():
        return f"{value:.15g}"  # also what is not finite
    return written if written.removeprefix("-").isdecimal() else f"{Decimal(f'{value:.15g}'):f}"


def _digits(value: float, form: NumberFormat) -> str:
    if form.decimals is not None:
        number = Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-form.decimals), ROUND_HALF_UP) + 0
        width = form.zeros + form.decimals + bool(form.decimals) + (number < 0)
        return f"{number:0{width}f}"
    value = float(f"{value:.15g}")  # 0.1 + 0.2 is shown as 0.3
    return str(int(value)) if value.is_integer() else f"{value:.15g}"


def _date(value: float, form: NumberFormat, from_1904: bool) -> str:
    """Excel takes 1900 for a leap year: before its first of March days are counted from a day later."""
    first = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 31 if value < 60 else 30)
    moment = first + timedelta(seconds=round(value * 86_400))
    clock = f"{moment:%H:%M:%S}".removesuffix(":00") if form.time else ""
    return " ".join(part for part in (moment.date().isoformat() if form.day else "", clock) if part)
