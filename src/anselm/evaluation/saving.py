"""The scores of an evaluation as a file: SemEval's predictions (.pred) or a TREC run (.run).

Both are read again by `anselm evaluate`, with the same numbers, and by the official scorers.

Predictions say true or false of every candidate. A calibrated model calls relevant what reaches its threshold, and a
file of predictions what it says. Of any other system nothing but its scores is known: relevant is what is above 0,
which is right where a score is a log-odds, as under the pointwise loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from anselm.data.datasets import Dataset
from anselm.data.formats.semeval import Prediction, write_predictions
from anselm.data.formats.trec import write_run
from anselm.errors import InputError
from anselm.evaluation.report import Report
from anselm.evaluation.semeval import BoolArray
from anselm.files import write_atomically

PREDICTIONS, RUN = ".pred", ".run"


def check_target(path: Path) -> None:
    """Before anything is scored: whether the file could be written."""
    if path.suffix not in (PREDICTIONS, RUN):
        raise InputError(f"{path} must end in {PREDICTIONS} (SemEval predictions) or {RUN} (a TREC run)")
    if not path.parent.is_dir():
        raise InputError(f"the folder of {path} does not exist")
    if path.is_dir():
        raise InputError(f"{path} is a folder; a file name is needed to write to")


def save_scores(report: Report, dataset: Dataset, path: Path) -> None:
    """What a system said of each candidate of the lists that it was evaluated on."""
    check_target(path)
    with write_atomically(path) as file:
        if path.suffix == PREDICTIONS:
            write_predictions(_predictions(report, dataset), file)
        else:
            write_run(_rankings(report, dataset), file)


def called_relevant(report: Report) -> list[BoolArray]:
    """See the top of this file."""
    return report.called if report.called is not None else [row > 0 for row in report.scores]


def _predictions(report: Report, dataset: Dataset) -> Iterator[Prediction]:
    """In the order of the source, by which the official scorer breaks ties."""
    for question, scores, called in zip(dataset, report.scores, called_relevant(report), strict=True):
        for candidate, score, relevant in zip(question.candidates, scores, called, strict=True):
            yield Prediction(question.id, candidate.id, 0, float(score), bool(relevant))


def _rankings(report: Report, dataset: Dataset) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    for question, scores in zip(dataset, report.scores, strict=True):
        scored = [(candidate.id, float(score)) for candidate, score in zip(question.candidates, scores, strict=True)]
        yield question.id, sorted(scored, key=lambda row: -row[1])
