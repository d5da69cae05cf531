"""Which passages of a long document the model reads: those nearest to the question by their words and their meaning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anselm.abilities import Encodes
from anselm.data.question import Question
from anselm.models.lexical import Lexical
from anselm.scorer import Scorer

COMPARED = 1_000  # passages, at most, that are compared with the question by meaning


def nearest(scorer: Scorer, question: Question, read: int | None) -> Question:
    """All of it, or, where the model is to read fewer, those nearest by their words and by their meaning."""
    capacity = read or scorer.capacity
    if capacity is None or len(question.candidates) <= capacity:
        return question
    rough = Lexical("bm25").score([question])[0]
    kept = np.argsort(-rough, kind="stable")[: max(capacity, COMPARED)]
    if isinstance(scorer, Encodes):
        asked, *texts = scorer.text_vectors([question.text, *(question.candidates[i].content for i in kept)])
        kept = fuse(kept, kept[np.argsort(-(np.array(texts) @ asked), kind="stable")])
    kept = np.sort(kept[:capacity])
    return replace(question, candidates=tuple(question.candidates[i] for i in kept))


def fuse(first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
    """Two orders of the same things as one, taking turns: a prefix has the best of both, and nothing is scored."""
    return np.array(list(dict.fromkeys(np.column_stack([first, second]).ravel().tolist())), dtype=np.intp)
