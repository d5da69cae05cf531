"""Evaluating a model, or a run that somebody published, on a data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from anselm.data.datasets import Dataset, load_dataset
from anselm.errors import InputError, UnknownNameError
from anselm.evaluation import DEFAULT_METRICS
from anselm.evaluation.calibration import Calibration, load_calibration
from anselm.evaluation.metrics import evaluate_lists, parse_metric, summarise, worst_per_group
from anselm.evaluation.published import Published
from anselm.evaluation.scoring import Progress, score_lists, silent
from anselm.evaluation.semeval import BoolArray, semeval_scores
from anselm.evaluation.significance import Comparison
from anselm.evaluation.significance import compare as compare_values
from anselm.evaluation.ties import POLICIES, FloatArray, Ties
from anselm.evaluation.trust import Trust, measure_trust, numbers
from anselm.models.registry import all_models
from anselm.models.scorer import Scorer, Scores
from anselm.runtime.loading import load_scorer


@dataclass(frozen=True)
class Report:
    """What was measured, on what, and how.

    `model` is the name or path that was given. `questions` is what the metrics are means over; where each question
    comes in several copies of which the worst counts, `copies` is the number of all of them, and `pairs` theirs.

    A model that has been calibrated is also asked how well its probabilities hold: `ece` is their expected calibration
    error over all pairs, `triggering` says how it does at leaving questions without an answer unanswered. Neither has a
    worst copy, so there they are left out. `semeval` holds the official scorer's numbers under the protocol of that
    name; those about decisions only where the system makes some. Not written out: `values`, each metric's value per
    question, `trust`, what a picture of the probabilities is drawn from, and, list by list, the `scores` and which
    candidates were `called` relevant.
    """

    model: str
    data: str
    split: str
    protocol: str
    ties: str
    questions: int
    pairs: int
    metrics: dict[str, float]
    copies: int | None = None
    ece: float | None = None
    triggering: dict[str, float] | None = None
    semeval: dict[str, float] | None = None
    values: dict[str, FloatArray] = field(default_factory=dict, repr=False)
    trust: Trust | None = field(default=None, repr=False)
    scores: list[Scores] = field(default_factory=list, repr=False)
    called: list[BoolArray] | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        hidden = ("values", "trust", "scores", "called")
        return {key: value for key, value in vars(self).items() if key not in hidden and value is not None}


OFFICIAL = "official"  # the protocol whose questions SemEval's scorer counts
RANKING = ("map", "average_recall", "mrr")
DECISIONS = ("precision", "recall", "f1", "accuracy")


@dataclass(frozen=True)
class System:
    """What is evaluated: a model, or what somebody else's said; by the name or path that was given."""

    name: str
    scorer: Scorer
    calibration: Calibration | None = None


def evaluate(
    model: str | Path,
    data: str | Path | Dataset,
    split: str | None = None,
    protocol: str | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    ties: Ties = "pessimistic",
    data_dir: str | Path | None = None,
) -> Report:
    """Score a data set with a model (a name, a checkpoint folder, a TREC run or SemEval predictions) and measure it.

    >>> evaluate("bm25", "wikiqa", "test", "clean").metrics["map"]
    """
    check_metrics(metrics, ties)
    system = open_system(model)
    dataset = data if isinstance(data, Dataset) else load_dataset(data, split, protocol, data_dir)
    return assess(system, dataset, metrics, ties)


def open_system(model: str | Path) -> System:
    if str(model) not in all_models() and Path(model).is_file():
        return System(str(model), Published(Path(model)))
    return System(str(model), load_scorer(model), load_calibration(model))


def assess(system: System, dataset: Dataset, metrics: Sequence[str], ties: Ties, progress: Progress = silent) -> Report:
    """Everything about one system on one data set."""
    check_labels(dataset)
    if not isinstance(system.scorer, Published):
        check_texts(dataset)
    scores = score_lists(system.scorer, dataset, progress)
    values = measure(dataset, scores, metrics, ties)
    trust = probe(dataset, scores, system.calibration)
    called = decide(system, dataset, scores)
    return Report(
        system.name, dataset.name, dataset.split, dataset.protocol, ties,
        len(next(iter(values.values()))), dataset.pairs, summarise(values),
        copies=len(dataset) if dataset.worst_of else None,
        ece=trust.ece if trust else None,
        triggering=numbers(trust.triggering) if trust else None,
        semeval=official(dataset, scores, called),
        values=values,
        trust=trust,
        scores=scores,
        called=called,
    )  # fmt: skip


def probe(dataset: Dataset, scores: Sequence[Scores], calibration: Calibration | None) -> Trust | None:
    """The part of a report that needs probabilities."""
    if calibration is None or dataset.worst_of:
        return None
    return measure_trust([np.array(question.labels) for question in dataset], scores, calibration)


def decide(system: System, dataset: Dataset, scores: Sequence[Scores]) -> list[BoolArray] | None:
    """Which candidates the system calls relevant: those it said, or those whose probability reaches the threshold."""
    if isinstance(system.scorer, Published):
        return system.scorer.decide(dataset)
    if (calibration := system.calibration) is None:
        return None
    return [calibration.platt.probability(row) >= calibration.threshold for row in scores]


def official(dataset: Dataset, scores: Sequence[Scores], said: list[BoolArray] | None) -> dict[str, float] | None:
    """What SemEval's scorer says, for the protocol that it is made for."""
    if dataset.protocol != OFFICIAL:
        return None
    gold = [np.array(question.labels) > 0 for question in dataset]
    found = semeval_scores(zip(gold, scores, gold if said is None else said, strict=True))
    return {name: getattr(found, name) for name in (RANKING if said is None else RANKING + DECISIONS)}


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
