"""Fitting what may be believed of scores to labelled lists: see metrics/calibration.py for what is fitted.

A list teaches its verdict twice: as it is, and with its right candidates taken out, unless the data has lists without
an answer of its own (at least `ENOUGH` of them), which are the better teachers. Both kinds count the same in the fit,
whatever their numbers, so a probability of one half is where a refusal and a wrong answer are equally likely.

Where there is a calibration already, the fit is pulled to its weights, so a few lists shift it and many replace it.
Without one, a few lists cannot tell five weights apart, and the best score, its lift over the rest and the number of
candidates must do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anselm.data.datasets import Dataset, check_labels
from anselm.data.question import DOCUMENTS, ENTRIES, SENTENCES, TEXTS, Question
from anselm.metrics.calibration import OTHERS, Beliefs, Calibration, fit_platt, platt_targets, rises
from anselm.metrics.evidence import candidate_evidence, list_evidence, stack
from anselm.metrics.logistic import Evidence, FloatArray, Logistic, fit_logistic
from anselm.metrics.thresholds import Rule
from anselm.metrics.triggering import tradeoff
from anselm.scorer import Progress, Scorer, Scores, score_lists, silent

ENOUGH = 0.2  # of the lists, without an answer, for none to be made
FEWEST = 2  # candidates that remain where the right ones are taken out
PULL = 3.0  # lists' worth of trust in what was believed before
FIRST = ("best", "lift", "candidates")  # what a first fit goes by


@dataclass(frozen=True)
class Scored:
    """A list with its scores, and how many candidates were taken out of it."""

    question: Question
    scores: Scores
    removed: int = 0

    @property
    def labels(self) -> FloatArray:
        return np.array(self.question.labels)

    @property
    def answerable(self) -> bool:
        return bool((self.labels > 0).any())

    def without_answer(self) -> Scored:
        kept = np.flatnonzero(self.labels <= 0)
        candidates = tuple(self.question.candidates[place] for place in kept)
        return Scored(replace(self.question, candidates=candidates), self.scores[kept], len(self.labels) - len(kept))

    def evidence(self, background: float) -> Evidence:
        """As long as it was: else its length alone would tell that an answer was taken out."""
        found = list_evidence(self.scores, self.question.text, background)
        return {**found, "candidates": np.log([len(self.scores) + self.removed])}


def fit_calibration(
    questions: Sequence[Question],
    scores: Sequence[Scores],
    rule: Rule,
    fitted_on: str,
    before: Calibration | None = None,
) -> Calibration:
    """Beliefs about each kind of candidates that there is; what there is nothing of is kept from `before`."""
    lists = [Scored(question, row) for question, row in zip(questions, scores, strict=True)]
    found = {
        kind: fit_beliefs([one for one in lists if one.question.kind == kind], getattr(before, kind, None))
        for kind in (TEXTS, *OTHERS)
    }
    texts = next(filter(None, map(found.get, (TEXTS, SENTENCES, DOCUMENTS, ENTRIES))), Beliefs(Logistic(0.0)))
    entries, sentences, documents = (None if found[kind] is texts else found[kind] for kind in OTHERS)
    mixed = (before.mixed, before.mixed_candidate) if before else (None, None)
    fitted = Calibration(texts, 0.5, fitted_on, entries, sentences, documents, *mixed)
    return replace(fitted, threshold=choose_threshold(fitted, lists, rule))


def fit_beliefs(lists: Sequence[Scored], before: Beliefs | None) -> Beliefs | None:
    if not lists:
        return before
    background = before.background if before and before.list else usual_score(lists)
    candidate = fit_candidates(lists, before.candidate if before else None, background)
    return Beliefs(candidate, fit_lists(lists, before.list if before else None, background), background)


def fit_candidates(lists: Sequence[Scored], before: Logistic | None, background: float) -> Logistic:
    """Where a better score is no sign of relevance, every candidate gets the same probability, the share of the right:
    a falling line would call the candidate that is ranked first the least probable.
    """
    rows = stack([candidate_evidence(one.scores, one.question.text, background) for one in lists])
    right = np.concatenate([one.labels > 0 for one in lists])
    if before is None or set(before.weights) == {"score"}:
        found = fit_platt(rows["score"], right)
    else:
        known = {name: rows[name] for name in before.weights}
        found = fit_logistic(known, platt_targets(right), prior=before, pull=PULL)
    return found if rises(found) else fit_platt(np.zeros(len(right)), right)


def fit_lists(lists: Sequence[Scored], before: Logistic | None, background: float) -> Logistic | None:
    """None where all lists are of one kind, and the other cannot be made of them."""
    taught = list(lessons(lists))
    right = np.array([one.answerable for one in taught])
    if right.all() or not right.any():
        return before
    rows = stack([one.evidence(background) for one in taught])
    names = tuple(before.weights) if before else FIRST
    shares = np.where(right, len(right) / right.sum() / 2, len(right) / (~right).sum() / 2)
    known = {name: rows[name] for name in names}
    return fit_logistic(known, platt_targets(right), shares, before, PULL if before else 1.0)


def lessons(lists: Sequence[Scored]) -> Iterator[Scored]:
    """The lists, and, where too few have no answer, each again without it."""
    yield from lists
    if sum(not one.answerable for one in lists) < ENOUGH * len(lists):
        for one in lists:
            if one.answerable and (one.labels <= 0).sum() >= FEWEST:
                yield one.without_answer()


def usual_score(lists: Sequence[Scored]) -> float:
    """The mean score of what is not right, every list counting the same."""
    wrong = [one.scores[one.labels <= 0] for one in lists]
    means = [row[np.isfinite(row)].mean() for row in wrong if np.isfinite(row).any()]
    return float(np.mean(means)) if means else 0.0


def choose_threshold(calibration: Calibration, lists: Sequence[Scored], rule: Rule) -> float:
    taught = list(lessons(lists))
    sure = [calibration.judge(one.question, one.scores).answerability for one in taught]
    return rule.choose(tradeoff([(one.labels, one.scores) for one in taught], sure)).threshold


def calibrate(scorer: Scorer, dataset: Dataset, progress: Progress = silent) -> Calibration:
    """Fit probabilities, and the verdict whether a list holds an answer, to the labels."""
    check_labels(dataset)
    return fit_calibration(dataset, score_lists(scorer, dataset, progress), Rule(), describe(dataset))


def describe(dataset: Dataset) -> str:
    return f"{dataset.name} {dataset.split} ({dataset.protocol})"
