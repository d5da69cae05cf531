"""SemEval's prediction and relevancy files: question, candidate, rank, score and a true or false label, by tabs.

    Q318_R6<TAB>Q318_R6_C1<TAB>0<TAB>0.34<TAB>false

The official scorer of Task 3 reads both. It ranks by the score and ignores the rank, for which predictions have 0. In
a `.relevancy` file the label is the gold, and rank and score are those of the search engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from anselm.errors import FormatError
from anselm.files import read_lines

LABELS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Prediction:
    """One line."""

    question: str
    candidate: str
    rank: int
    score: float
    relevant: bool


def read_predictions(path: Path) -> Iterator[Prediction]:
    """Stream the lines of a prediction or relevancy file; empty lines are skipped, as by the official scorer."""
    for number, line in read_lines(path):
        if line.strip():
            yield _parse(line, path, number)


def _parse(line: str, path: Path, number: int) -> Prediction:
    columns = line.split("\t")
    if len(columns) != 5:
        raise FormatError(path, f"has {len(columns)} columns, not 5 (question, candidate, rank, score, label)", number)
    question, candidate, rank, score, label = columns
    if label.strip() not in LABELS:
        raise FormatError(path, f"the label is {label!r}; there is true, false", number)
    try:
        return Prediction(question, candidate, int(rank), float(score), LABELS[label.strip()])
    except ValueError:
        raise FormatError(path, f"rank {rank!r} or score {score!r} is not a number", number) from None


def read_relevancy(path: Path) -> dict[str, dict[str, bool]]:
    """The gold labels of a `.relevancy` file, by question and candidate."""
    gold: dict[str, dict[str, bool]] = {}
    for line in read_predictions(path):
        gold.setdefault(line.question, {})[line.candidate] = line.relevant
    return gold


def write_predictions(predictions: Iterable[Prediction], file: IO[str]) -> None:
    """As the official scorer reads them; scores to the last digit, so that what is read back ranks the same."""
    for line in predictions:
        label = "true" if line.relevant else "false"
        columns = (_field(line.question), _field(line.candidate), str(line.rank), repr(line.score), label)
        file.write("\t".join(columns) + "\n")


def _field(id: str) -> str:
    """Columns end at tabs and lines at their ends, so an id must not hold either."""
    if not id.strip() or len(id.splitlines()) != 1 or "\t" in id:
        raise FormatError("SemEval predictions", f"the id {id!r} is empty, or has a tab or the end of a line in it")
    return id
