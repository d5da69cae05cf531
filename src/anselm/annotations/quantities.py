"""Numbers, dates, money and percentages by rule, each in one spelling.

    June 14, 2013; 14 June 2013; 14th of June, 2013; 2013-06-14   -> june 14 2013
    June 2013, Jan. 5, 1990s, 21st                                -> june 2013, january 5, 1990s, 21st
    $1,200; US$ 3.5 million; 5 million dollars                    -> $ 1200; $ 3.5 million; $ 5 million
    12%, 12 percent, 12 per cent                                  -> 12 %
    1,200,000; 3.14; 5 million                                    -> 1200000; 3.14; 5 million

Numbers that are spelled out (two, first) are none: nearly every sentence has one, and they mean nothing alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FULL_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
CURRENCIES = {"dollar": "$", "euro": "€", "pound": "£", "yen": "¥", "rupee": "₹"}
DATE, MONEY, PERCENT, NUMBER = "date", "money", "percent", "number"

_MONTH = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_FIGURES = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
_SCALED = rf"{_FIGURES}(?: ?-?(?:hundred|thousand|million|billion|trillion)\b)?"
_DAY = r"[0-3]?\d(?:st|nd|rd|th)?\b"
_YEAR = r"[12]\d{3}\b"
_DATE = (
    rf"{_MONTH} ?{_DAY}(?:(?: ?,)? ?{_YEAR})?|{_MONTH}(?: ?,)? ?{_YEAR}"
    rf"|{_DAY} (?:of )?{_MONTH}(?:(?: ?,)? ?{_YEAR})?|{_YEAR}-[01]\d-[0-3]\d\b"
)
_MONEY = rf"(?:[A-Z]{{1,2}})?[$€£¥₹] ?{_SCALED}|{_SCALED} (?:dollar|euro|pound|yen|rupee)s?\b"
_PERCENT = rf"{_FIGURES} ?(?:%|per ?cent\b)"
_NUMBER = rf"{_SCALED}(?:st\b|nd\b|rd\b|th\b|s\b)?(?!\w)"
_QUANTITY = re.compile(
    rf"(?<![\w.])(?<!\d,)(?<![A-Za-z]-)"
    rf"(?:(?P<date>{_DATE})|(?P<money>{_MONEY})|(?P<percent>{_PERCENT})|(?P<number>{_NUMBER}))"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """Where it stands, what kind it is of, and its one spelling."""

    start: int
    end: int
    kind: str
    name: str


def find_quantities(text: str) -> Iterator[Quantity]:
    """In the order of the text; none overlaps another."""
    for match in _QUANTITY.finditer(text):
        kind = match.lastgroup or NUMBER
        yield Quantity(match.start(), match.end(), kind, _SPELLINGS[kind](match[0]))


def spell_date(text: str) -> str:
    """Month, day, year: those that there are."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        year, number, day = text.split("-")
        month = FULL_MONTHS[(int(number) - 1) % 12]
        return f"{month} {int(day)} {year}"
    words = re.findall(r"[^\W\d_]+|\d+", text.casefold())
    month = next(full for word in words for short, full in zip(MONTHS, FULL_MONTHS, strict=True) if word[:3] == short)
    figures = sorted((word for word in words if word.isdigit()), key=lambda word: (len(word) == 4, word))
    return " ".join([month, *(str(int(figure)) for figure in figures)])


def spell_money(text: str) -> str:
    sign = next((mark for mark in CURRENCIES.values() if mark in text), None)
    sign = sign or next(mark for word, mark in CURRENCIES.items() if word in text)
    return f"{sign} {spell_number(re.search(_SCALED, text)[0])}"  # type: ignore[index]  # there is a number in it


def spell_percent(text: str) -> str:
    return f"{spell_number(re.match(_FIGURES, text)[0])} %"  # type: ignore[index]


def spell_number(text: str) -> str:
    return re.sub(r"(?<=\d)[ -]*(?=[hmbt][a-z]{3})", " ", text.replace(",", ""))


_SPELLINGS = {DATE: spell_date, MONEY: spell_money, PERCENT: spell_percent, NUMBER: spell_number}
