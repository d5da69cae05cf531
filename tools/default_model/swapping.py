"""Nearly right sentences: a right one in which the names and numbers that the question asks about are others.

They share nearly all of their words with the question, and are wrong. Words in common are what a ranker learns first;
lists with such a sentence teach it to look at which ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from anselm.data.question import Candidate, Question

NAME = re.compile(r"[A-Z][\w'’-]+(?: (?:of |the |de |and )?[A-Z][\w'’-]+)*|\b\d[\d,.]*\d\b|\b\d\b")


def add_swapped(questions: Sequence[Question], rng: random.Random) -> Iterator[Question]:
    """Lists in which a right sentence shares a name or number with its question get one more; the others stay."""
    names = sorted({name for question in questions for name in asked_names(question.text)})
    alike = {kind: [name for name in names if name[0].isdigit() == kind] for kind in (False, True)}
    for question in questions:
        right = rng.choice([candidate for candidate in question.candidates if candidate.relevant])
        others = {name: another(name, alike[name[0].isdigit()], rng) for name in asked_names(question.text)}
        text = exchange(right.text, others)
        if text == right.text:
            yield question
        else:
            yield replace(question, candidates=(*question.candidates, Candidate("swapped", text, 0.0)))


def asked_names(question: str) -> list[str]:
    """Runs of capitalised words, and numbers; what begins the question is most often no name."""
    return list(dict.fromkeys(found[0] for found in NAME.finditer(question) if found.start() > 0))


def another(name: str, names: Sequence[str], rng: random.Random) -> str:
    """Any but the same; where there is no other, that."""
    return next((other for other in rng.sample(names, min(2, len(names))) if other != name), name)


def exchange(text: str, others: Mapping[str, str]) -> str:
    """All at once, so that what was put in is not exchanged again."""
    return NAME.sub(lambda found: others.get(found[0], found[0]), text)
