"""What a text is read by: its sentences, a question in one with its answer, and what is too long in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from anselm.text.questions import LONGEST, ends_as_question
from anselm.text.sentences import sentence_spans
from anselm.text.windows import windows

_MAX_WORDS, _OVERLAP = 200, 20  # a "sentence" beyond is a log or a table; models read about this much at once
_BLANK = re.compile(r"\n[ \t\r]*+\n")


def units(text: str) -> Iterator[tuple[int, int]]:
    for start, end in _answered(text, sentence_spans(text)):
        if end - start <= _MAX_WORDS:  # so few characters are not more words
            yield start, end
        else:
            for first, last in windows(text[start:end], _MAX_WORDS, _OVERLAP):
                yield start + first, start + last


def _answered(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """A question and the sentence behind it in one: "Is it open on Sundays? No." """
    begin = -1
    for (start, end), behind in zip_longest(spans, spans[1:]):
        begin = start if begin < 0 else begin
        asks = behind and ends_as_question(text[start:end]) and len(text[begin:end].split()) <= LONGEST
        if not asks or _BLANK.search(text, end, behind[0]):
            yield begin, end
            begin = -1
