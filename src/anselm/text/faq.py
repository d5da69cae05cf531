"""An entry of a FAQ, with its place in the text that it was read from."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from anselm.errors import FormatError
from anselm.files import Skip as Skip  # whoever reads entries has it from here


@dataclass(frozen=True)
class Entry:
    """A question and its answer; where nobody asked, `question` is empty, and so is an `id` that was not given.

    `start` and `end` are the answer's characters in the text, markup and escapes included; `line` is where the entry
    begins. `meta` holds what else was there: a table's other columns as they were, or the `section` of a page.
    """

    question: str
    answer: str
    start: int
    end: int
    line: int
    id: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


class LineNumbers:
    """Which line of a text a character stands on, from 1."""

    def __init__(self, text: str) -> None:
        self._ends = [end.start() for end in re.finditer("\n", text)]

    def at(self, position: int) -> int:
        return bisect_left(self._ends, position) + 1


def refuse(error: FormatError) -> NoReturn:
    """A `Skip` that passes over nothing."""
    raise error


def pass_over(error: FormatError) -> None:
    """A `Skip` that nobody hears of."""
