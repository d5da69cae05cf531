"""Losses: pure functions of scores and labels over ragged lists.

Each returns (sum, count): the sum of the loss over what it is a mean of, and how many there were. The loop divides by
the count of the whole batch, so that a batch split over devices or accumulated in parts has the same gradient.

    pointwise   -[t log s(x) + (1 - t) log(1 - s(x))] per candidate, s the logistic function, t = 1 where relevant
    pairwise    max(0, margin - x+ + x-) per pair of a relevant and an irrelevant candidate of one list, averaged
                over the pairs of the list
    listwise    -sum over the list of y log softmax(x), with y the labels divided by their sum

Pairwise and listwise say nothing about a list without both kinds, or without a relevant candidate: it does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from anselm.encoding.lists import Lists
from anselm.errors import InputError, UnknownNameError
from anselm.layers.layout import Layout

Loss = Callable[[Tensor, Tensor, Layout], tuple[Tensor, Tensor]]


def pointwise(scores: Tensor, labels: Tensor, layout: Layout, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
    """(pairs,), (pairs,) -> sum over candidates, number of candidates."""
    targets = (labels > 0).to(scores.dtype) * (1 - smoothing) + smoothing / 2
    total = functional.binary_cross_entropy_with_logits(scores, targets, reduction="sum")
    return total, torch.tensor(scores.numel(), device=scores.device)


def pairwise(scores: Tensor, labels: Tensor, layout: Layout, margin: float = 0.1) -> tuple[Tensor, Tensor]:
    """Sum over lists of the mean hinge of their pairs, number of lists that have any."""
    padded, mask = layout.pad(scores), layout.mask  # (lists, longest)
    relevant = layout.pad(labels) > 0
    pairs = relevant[:, :, None] & (mask & ~relevant)[:, None, :]  # (lists, relevant, irrelevant)
    hinge = functional.relu(margin - padded[:, :, None] + padded[:, None, :]) * pairs
    counts = pairs.sum(dim=(1, 2))
    return (hinge.sum(dim=(1, 2)) / counts.clamp(min=1)).sum(), (counts > 0).sum()


def listwise(scores: Tensor, labels: Tensor, layout: Layout, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
    """Sum over lists of the cross-entropy with the normalised labels, number of lists with a relevant candidate."""
    mask = layout.mask
    log_softmax = layout.pad(scores, fill=-torch.inf).log_softmax(dim=1).masked_fill(~mask, 0.0)
    gains = layout.pad(labels.clamp(min=0))
    totals = gains.sum(dim=1)
    targets = (1 - smoothing) * gains / totals.clamp(min=1e-12)[:, None] + smoothing * mask / layout.sizes.clamp(min=1)[
        :, None
    ]
    counted = totals > 0
    return -((targets * log_softmax).sum(dim=1) * counted).sum(), counted.sum()


LOSSES: dict[str, Callable[..., tuple[Tensor, Tensor]]] = {
    "pointwise": pointwise,
    "pairwise": pairwise,
    "listwise": listwise,
}


def make_loss(name: str, smoothing: float = 0.0, margin: float = 0.1) -> Loss:
    if name not in LOSSES:
        raise UnknownNameError("loss", name, LOSSES)
    return partial(LOSSES[name], **({"margin": margin} if name == "pairwise" else {"smoothing": smoothing}))


def check_trainable(lists: Lists, loss: str) -> None:
    """A corpus that a loss can learn nothing from is a mistake, not a run without progress.

    `lists` are those of an epoch, with the negatives that were sampled for it.
    """
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
