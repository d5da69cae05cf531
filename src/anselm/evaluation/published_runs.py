"""Systems that somebody else ran: TREC runs, and predictions in SemEval's format.

A run is what a search found: its candidates are the list, whether anybody judged them or not, and it may be cut.
Predictions are about given lists and say true or false of every candidate, as the official scorer wants them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from anselm.data.datasets import Dataset
from anselm.data.formats.semeval_predictions import read_predictions
from anselm.data.formats.trec import read_run
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError
from anselm.evaluation.ranked import Ranked, cover
from anselm.files import read_lines
from anselm.scorer import Progress, silent

T = TypeVar("T")
Table = dict[str, dict[str, T]]  # question id -> candidate id -> what was said


class PublishedRun:
    """The candidates and scores of a TREC run."""

    calibration = None

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.scores = read_run(path)

    def rank(self, dataset: Dataset, progress: Progress = silent) -> Ranked:
        """A question that the run lacks has an empty list; where it lacks all of them, the ids are wrong."""
        if not any(question.id in self.scores for question in dataset):
            problem = f"has none of the {len(dataset):,} questions of {dataset.name}"
            raise InputError(f"the run {self.name} {problem}; do its ids match the data's?")
        lists = replace(dataset, questions=tuple(map(self._list, progress(dataset))))
        scores = [np.array([*self.scores.get(question.id, {}).values()], dtype=np.float64) for question in lists]
        return Ranked(lists, scores, coverage=cover(dataset, lists))

    def _list(self, question: Question) -> Question:
        """Its candidates in the order of the run's file."""
        known = {candidate.id: candidate for candidate in question.candidates}
        row = self.scores.get(question.id, {})
        return replace(question, candidates=tuple(known.get(id) or Candidate(id, "") for id in row))


class PublishedPredictions:
    """The scores and decisions of a file of predictions, for every candidate of the data."""

    calibration = None

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.scores, self.decisions = read_decisions(path)

    def rank(self, dataset: Dataset, progress: Progress = silent) -> Ranked:
        scores = [np.array(self._look_up(self.scores, question), dtype=np.float64) for question in progress(dataset)]
        called = [np.array(self._look_up(self.decisions, question), dtype=bool) for question in dataset]
        return Ranked(dataset, scores, called)

    def _look_up(self, table: Table[T], question: Question) -> list[T]:
        row = table.get(question.id, {})
        for candidate in question.candidates:
            if candidate.id not in row:
                problem = f"have no line for candidate {candidate.id!r} of question {question.id!r}"
                raise InputError(f"the predictions {self.name} {problem}; do their ids match the data's?")
        return [row[candidate.id] for candidate in question.candidates]


def open_published(path: Path) -> PublishedRun | PublishedPredictions:
    """Told by the first line: predictions have 5 columns with tabs between, a TREC run has 6."""
    first = next((line for _, line in read_lines(path) if line.strip()), "")
    return PublishedPredictions(path) if len(first.split("\t")) == 5 else PublishedRun(path)


def read_decisions(path: Path) -> tuple[Table[float], Table[bool]]:
    """The two columns of a prediction file that count."""
    scores: Table[float] = {}
    decisions: Table[bool] = {}
    for line in read_predictions(path):
        row = scores.setdefault(line.question, {})
        if line.candidate in row:
            raise FormatError(path, f"candidate {line.candidate!r} of question {line.question!r} is there twice")
        if not math.isfinite(line.score):
            raise FormatError(path, f"the score of candidate {line.candidate!r} must be finite, not {line.score}")
        row[line.candidate] = line.score
        decisions.setdefault(line.question, {})[line.candidate] = line.relevant
    return scores, decisions
