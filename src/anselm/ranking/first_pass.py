"""The first pass over many passages: which of them a model is to read.

Two orders take turns: by words (BM25), and by meaning. Meaning is told by the fast ranker, which scores all passages,
where the model reads the same language; else by the model's own vectors, where it has some, of the first passages by
words. docs/fast.md says how often the right passage is kept.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from anselm.checkpoints.catalogue import FAST
from anselm.data.question import Question
from anselm.models.lexical import Lexical
from anselm.ranking.scorers import load_scorer
from anselm.scorer import Scorer

Order = NDArray[np.intp]  # places, best first
COMPARED = 1_000  # passages, at most, that are compared with the question by a model's own vectors


def nearest(scorer: Scorer, question: Question, count: int) -> Question:
    """With so many of its candidates, in the order in which they were."""
    kept = np.sort(order(scorer, question, count)[:count])
    return replace(question, candidates=tuple(question.candidates[place] for place in kept))


def order(scorer: Scorer, question: Question, count: int) -> Order:
    words = np.argsort(-Lexical("bm25").score([question])[0], kind="stable")
    if scorer.language == (fast := fast_scorer()).language:
        return fuse(words, np.argsort(-fast.score([question])[0], kind="stable"))
    first = words[: max(count, COMPARED)]
    if encode := getattr(scorer, "text_vectors", None):
        asked, *texts = encode([question.text, *(question.candidates[place].content for place in first)])
        return fuse(first, first[np.argsort(-(np.array(texts) @ asked), kind="stable")])
    return first


@cache
def fast_scorer() -> Scorer:
    return load_scorer(FAST)


def fuse(first: Order, second: Order) -> Order:
    """Two orders of the same things as one, taking turns."""
    return np.array(list(dict.fromkeys(np.column_stack([first, second]).ravel().tolist())), dtype=np.intp)
