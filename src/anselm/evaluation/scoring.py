"""Scoring many lists a batch at a time, so that a caller can show how far it has come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from anselm.data.question import Question
from anselm.models.scorer import Scorer, Scores

Progress = Callable[[Iterable[Question]], Iterable[Question]]  # passes the questions on, and shows that it does

BATCH = 64  # lists: enough for a model to put batches together, few enough for progress to move


def silent(questions: Iterable[Question]) -> Iterable[Question]:
    return questions


def score_lists(scorer: Scorer, questions: Iterable[Question], progress: Progress = silent) -> list[Scores]:
    """One row of scores per question."""
    return [row for batch in batched(progress(questions), BATCH) for row in scorer.score(batch)]


def batched(questions: Iterable[Question], size: int = BATCH) -> Iterator[list[Question]]:
    batch: list[Question] = []
    for question in questions:
        batch.append(question)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
