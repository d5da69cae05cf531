"""Evaluating a model, or a run that somebody published, on a data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from anselm.data.datasets import Dataset, check_labels, load_dataset
from anselm.errors import InputError, UnknownNameError
from anselm.evaluation.outcomes import Outcome, find_outcomes
from anselm.evaluation.ranked import Coverage, Ranked
from anselm.evaluation.systems import System, open_system
from anselm.metrics import DEFAULT_METRICS
from anselm.metrics.calibration import Calibration
from anselm.metrics.measures import evaluate_lists, parse_metric, summarise, worst_per_group
from anselm.metrics.semeval_scorer import BoolArray, semeval_scores
from anselm.metrics.significance import Comparison
from anselm.metrics.significance import compare as compare_values
from anselm.metrics.ties import POLICIES, FloatArray, Ties
from anselm.metrics.trust import Trust, measure_trust, numbers
from anselm.ranking.ranker import Ranker
from anselm.scorer import Progress, Scorer, Scores, silent


@dataclass(frozen=True)
class Report:
    """What was measured, on what, and how.

    `model` is the name or path that was given. `questions` is what the metrics are means over; where each question
    comes in several copies of which the worst counts, `copies` is the number of all of them, and `pairs` theirs.
    `pairs` counts the candidates of the data; of a run, `coverage` says what it has of them, and what besides.

    A model that has been calibrated is also asked how well its probabilities hold: `ece` is their expected calibration
    error over all pairs, `triggering` says how it does at leaving questions without an answer unanswered, `misjudged`
    how many it refused, though answerable, and answered, though not, and how many had a right candidate first. None has
    a worst copy, so there they are left out.
    `semeval` holds the official scorer's numbers under the protocol of that name; those about decisions only where the
    system makes some. Not written out: `ids` and `values`, the questions and each metric's value for them, `trust`,
    what a picture of the probabilities is drawn from, and `ranked`, the lists.
    """

    model: str
    data: str
    split: str
    protocol: str
    ties: Ties
    questions: int
    pairs: int
    metrics: dict[str, float]
    copies: int | None = None
    judged_only: bool = False
    coverage: Coverage | None = None
    ece: float | None = None
    triggering: dict[str, float] | None = None
    misjudged: dict[str, float | None] | None = None
    semeval: dict[str, float] | None = None
    ids: list[str] = field(default_factory=list, repr=False)
    values: dict[str, FloatArray] = field(default_factory=dict, repr=False)
    trust: Trust | None = field(default=None, repr=False)
    ranked: Ranked | None = field(default=None, repr=False)

    @property
    def per_question(self) -> list[dict[str, Any]]:
        """Of each question the id and the metrics, then its text, what came first, and the verdict."""
        if not (outcomes := self.outcomes):
            return self.measured
        return [row | outcome.to_dict() for row, outcome in zip(self.measured, outcomes, strict=True)]

    @property
    def measured(self) -> list[dict[str, Any]]:
        """The id and the metrics of each question; where the worst copy counts, of each original."""
        columns = [values.tolist() for values in self.values.values()]
        rows = zip(self.ids, *columns, strict=True)
        return [dict(zip(("id", *self.values), row, strict=True)) for row in rows]

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of each question; nothing where copies stand for one, as each metric has a worst of its own."""
        if self.ranked is None or self.copies:
            return []
        verdicts = self.trust.verdicts if self.trust else None
        return find_outcomes(self.ranked.lists, self.ranked.scores, self.ties, verdicts)

    @property
    def trivial(self) -> bool:
        """Whether any order would score the same, as nothing but relevant candidates was there to rank."""
        if self.ranked is None or (self.coverage and not self.judged_only):
            return False
        return all(candidate.relevant for question in self.ranked.lists for candidate in question.candidates)

    def to_dict(self) -> dict[str, Any]:
        hidden = ("ids", "values", "trust", "ranked")
        shown = {key: value for key, value in vars(self).items() if key not in hidden and value is not None}
        return shown | ({"coverage": asdict(self.coverage)} if self.coverage else {})


OFFICIAL = "official"  # the protocol whose questions SemEval's scorer counts
RANKING = ("map", "average_recall", "mrr")
DECISIONS = ("precision", "recall", "f1", "accuracy")


