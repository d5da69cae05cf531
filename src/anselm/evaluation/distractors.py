"""Sentences that look like an answer and are none, made by rule from the question alone (Jia and Liang, 2017).

The question is changed so that it asks about something else, turned into a statement, and answered with something of
the kind that it asks for: nothing in the list is contradicted, and nobody who reads it is misled.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from anselm.annotations.word_classes import listed
from anselm.data.question import Candidate, Question
from anselm.evaluation.alterations import alter
from anselm.evaluation.replacements import draw_replacement
from anselm.evaluation.statements import make_statement

ID = "distractor"
# Most questions in English have one of these words, and few in other languages.
ENGLISH = listed("the of is are were does did how what who when where which why can you with from and to it many")


def add_distractor(question: Question, seed: int = 0) -> Question:
    """The list with one more candidate, not relevant, at some place; as it was, where none can be made."""
    draw = Random(f"{seed}\n{question.id}\n{question.text}")
    around = [candidate.content for candidate in question.candidates]
    if (asked := alter(question.text, around, draw)) is None:
        return question
    text = _answer(asked, " ".join((asked, *around)).casefold(), draw)
    place = draw.randrange(len(question.candidates) + 1)
    made = _dressed(question, place, asked, text)
    return replace(question, candidates=(*question.candidates[:place], made, *question.candidates[place:]))


def looks_english(text: str) -> bool:
    """The rules are for English: of another language they make sentences that mislead nobody."""
    return not ENGLISH.isdisjoint(re.findall(r"\w+", text.casefold()))


def _answer(asked: str, avoided: str, draw: Random) -> str:
    statement = make_statement(asked)
    text = statement.text.replace("{}", draw_replacement(statement.kind, draw, avoided))
    text = re.sub(r"\b([Tt]he|an?) (?:the|an?)\b", r"\1", " ".join(text.split()))  # articles of what was put in
    return f"{text[:1].upper()}{text[1:]}."


def _dressed(question: Question, place: int, asked: str, text: str) -> Candidate:
    """With what its neighbour has besides a text: the question of an entry, the heading of a sentence."""
    near = question.candidates[min(place, len(question.candidates) - 1)] if question.candidates else None
    taken = {candidate.id for candidate in question.candidates}
    name = next(name for n in range(len(taken) + 1) if (name := f"{ID}-{n}" if n else ID) not in taken)
    if near is None:
        return Candidate(name, text, 0.0)
    return replace(near, id=name, text=text, label=0.0, meta={}, question=asked if near.question else "")
