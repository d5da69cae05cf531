"""Evaluating a model, or a run that somebody published, on a data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from anselm.data.datasets import Dataset, load_dataset
from anselm.data.formats.trec import Run, read_run
from anselm.data.question import Question
from anselm.errors import InputError, UnknownNameError
from anselm.evaluation.calibration import Calibration, expected_calibration_error, load_calibration
from anselm.evaluation.metrics import DEFAULT_METRICS, evaluate_lists, parse_metric, summarise, worst_per_group
from anselm.evaluation.semeval import semeval_scores
from anselm.evaluation.significance import Comparison
from anselm.evaluation.significance import compare as compare_values
from anselm.evaluation.ties import POLICIES, FloatArray, Ties
from anselm.evaluation.triggering import triggering
from anselm.models.registry import load_model
from anselm.models.scorer import Scores


@dataclass(frozen=True)
class Report:
    """What was measured, on what, and how; `values` holds each metric's value per question.

    A model that has been calibrated is also asked how well its probabilities hold: `ece` is their expected calibration
    error over all pairs, `triggering` says how it does at leaving questions without an answer unanswered. `semeval`
    holds the official scorer's numbers, for the corpora and the protocol that are scored with it.
    """

    model: str
    data: str
    split: str
    protocol: str
    ties: str
    questions: int
    pairs: int
    metrics: dict[str, float]
    ece: float | None = None
    triggering: dict[str, float] | None = None
    semeval: dict[str, float] | None = None
    values: dict[str, FloatArray] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "values" and value is not None}


SEMEVAL = ("map", "average_recall", "mrr", "precision", "recall", "f1", "accuracy")


class PublishedRun:
    """A TREC run as a scorer: looks up what somebody else's system said."""

    capacity = None

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.path = path
        self.run: Run = read_run(path)

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [self._score(question) for question in questions]

    def _score(self, question: Question) -> Scores:
        scores = self.run.get(question.id, {})
        for candidate in question.candidates:
            if candidate.id not in scores:
                problem = f"has no score for candidate {candidate.id!r} of question {question.id!r}"
                raise InputError(f"the run {self.path} {problem}; do its ids match the data's?")
        return np.array([scores[candidate.id] for candidate in question.candidates])


def evaluate(
    model: str | Path,
    data: str | Path | Dataset,
    split: str | None = None,
    protocol: str | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    ties: Ties = "pessimistic",
    data_dir: str | Path | None = None,
) -> Report:
    """Score a data set with a model (a name, a checkpoint folder, or a TREC run file) and measure the ranking.

    >>> evaluate("bm25", "wikiqa", "test", "clean").metrics["map"]
    """
    check_metrics(metrics, ties)
    published = Path(model).is_file()
    scorer = PublishedRun(Path(model)) if published else load_model(model)
    calibration = None if published else load_calibration(model)
    dataset = data if isinstance(data, Dataset) else load_dataset(data, split, protocol, data_dir)
    check_labels(dataset)
    if not published:
        check_texts(dataset)
    scores = scorer.score(dataset)
    values = measure(dataset, scores, metrics, ties)
    return Report(
        scorer.name, dataset.name, dataset.split, dataset.protocol, ties,
        len(next(iter(values.values()))), dataset.pairs, summarise(values),
        **(trust(dataset, scores, calibration) if calibration else {}), values=values,
    )  # fmt: skip


def trust(dataset: Dataset, scores: Sequence[Scores], calibration: Calibration) -> dict[str, Any]:
    """The parts of a report that need probabilities."""
    labels = [np.array(question.labels) for question in dataset]
    probabilities = [calibration.platt.probability(row) for row in scores]
    answered = triggering(zip(labels, probabilities, strict=True), calibration.threshold)
    found: dict[str, Any] = {
        "ece": expected_calibration_error(np.concatenate(probabilities), np.concatenate(labels)),
        "triggering": {name: getattr(answered, name) for name in ("threshold", "precision", "recall", "f1")},
    }
    if dataset.name.startswith("semeval") and dataset.protocol == "official":
        said = [row >= calibration.threshold for row in probabilities]
        official = semeval_scores(zip([row > 0 for row in labels], scores, said, strict=True))
        found["semeval"] = {name: getattr(official, name) for name in SEMEVAL}
    return found


def measure(dataset: Dataset, scores: Iterable[Scores], metrics: Sequence[str], ties: Ties) -> dict[str, FloatArray]:
    """Each metric per question; where questions are copies of one original, the worst copy stands for it."""
    lists = (
        (question.labels, given, [candidate.id for candidate in question.candidates])
        for question, given in zip(dataset, scores, strict=True)
    )
    values = evaluate_lists(lists, metrics, ties)
    if dataset.worst_of is None:
        return values
    groups = [question.meta[dataset.worst_of] for question in dataset]
    return {name: worst_per_group(per_copy, groups) for name, per_copy in values.items()}


def compare(a: Report, b: Report) -> dict[str, Comparison]:
    """A paired comparison, metric by metric, of two reports on the same data."""
    return {name: compare_values(a.values[name], b.values[name]) for name in a.values}


def check_metrics(metrics: Sequence[str], ties: str) -> None:
    """Before anything is read: a mistyped name should not cost a minute of scoring."""
    if not metrics:
        raise InputError("at least one metric is needed, such as map or mrr")
    for name in metrics:
        parse_metric(name)
    if ties not in POLICIES:
        raise UnknownNameError("tie rule", ties, POLICIES)


def check_labels(dataset: Dataset) -> None:
    if all(candidate.label is None for question in dataset for candidate in question.candidates):
        raise InputError(f"{dataset.name} has no labels, so there is nothing to evaluate against")


def check_texts(dataset: Dataset) -> None:
    if not all(question.text for question in dataset):
        raise InputError(f"{dataset.name} holds judgements without texts; only a TREC run can be evaluated on it")
