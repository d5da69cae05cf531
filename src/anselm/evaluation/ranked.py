"""What a system made of the lists of a data set, and how much of the data a run that somebody published has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from anselm.data.datasets import Dataset
from anselm.metrics.semeval_scorer import BoolArray
from anselm.scorer import Scores


@dataclass(frozen=True)
class Coverage:
    """Of a run: what it lacks, and what it has that nobody judged."""

    questions_missing: int  # questions of the data without a line in the run; they count, with 0
    candidates: int  # ranked for questions of the data
    unjudged: int  # of these; they are taken as not relevant
    relevant_missing: int  # relevant candidates that the run lacks; they count, as not found


@dataclass(frozen=True)
class Ranked:
    """The lists that a system ranked, with a score per candidate and, where it decides, which it called relevant.

    A model ranks the candidates of the data. A run has its own: those that nobody judged have no label.
    """

    lists: Dataset
    scores: list[Scores]
    called: list[BoolArray] | None = None
    coverage: Coverage | None = None

    def whole(self, dataset: Dataset) -> bool:
        """Whether it has the candidates of the data, all of them and no others."""
        return self.lists is dataset or all(
            {candidate.id for candidate in ours.candidates} == {candidate.id for candidate in theirs.candidates}
            for ours, theirs in zip(self.lists, dataset, strict=True)
        )

    def judged_only(self) -> Ranked:
        """Without the candidates that nobody judged, as trec_eval -J."""
        masks = [np.array([c.label is not None for c in question.candidates], dtype=bool) for question in self.lists]
        lists = (
            replace(question, candidates=tuple(compress(question.candidates, mask)))
            for question, mask in zip(self.lists, masks, strict=True)
        )
        return replace(
            self,
            lists=replace(self.lists, questions=tuple(lists)),
            scores=[row[mask] for row, mask in zip(self.scores, masks, strict=True)],
            called=self.called and [row[mask] for row, mask in zip(self.called, masks, strict=True)],
        )


def cover(dataset: Dataset, lists: Dataset) -> Coverage:
    """How the lists of a run, one per question of the data, cover it."""
    found = [candidate for question in lists for candidate in question.candidates]
    relevant = sum(candidate.relevant for question in dataset for candidate in question.candidates)
    return Coverage(
        questions_missing=sum(not question.candidates for question in lists),
        candidates=len(found),
        unjudged=sum(candidate.label is None for candidate in found),
        relevant_missing=relevant - sum(candidate.relevant for candidate in found),
    )
