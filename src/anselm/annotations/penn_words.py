"""A sentence as the words of the Penn Treebank, with their places in it: what parsers were trained on.

don't, it's, dogs'    -> do n't, it 's, dogs '
cannot, gonna         -> can not, gon na
"so", (so)            -> `` so '', ( so )
3.5%, $1,000, 9:30    -> 3.5 %, $ 1,000, 9:30
U.S., Mr., so.        -> U.S., Mr., so .      a single stop is a word only where the sentence ends
well-known, and/or    -> well-known, and/or
ですか😀               -> で す か 😀            scripts without spaces give a word per character
"""

from __future__ import annotations

import re
from typing import NamedTuple

from anselm.text.tokens import UNSPACED

_APOSTROPHE = "['’]"
_JOINED = "cannot|gonna|gotta|wanna|gimme|lemme"
_WORD = re.compile(
    rf"(?P<alone>[{UNSPACED}])"
    r"|(?P<dots>\.{2,}|…)|(?P<dash>--+|[–—])"
    rf"|(?P<url>(?:https?://|www\.)[^\s<>\"]+[^\s<>\".,;:!?)\]])|(?P<mail>[\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<number>\d+(?:[.,:/]\d+)*(?:[-\w]*\w)?)"
    rf"|(?P<abbreviated>(?:[^\W\d_{UNSPACED}]\.){{2,}})"
    rf"|(?P<word>[^\W{UNSPACED}]+(?:[&./_-][^\W{UNSPACED}]+|{_APOSTROPHE}[^\W\d_{UNSPACED}]+)*(?:\.(?!\.))?)"
    r"|(?P<quote>\"|“|”|``|'')|(?P<other>\S)"
)
_PARTS = re.compile(
    rf"(?i:(?P<not>n{_APOSTROPHE}t)|(?P<clitic>{_APOSTROPHE}(?:s|m|d|ll|re|ve)))\Z|(?i:(?P<joined>{_JOINED}))\Z"
)
_SPLIT = {"cannot": 3, "gonna": 3, "gotta": 3, "wanna": 3, "gimme": 3, "lemme": 3}
_CLOSING = re.compile(r"[\"'”’)\]}\s]*\Z")


class PennWord(NamedTuple):
    """A word as parsers know it, and where it stands: `` and '' are quotes, whatever the text has there."""

    word: str
    start: int
    end: int


def penn_words(sentence: str) -> list[PennWord]:
    found: list[PennWord] = []
    for match in _WORD.finditer(sentence):
        start, end = match.span()
        if match["quote"]:
            opens = match[0] in ("“", "``") or (match[0] == '"' and _opens(sentence, start, found))
            found.append(PennWord("``" if opens else "''", start, end))
        elif match["word"]:
            found += _word_parts(sentence, start, end)
        else:
            found.append(PennWord(match[0], start, end))
    return found


def _opens(sentence: str, start: int, before: list[PennWord]) -> bool:
    """A straight quote: the first, and every other one."""
    return sum(word.word in ("``", "''") for word in before) % 2 == 0


def _word_parts(sentence: str, start: int, end: int) -> list[PennWord]:
    """A word without its final stop, where the sentence ends with it, and its clitics apart."""
    stop = sentence[end - 1] == "." and _CLOSING.match(sentence, end) is not None
    cut = end - stop
    parts = _PARTS.search(sentence, start, cut)
    middle = cut
    if parts and parts["joined"] and parts.start() == start:
        middle = start + _SPLIT[parts[0].lower()]
    elif parts and not parts["joined"] and parts.start() > start:
        middle = parts.start()
    spans = [(start, middle), (middle, cut), (cut, end)]
    return [PennWord(sentence[first:last], first, last) for first, last in spans if first < last]
