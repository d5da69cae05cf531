"""Questions that are set by themselves: in a page full of them, each is the heading of what follows.

People write FAQs in any markup: a <div> for the question and one for the answer, bold words, plain lines with or
without a blank line between. What they share is that many blocks are a question and nothing else, and that text
follows. A page of prose has few of them, and there they stay text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anselm.text.pieces import BREAK, Cleaned, Piece

FEWEST, SHARE = 3, 4  # so many, and every fourth block
SHORTEST, LONGEST = 2, 40  # words
ALIKE = 0.75  # of the questions, that one look is theirs
_FAR = 500  # characters of tags in front of a block
_STARTERS = "who whom whose what when where which why how"
_VERBS = "can could do does did is are was were am will would wo shall should may must have has had"
_SUBJECTS = "i you we they he she it there this that these those my your our the a an any all some"
_STARTER = re.compile(
    rf"(?:(?:{'|'.join(_STARTERS.split())})(?:['’]s)?|(?:{'|'.join(_VERBS.split())})(?:n['’]t)?\s++(?:{'|'.join(_SUBJECTS.split())}))"
    r"\b(?!-)",
    re.IGNORECASE,
)
_MARK = re.compile(r"[?？؟\u037e][\s\"'”’»)*_]*$")  # the last is Greek
_ENDED = re.compile(r"[.!?？…][\"'”’»)]*\s")
_CLOSED = re.compile(r"[.!?…:][\"'”’»)]*\Z")
_NUMBERING = re.compile(r"[ \t]*+(?:\(?\d{1,3}[.):]|[-*+•–])[ \t]++")
_TAGS = re.compile(r"(?:<[a-z][^<>]*+>\s*+)++\Z", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<name>[a-z][\w-]*+)(?:[^<>]*?\bclass\s*+=\s*+(?P<class>\"[^\"]*+\"|'[^']*+'|[^\s<>]++))?", re.IGNORECASE
)
_ENDS = re.compile(r"(?:</[a-z]++>\s*+)++", re.IGNORECASE)
_INLINE = {"a", "b", "em", "i", "span", "strong", "u"}
_PARAGRAPH = re.compile(r"\S[^\n]*+(?:\n(?![ \t\r]*+(?:\n|\Z))[^\n]*+)*+")


class Block(NamedTuple):
    """Text without markup, and where it stands; `look` is what its markup says of how it is set."""

    text: str
    start: int
    end: int
    look: str = ""


def is_question(title: str) -> bool:
    """By its question mark, or by how it begins: people write "How to return an item" over an answer.

    "Do not disturb" and "Will Smith" ask nothing.
    """
    return bool(_MARK.search(title) or _STARTER.match(title.lstrip(" \"'“‘¿*_([")))


def ends_as_question(text: str) -> bool:
    return bool(_MARK.search(text))


def blocks_of(source: str, pieces: Sequence[Piece]) -> Iterator[Block]:
    """What markup keeps apart."""
    cleaned, position = Cleaned(pieces), 0
    for text in cleaned.text.split(BREAK):
        if text:
            start, end = cleaned.source_span(position, position + len(text))
            yield Block(text, start, end, _look(source, start, end))
        position += len(text) + len(BREAK)


def _look(source: str, start: int, end: int) -> str:
    """The innermost tag in front of a block of HTML, with its class, and what is inline around all of it."""
    found, ends = "", _ENDS.match(source, end, end + _FAR)
    behind = ends[0].lower() if ends else ""
    tags = _TAGS.search(source, max(0, start - _FAR), start)
    for tag in reversed(list(_TAG.finditer(tags[0]))) if tags else ():
        name = tag["name"].lower()
        if name not in _INLINE:
            return f"{name} {tag['class'] or ''}>{found}"
        if f"</{name}>" in behind:
            found = f"{name} {tag['class'] or ''}>{found}"
    return found


def lines_of(source: str) -> Iterator[Block]:
    """Paragraphs of plain text; a line that is a question, and begins one, is one by itself."""
    for paragraph in _PARAGRAPH.finditer(source):
        for start, end in _cut_at_questions(paragraph[0]):
            yield Block(paragraph[0][start:end], paragraph.start() + start, paragraph.start() + end)


def _cut_at_questions(paragraph: str) -> Iterator[tuple[int, int]]:
    begin = position = 0
    for line in paragraph.splitlines(keepends=True):
        before = paragraph[begin:position].rstrip()
        if asks_at_last(line) if position == 0 else stands_alone(line) and (not before or _CLOSED.search(before)):
            if before:
                yield begin, begin + len(before)
            yield position, position + len(line.rstrip())
            begin = position + len(line)
        position += len(line)
    if paragraph[begin:].strip():
        yield begin, len(paragraph)


def set_in_questions(source: str) -> bool:
    """Whether every paragraph of plain text is a question and lines below it, and there are some."""
    paragraphs = [paragraph[0].partition("\n") for paragraph in _PARAGRAPH.finditer(source)]
    asking = sum(stands_alone(first) for first, _, _ in paragraphs)
    return asking >= FEWEST and all(asks_at_last(first) and rest.strip() for first, _, rest in paragraphs)


def question_blocks(blocks: Sequence[Block]) -> list[Block]:
    """The questions with text behind them, where the page is full of such; a heading has come without its text.

    Of such a page questions of several sentences are some, too ("My card is gone. What now?"), and titles that look
    as questions do, and as little else does ("Lost cards", of the same class).
    """
    sure = {place for place, block in enumerate(blocks) if stands_alone(block.text)}
    followed = _followed(blocks, sure)
    if len(followed) < FEWEST or len(followed) * SHARE < sum(bool(block.text) for block in blocks):
        return []
    asking = {place for place, block in enumerate(blocks) if asks_at_last(block.text)}
    look = _look_of(blocks, asking)
    titled = {place for place, block in enumerate(blocks) if look and block.look == look and _is_title(block.text)}
    return [blocks[place] for place in _followed(blocks, asking | titled)]


def _followed(blocks: Sequence[Block], places: set[int]) -> list[int]:
    """Those with a text of another kind behind them."""
    return [one for one in sorted(places) if one + 1 < len(blocks) and one + 1 not in places and blocks[one + 1].text]


def _look_of(blocks: Sequence[Block], asking: set[int]) -> str:
    """How most questions look, where little else looks so; else nothing."""
    look, alike = Counter(blocks[place].look for place in asking).most_common(1)[0]
    others = sum(block.look == look for place, block in enumerate(blocks) if place not in asking)
    return look if alike >= ALIKE * len(asking) and others * 3 <= alike else ""


def _is_title(text: str) -> bool:
    return len(text.split()) <= LONGEST and not _ENDED.search(text.rstrip() + " ")


def stands_alone(text: str) -> bool:
    """Whether a block is one question and nothing else."""
    return asks_at_last(text) and not _ENDED.search(without_number(text).rstrip())


def asks_at_last(text: str) -> bool:
    return _is_short(text) and ends_as_question(text)


def _is_short(text: str) -> bool:
    return SHORTEST <= len(without_number(text).split()) <= LONGEST


def without_number(text: str) -> str:
    """A line of a list without what stands in front of it."""
    return text[found.end() :] if (found := _NUMBERING.match(text)) else text
