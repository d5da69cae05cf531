"""Which passages of a long document the model reads: those nearest to the question by their words and their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anselm.abilities import Encodes
from anselm.data.question import Candidate, Question
from anselm.models.lexical import Lexical, Terms, bm25
from anselm.scorer import Scorer, Scores
from anselm.text.statistics import Statistics

COMPARED = 1_000  # passages, at most, that are compared with the question by meaning
LEXICAL = Lexical("bm25")


class FirstPass:
    """Of one list of candidates, whatever it is asked: their words are counted once, and where there are many alone."""

    def __init__(self, scorer: Scorer, candidates: Sequence[Candidate]) -> None:
        self.scorer, self.candidates = scorer, tuple(candidates)

    def nearest(self, question: Question, read: int | None) -> Question:
        """All of the list, or, where the model is to read fewer, those nearest by their words and by their meaning."""
        capacity = read or self.scorer.capacity
        if capacity is None or len(self.candidates) <= capacity:
            return question
        kept = np.argsort(-self._rough(question.text), kind="stable")[: max(capacity, COMPARED)]
        if isinstance(self.scorer, Encodes):
            asked, *texts = self.scorer.text_vectors([question.text, *(self.candidates[i].content for i in kept)])
            kept = fuse(kept, kept[np.argsort(-(np.array(texts) @ asked), kind="stable")])
        kept = np.sort(kept[:capacity])
        return replace(question, candidates=tuple(self.candidates[i] for i in kept))

    def _rough(self, question: str) -> Scores:
        terms, statistics = self._counted
        return bm25(LEXICAL.terms(question), terms, statistics, LEXICAL.config)

    @cached_property
    def _counted(self) -> tuple[list[Terms], Statistics]:
        terms = [LEXICAL.terms(candidate.content) for candidate in self.candidates]
        return terms, Statistics.fit(terms)


def fuse(first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
    """Two orders of the same things as one, taking turns: a prefix has the best of both, and nothing is scored."""
    return np.array(list(dict.fromkeys(np.column_stack([first, second]).ravel().tolist())), dtype=np.intp)
