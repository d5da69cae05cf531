"""Systems that somebody else ran, as scorers that look up what they said: TREC runs and SemEval predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from anselm.data.formats.semeval import read_predictions
from anselm.data.formats.trec import read_run
from anselm.data.question import Question
from anselm.errors import FormatError, InputError
from anselm.files import read_lines
from anselm.models.scorer import Scores

T = TypeVar("T")
Table = Mapping[str, Mapping[str, T]]  # question id -> candidate id -> what was said


class Published:
    """The scores of a run; of SemEval's predictions, which say true or false beside each score, these too."""

    capacity: int | None = None
    pairwise = True

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.path = path
        self.decisions: Table[bool] | None = None
        if is_predictions(path):
            self.scores, self.decisions = read_decisions(path)
        else:
            self.scores = read_run(path)

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [np.array(self._look_up(self.scores, question), dtype=np.float64) for question in questions]

    def decide(self, questions: Sequence[Question]) -> list[NDArray[np.bool_]] | None:
        """What it said of each candidate: true or false; None for a run, which says nothing."""
        if self.decisions is None:
            return None
        return [np.array(self._look_up(self.decisions, question), dtype=bool) for question in questions]

    def save(self, folder: Path) -> None:
        raise InputError(f"{self.path} is a run and not a model: there is nothing to save")

    def _look_up(self, table: Table[T], question: Question) -> list[T]:
        row = table.get(question.id, {})
        for candidate in question.candidates:
            if candidate.id not in row:
                problem = f"has no score for candidate {candidate.id!r} of question {question.id!r}"
                raise InputError(f"the run {self.path} {problem}; do its ids match the data's?")
        return [row[candidate.id] for candidate in question.candidates]


def is_predictions(path: Path) -> bool:
    """Told by the first line: predictions have 5 columns with tabs between, a TREC run has 6."""
    first = next((line for _, line in read_lines(path) if line.strip()), "")
    return len(first.split("\t")) == 5


def read_decisions(path: Path) -> tuple[Table[float], Table[bool]]:
    """The two columns of a prediction file that count."""
    scores: dict[str, dict[str, float]] = {}
    decisions: dict[str, dict[str, bool]] = {}
    for line in read_predictions(path):
        row = scores.setdefault(line.question, {})
        if line.candidate in row:
            raise FormatError(path, f"candidate {line.candidate!r} of question {line.question!r} is there twice")
        if not math.isfinite(line.score):
            raise FormatError(path, f"the score of candidate {line.candidate!r} must be finite, not {line.score}")
        row[line.candidate] = line.score
        decisions.setdefault(line.question, {})[line.candidate] = line.relevant
    return scores, decisions
