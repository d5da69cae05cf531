"""Which candidates of each list a training step looks at: all of them, or some negatives of several kinds.

    list    up to `negatives` of the list's own irrelevant candidates, at random
    pool    as many from the candidates of other lists, at random; its own irrelevant ones are kept
    hard    up to `negatives` of its own irrelevant candidates, those that the model scored highest when last asked

Relevant candidates always stay, and candidates keep the order of the source. A choice depends on the seed and the epoch
alone, so that a resumed run sees what it would have seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anselm.errors import UnknownNameError
from anselm.models.features import Indices, Lists

KINDS = ("all", "list", "pool", "hard")


@dataclass(frozen=True)
class Sampling:
    kind: str = "all"
    negatives: int = 16

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError("negative sampling", self.kind, KINDS)


def sample(
    lists: Lists, sampling: Sampling, rng: np.random.Generator, scores: NDArray[np.float64] | None = None
) -> Lists:
    """The lists of one epoch. `scores`, flat over all pairs, are needed for hard negatives; at random without them."""
    if sampling.kind == "all":
        return lists
    if sampling.kind == "pool":
        return _with_pool(lists, sampling.negatives, rng)
    priority = rng.random(len(lists.labels)) if sampling.kind == "list" or scores is None else scores
    return keep_pairs(lists, _first_negatives(lists, priority, sampling.negatives))


def _first_negatives(lists: Lists, priority: NDArray[np.float64], negatives: int) -> NDArray[np.bool_]:
    """True for relevant candidates and for the irrelevant ones of each list with the highest priority."""
    owner = np.repeat(np.arange(len(lists)), lists.sizes)
    relevant = lists.labels > 0
    order = np.lexsort((-priority, relevant, owner))  # within a list: irrelevant first, by priority
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - lists.bounds[owner[order]]
    return relevant | (place < negatives)


def keep_pairs(lists: Lists, keep: NDArray[np.bool_]) -> Lists:
    sizes = np.add.reduceat(keep.astype(np.int64), lists.bounds[:-1])
    return Lists(
        lists.texts,
        lists.questions[sizes > 0],
        lists.candidates[keep],
        lists.contexts[keep] if len(lists.contexts) else lists.contexts,
        lists.labels[keep],
        np.concatenate([[0], np.cumsum(sizes[sizes > 0])]),
    )


def _with_pool(lists: Lists, negatives: int, rng: np.random.Generator) -> Lists:
    """Append candidates of other lists to each, except those that the list has itself."""
    drawn = rng.integers(0, len(lists.candidates), (len(lists), negatives))  # pairs anywhere
    owner = np.repeat(np.arange(len(lists)), lists.sizes)
    foreign = lists.candidates[drawn]
    own = _is_own(lists, owner, foreign)
    sizes = lists.sizes + (~own).sum(axis=1)
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    source = np.concatenate([np.arange(len(owner)), drawn[~own]])
    target = np.concatenate([owner, np.nonzero(~own)[0]])
    order = np.argsort(target, kind="stable")
    labels = np.concatenate([lists.labels, np.zeros((~own).sum(), dtype=np.float32)])
    contexts = lists.contexts[source][order] if len(lists.contexts) else lists.contexts
    return Lists(lists.texts, lists.questions, lists.candidates[source][order], contexts, labels[order], bounds)


def _is_own(lists: Lists, owner: Indices, foreign: Indices) -> NDArray[np.bool_]:
    """Whether a drawn text is one of the list's own candidates: it has a label there already."""
    texts = len(lists.texts.starts)
    pairs = np.unique(owner * texts + lists.candidates)
    asked = np.arange(len(lists))[:, None] * texts + foreign
    return np.isin(asked, pairs)
