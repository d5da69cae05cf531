"""What every model is to the rest of the house: something that scores whole lists, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anselm.data.question import Question

Scores = NDArray[np.float64]
Progress = Callable[[Iterable[Question]], Iterable[Question]]  # passes the questions on, and shows that it does

BATCH = 64  # lists: enough for a model to put batches together, few enough for progress to move


class Scorer(Protocol):
    """One score per candidate, higher is better, each list on its own.

    What some can do besides is asked of them:
        computes_on() -> (engine, threads)
        text_vectors(texts) -> unit vectors, by which similar answers are known
        settled(question) -> the same scorer, without what it takes from the rest of a list
        read(questions) -> for each list its scores, and which candidates the larger of two models read
        fit(texts) -> the same scorer, with the statistics of a corpus
        exports_to: str | None, the runtime that can run it without torch
    """

    name: str
    capacity: int | None  # a list longer than this passes a lexical first pass when documents are asked; None: any
    pairwise: bool  # a score depends on the question and its candidate alone, not on the rest of the list
    language: str | None  # that it reads; None where it was made for none, or nobody knows

    def score(self, questions: Sequence[Question]) -> list[Scores]: ...

    def save(self, folder: Path) -> None:
        """Write what `load` of the model's file needs into a folder that exists."""
        ...


def computes_on(scorer: Scorer) -> tuple[str, int]:
    """What computes its scores, and with how many threads."""
    said = getattr(scorer, "computes_on", None)
    return said() if said is not None else ("python", 1)


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
