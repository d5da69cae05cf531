"""Softened labels: lists that also say what a teacher thinks of each candidate (Hinton et al., 2015).

    y' = (1 - share) y / sum(y)  +  share softmax(teacher's scores)

A listwise loss takes such labels as it takes others. What a wrong candidate still has of a right one is more to learn
from than that it is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from anselm.data.question import Question
from anselm.scorer import Scores


def soften(questions: Sequence[Question], scores: Sequence[Scores], share: float) -> Iterator[Question]:
    """Lists without a relevant candidate, or without any, stay as they are."""
    for question, given in zip(questions, scores, strict=True):
        labels = np.array(question.labels)
        if not labels.sum() > 0:
            yield question
            continue
        taught = np.exp(given - np.max(given))
        mixed = (1 - share) * labels / labels.sum() + share * taught / taught.sum()
        pairs = zip(question.candidates, mixed.tolist(), strict=True)
        yield replace(question, candidates=tuple(replace(candidate, label=label) for candidate, label in pairs))
