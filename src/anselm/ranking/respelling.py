"""Questions as a model of English reads them: without the slips that would throw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
