"""Questions as a model reads them: one of English without the slips that would throw it, and any up to a length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anselm.abilities import Cuts, gauge_of
from anselm.data.question import Question
from anselm.scorer import Scorer
from anselm.text.spelling import respell

ENGLISH = "English"


def as_read(scorer: Scorer, question: Question) -> Question:
    """The same list, its question respelled by the words of its candidates and of English; most are as they were."""
    if scorer.language != ENGLISH:
        return question
    text = respell(question.text, (candidate.content for candidate in question.candidates))
    return question if text == question.text else replace(question, text=text)


def all_as_read(scorer: Scorer, questions: Sequence[Question]) -> list[Question]:
    return [as_read(scorer, question) for question in questions]


def cut_of(scorer: Scorer, question: str) -> int | None:
    """How many characters of a question are read, where it is too long to be read to its end."""
    if isinstance(scorer, Cuts):
        return scorer.question_cut(question)
    gauge = gauge_of(scorer)
    if gauge.asked is None or len(question) <= gauge.asked or gauge.lengths([question])[0] <= gauge.asked:
        return None
    return len(gauge.cut(question, gauge.asked))
