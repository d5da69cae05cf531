"""The entries of a document: headings that ask something or name a topic, with the blocks below them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from tools.default_model.entries.answers import is_about, is_answer, join
from tools.default_model.entries.blocks import QUESTION, Block
from tools.default_model.entries.headings import clean_heading, is_question, is_title

FEW, WHOLE = 15, 250  # words; a topic that says less before its first subheading goes on, if it is not too long
ASIDE = re.compile(r"credit|licen[cs]e|copyright|(menu|command) reference|translat|synopsis|acknowledg", re.I)


@dataclass(frozen=True)
class Entry:
    question: str
    answer: str
    section: str  # the heading above, or ""


def find_entries(blocks: Iterable[Block], titles: bool) -> Iterator[Entry]:
    """Every question with its answer, and with `titles` every topic with its text."""
    document = [_settle(block) for block in blocks if block.text]
    above: dict[int, str] = {}
    taken = 0  # up to here, blocks went into the entry of a higher heading
    for place, head in enumerate(document):
        if not head.rank:
            continue
        above = {rank: text for rank, text in above.items() if rank < head.rank} | {head.rank: head.text}
        if place < taken or any(ASIDE.search(text) for text in above.values()):
            continue
        asked = is_question(head.text)
        if not asked and not (titles and is_title(head.text)):
            continue
        body = _below(document, place) if asked else _topic(_below(document, place))
        answer = join(block for block in body if asked or not block.code)
        if is_answer(head.text, answer) and (asked or is_about(head.text, answer)):
            yield Entry(head.text, answer, ["", *above.values()][-2])
            taken = place + 1 + len(body)


def _settle(block: Block) -> Block:
    """A heading without its number; one that is none after all becomes text."""
    if block.rank == QUESTION and not is_question(clean_heading(block.text)):
        return replace(block, rank=0)
    return replace(block, text=clean_heading(block.text.rstrip(": "))) if block.rank else block


def _below(document: Sequence[Block], place: int) -> list[Block]:
    """The blocks up to the next heading of the same rank or question of any."""
    rank = document[place].rank
    inside = (not block.rank or (block.rank > rank and not is_question(block.text)) for block in document[place + 1 :])
    return list(document[place + 1 : place + 1 + sum(takewhile(bool, inside))])


def _topic(body: list[Block]) -> list[Block]:
    """Up to the first subheading, if something is said before it."""
    own = list(takewhile(lambda block: not block.rank, body))
    goes_on = sum(block.words for block in own) < FEW and sum(block.words for block in body) <= WHOLE
    return body if goes_on else own