def evaluate(
    model: str | Path | Ranker | Scorer,
    data: str | Path | Dataset,
    split: str | None = None,
    protocol: str | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    ties: Ties = "pessimistic",
    data_dir: str | Path | None = None,
    judged_only: bool = False,
) -> Report:
    """Score a data set with a model and measure it.

    The model is a name, a checkpoint folder, a `Ranker` or a scorer; a TREC run or SemEval predictions stand in for
    one. Candidates that nobody judged are not relevant; `judged_only` leaves them out of the ranking instead.

    >>> evaluate("bm25", "wikiqa", "test", "clean").metrics["map"]
    """
    check_metrics(metrics, ties)
    system = open_system(model)
    dataset = data if isinstance(data, Dataset) else load_dataset(data, split, protocol, data_dir)
    return assess(system, dataset, metrics, ties, judged_only=judged_only)


def assess(
    system: System,
    dataset: Dataset,
    metrics: Sequence[str],
    ties: Ties,
    progress: Progress = silent,
    judged_only: bool = False,
) -> Report:
    """Everything about one system on one data set."""
    check_labels(dataset)
    ranked = system.rank(dataset, progress)
    if judged_only:
        ranked = ranked.judged_only()
    values = measure(ranked.lists, ranked.scores, metrics, ties, [question.labels for question in dataset])
    trust = probe(ranked.lists, ranked.scores, system.calibration)
    ids = question_ids(dataset)
    return Report(
        system.name, dataset.name, dataset.split, dataset.protocol, ties, len(ids), dataset.pairs, summarise(values),
        copies=len(dataset) if dataset.worst_of else None,
        judged_only=judged_only,
        coverage=ranked.coverage,
        ece=trust.ece if trust else None,
        triggering=numbers(trust.triggering) if trust else None,
        misjudged=trust.counts if trust else None,
        semeval=official(ranked.lists, ranked.scores, ranked.called) if ranked.whole(dataset) else None,
        ids=ids,
        values=values,
        trust=trust,
        ranked=ranked,
    )  # fmt: skip


def probe(dataset: Dataset, scores: Sequence[Scores], calibration: Calibration | None) -> Trust | None:
    """The part of a report that needs probabilities."""
    if calibration is None or dataset.worst_of:
        return None
    return measure_trust(dataset, scores, calibration)


def official(dataset: Dataset, scores: Sequence[Scores], said: list[BoolArray] | None) -> dict[str, float] | None:
    """What SemEval's scorer says, for the protocol that it is made for."""
    if dataset.protocol != OFFICIAL:
        return None
    gold = [np.array(question.labels) > 0 for question in dataset]
    found = semeval_scores(zip(gold, scores, gold if said is None else said, strict=True))
    return {name: getattr(found, name) for name in (RANKING if said is None else RANKING + DECISIONS)}


def measure(
    dataset: Dataset,
    scores: Iterable[Scores],
    metrics: Sequence[str],
    ties: Ties,
    judged: Sequence[ArrayLike] | None = None,
) -> dict[str, FloatArray]:
    """Each metric per question; where questions are copies of one original, the worst copy stands for it.

    `judged` holds the labels of all that was judged, question by question, where lists may lack some of it.
    """
    lists = (
        (question.labels, given, [candidate.id for candidate in question.candidates])
        for question, given in zip(dataset, scores, strict=True)
    )
    values = evaluate_lists(lists, metrics, ties, judged)
    if dataset.worst_of is None:
        return values
    groups = [question.meta[dataset.worst_of] for question in dataset]
    return {name: worst_per_group(per_copy, groups) for name, per_copy in values.items()}


def question_ids(dataset: Dataset) -> list[str]:
    """Of what the metrics have a value for; of the originals where questions are copies."""
    if dataset.worst_of is None:
        return [question.id for question in dataset]
    return [str(group) for group in dict.fromkeys(question.meta[dataset.worst_of] for question in dataset)]


def compare(a: Report, b: Report) -> dict[str, Comparison]:
    """A paired comparison, metric by metric, of two reports on the same questions."""
    if a.ids != b.ids:
        raise InputError(f"{a.model} and {b.model} were measured on different questions and cannot be compared")
    return {name: compare_values(a.values[name], b.values[name]) for name in a.values}


def check_metrics(metrics: Sequence[str], ties: str) -> None:
    """Before anything is read: a mistyped name should not cost a minute of scoring."""
    if not metrics:
        raise InputError("at least one metric is needed, such as map or mrr")
    for name in metrics:
        parse_metric(name)
    if ties not in POLICIES:
        raise UnknownNameError("tie rule", ties, POLICIES)
