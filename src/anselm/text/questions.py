"""Questions that are set by themselves: in a page full of them, each is the heading of what follows.

People write FAQs in any markup: a <div> for the question and one for the answer, bold words, plain lines with or
without a blank line between. What they share is that many blocks are a question and nothing else, and that text
follows. A page of prose has few of them, and there they stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from anselm.text.pieces import BREAK, Cleaned, Piece

FEWEST, SHARE = 3, 4  # so many, and every fourth block
SHORTEST, LONGEST = 2, 40  # words
_STARTERS = """
    who whom whose what when where which why how can could do does did is are was were am will would wo shall should may
    must have has had
"""
_STARTER = re.compile(rf"(?:{'|'.join(_STARTERS.split())})(?:['’]s|n['’]t|'t)?\b(?!-)", re.IGNORECASE)
_MARK = re.compile(r"[?？؟\u037e][\s\"'”’»)*_]*$")  # the last is Greek
_ENDED = re.compile(r"[.!?？…][\"'”’»)]*\s")
_PARAGRAPH = re.compile(r"\S[^\n]*+(?:\n(?![ \t\r]*+(?:\n|\Z))[^\n]*+)*+")


class Block(NamedTuple):
    """Text without markup, and where it stands."""

    text: str
    start: int
    end: int


def is_question(title: str) -> bool:
    """By its question mark, or by how it begins: people write "How to return an item" over an answer."""
    return bool(_MARK.search(title) or _STARTER.match(title.lstrip(" \"'“‘¿*_([")))


def ends_as_question(text: str) -> bool:
    return bool(_MARK.search(text))


def blocks_of(pieces: Sequence[Piece]) -> Iterator[Block]:
    """What markup keeps apart."""
    cleaned, position = Cleaned(pieces), 0
    for text in cleaned.text.split(BREAK):
        if text:
            yield Block(text, *cleaned.source_span(position, position + len(text)))
        position += len(text) + len(BREAK)


def lines_of(source: str) -> Iterator[Block]:
    """Paragraphs of plain text; the first line is one by itself where it asks and the others do not."""
    for paragraph in _PARAGRAPH.finditer(source):
        question, rest = _first_question(paragraph[0])
        if question:
            middle = paragraph.start() + len(question)
            yield Block(question, paragraph.start(), middle)
            yield Block(rest, middle + 1, paragraph.end())
        else:
            yield Block(paragraph[0], *paragraph.span())


def set_in_questions(source: str) -> bool:
    """Whether every paragraph of plain text is a question and lines below it, and there are some."""
    paragraphs = [_first_question(paragraph[0])[0] for paragraph in _PARAGRAPH.finditer(source)]
    return len(paragraphs) >= FEWEST and all(map(stands_alone, paragraphs))


def _first_question(paragraph: str) -> tuple[str, str]:
    """The first line where it asks, and those below it; nothing where it does not, or stands alone."""
    first, _, rest = paragraph.partition("\n")
    return (first, rest) if rest.strip() and ends_as_question(first) else ("", paragraph)


def question_blocks(blocks: Sequence[Block]) -> list[Block]:
    """The questions with text behind them, where the page is full of such; a heading has come without its text."""
    found = [
        one
        for one, behind in pairwise(blocks)
        if stands_alone(one.text) and behind.text and not stands_alone(behind.text)
    ]
    whole = sum(bool(block.text) for block in blocks)
    return found if len(found) >= FEWEST and len(found) * SHARE >= whole else []


def stands_alone(text: str) -> bool:
    """Whether a block is one question and nothing else."""
    return SHORTEST <= len(text.split()) <= LONGEST and ends_as_question(text) and not _ENDED.search(text.rstrip())
