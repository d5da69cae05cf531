"""The meaning of texts as vectors: those of the untouched encoder that comes with the package, the same in training
and afterwards, and with or without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from anselm.checkpoints.catalogue import DEFAULT, SHIPPED
from anselm.checkpoints.checkpoint import Checkpoint
from anselm.runtime.blended import Blended, load
from anselm.runtime.vector_store import VectorStore

Vectors = NDArray[np.float16]
WIDTH = 384
KEPT = VectorStore()  # by text: what is asked again is not even tokenized


@cache
def _ranker() -> Blended:
    return load(Checkpoint.read(SHIPPED / DEFAULT))


def text_vectors(texts: Sequence[str]) -> Vectors:
    """(texts, width)"""
    if not texts:
        return np.zeros((0, WIDTH), dtype=np.float16)
    found = KEPT.recall(texts, lambda absent: _ranker().text_vectors([texts[place] for place in absent]))
    return found.astype(np.float16)
