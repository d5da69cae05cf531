"""Is there anything to learn? A corpus that a loss can learn nothing from is a mistake, not a run without progress."""

from __future__ import annotations

import numpy as np

from anselm.errors import InputError
from anselm.models.features import Lists


def check_trainable(lists: Lists, loss: str) -> None:
    """`lists` are those of an epoch, with the negatives that were sampled for it."""
    relevant = np.add.reduceat((lists.labels > 0).astype(np.int64), lists.bounds[:-1])  # (lists,)
    if not relevant.any():
        raise InputError(f"none of the {len(lists.labels):,} candidates in the training data is relevant")
    if loss == "listwise" and not (relevant[lists.sizes > 1] > 0).any():
        raise InputError(
            "every relevant candidate in the training data is alone in its list, which teaches the listwise loss "
            "nothing; use pointwise, or negatives from the pool"
        )
    if loss == "pairwise" and not ((relevant > 0) & (relevant < lists.sizes)).any():
        raise InputError(
            "no list in the training data has both relevant and irrelevant candidates, which the pairwise loss "
            "compares; use pointwise, or negatives from the pool"
        )
