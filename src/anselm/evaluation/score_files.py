"""The scores of an evaluation as a file: SemEval's predictions (.pred) or a TREC run (.run).

Both are read again by `anselm evaluate`, with the same numbers, and by the official scorers.

Predictions say true or false of every candidate. A calibrated model calls relevant what reaches its threshold, and a
file of predictions what it says. Of any other system nothing but its scores is known: relevant is what is above 0,
which is right where a score is a log-odds, as under the pointwise loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from anselm.data.formats.semeval_predictions import Prediction, write_predictions
from anselm.data.formats.trec import write_run
from anselm.errors import InputError
from anselm.evaluation.ranked import Ranked
from anselm.evaluation.report import Report
from anselm.files import write_atomically
from anselm.outputs import check_parent

PREDICTIONS, RUN = ".pred", ".run"


def check_target(path: Path) -> None:
    """Before anything is scored: whether the file could be written."""
    if path.suffix not in (PREDICTIONS, RUN):
        raise InputError(f"{path} must end in {PREDICTIONS} (SemEval predictions) or {RUN} (a TREC run)")
    check_parent(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; a file name is needed to write to")


def save_scores(report: Report, path: Path) -> None:
    """What a system said of each candidate of the lists that it ranked."""
    check_target(path)
    if report.ranked is None:
        raise InputError(f"the report on {report.model} has no lists to save")
    with write_atomically(path) as file:
        if path.suffix == PREDICTIONS:
            write_predictions(_predictions(report.ranked), file)
        else:
            write_run(_rankings(report.ranked), file)


def _predictions(ranked: Ranked) -> Iterator[Prediction]:
    """In the order of the source, by which the official scorer breaks ties."""
    called = [row > 0 for row in ranked.scores] if ranked.called is None else ranked.called
    for question, scores, relevant in zip(ranked.lists, ranked.scores, called, strict=True):
        for candidate, score, yes in zip(question.candidates, scores, relevant, strict=True):
            yield Prediction(question.id, candidate.id, 0, float(score), bool(yes))


def _rankings(ranked: Ranked) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    for question, scores in zip(ranked.lists, ranked.scores, strict=True):
        scored = [(candidate.id, float(score)) for candidate, score in zip(question.candidates, scores, strict=True)]
        yield question.id, sorted(scored, key=lambda row: -row[1])
