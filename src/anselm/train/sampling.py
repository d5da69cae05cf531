"""Which candidates of each list a training step looks at: all of them, or some negatives of several kinds.

    list    up to `negatives` of the list's own irrelevant candidates, at random
    pool    up to as many from the candidates of other lists, at random; its own irrelevant ones are kept
    hard    up to `negatives` of its own irrelevant candidates, those that the model scored highest when last asked

Relevant candidates always stay, and candidates keep the order and the positions of the source; those of other lists
have none (-1), and stand anywhere among them. A choice depends on the seed and the epoch alone, so that a resumed run
sees what it would have seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anselm.checkpoints.settings import check_choice, check_types
from anselm.encoding.lists import Indices, Lists, spread
from anselm.errors import InputError

KINDS = ("all", "list", "pool", "hard")


@dataclass(frozen=True)
class Sampling:
    kind: str = "all"
    negatives: int = 16

    def __post_init__(self) -> None:
        check_types(self)
        check_choice("negative sampling", self.kind, KINDS)
        if self.negatives < 1:
            raise InputError(f"negative sampling of {self.negatives} negatives; at least one is needed")


def sample(
    lists: Lists, sampling: Sampling, rng: np.random.Generator, scores: NDArray[np.float64] | None = None
) -> Lists:
    """The lists of one epoch. `scores`, flat over all pairs, are needed for hard negatives; at random without them."""
    if sampling.kind == "all":
        return lists
    if sampling.kind == "pool":
        return _with_pool(lists, sampling.negatives, rng)
    if sampling.kind == "list" or scores is None:
        return lists.keep(_random_negatives(lists, sampling.negatives, rng))
    return lists.keep(_first_negatives(lists, scores, sampling.negatives))


def _random_negatives(lists: Lists, negatives: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """True for relevant candidates and for up to so many irrelevant ones of each list, all choices alike likely.

    Floyd's algorithm, for all lists at once: to choose k of n, draw the j-th from the first n - k + j + 1; what was
    drawn before is replaced by the last of these. Sorting random numbers instead took half of a step in pools of 500.
    """
    keep = lists.labels > 0
    irrelevant = np.flatnonzero(~keep)  # list after list
    starts = np.searchsorted(irrelevant, lists.bounds)  # where those of each list begin
    counts, starts = np.diff(starts), starts[:-1]
    few = counts <= negatives
    keep[irrelevant[spread(starts[few], counts[few])]] = True
    starts, counts = starts[~few], counts[~few]
    chosen = np.full((len(counts), negatives), -1)
    for j in range(negatives):
        last = counts - negatives + j
        drawn = rng.integers(0, last + 1)
        chosen[:, j] = np.where((chosen == drawn[:, None]).any(axis=1), last, drawn)
    keep[irrelevant[(starts[:, None] + chosen).ravel()]] = True
    return keep


def _first_negatives(lists: Lists, scores: NDArray[np.float64], negatives: int) -> NDArray[np.bool_]:
    """True for relevant candidates and for the irrelevant ones of each list with the highest scores."""
    owner = np.repeat(np.arange(len(lists)), lists.sizes)
    relevant = lists.labels > 0
    order = np.lexsort((-scores, relevant, owner))  # within a list: irrelevant first, by score
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - lists.bounds[owner[order]]
    return relevant | (place < negatives)


def _with_pool(lists: Lists, negatives: int, rng: np.random.Generator) -> Lists:
    """Candidates of other lists among those of each, at any place, except those that the list has itself.

    A model that knows the order of a list would learn what stands last otherwise.
    """
    drawn = rng.integers(0, len(lists.candidates), (len(lists), negatives))  # pairs anywhere
    owner = np.repeat(np.arange(len(lists)), lists.sizes)
    new = _is_new(lists, owner, lists.candidates[drawn])
    places = rng.spawn(1)[0].random(int(new.sum()))  # by a generator of their own: batches are drawn from this one next
    return lists.insert(np.nonzero(new)[0], drawn[new], places)


def _is_new(lists: Lists, owner: Indices, foreign: Indices) -> NDArray[np.bool_]:
    """Whether a drawn text is none of the list's own, which have their labels there, and was not drawn before."""
    texts = len(lists.texts.starts)
    drawn = np.arange(len(lists))[:, None] * texts + foreign
    first = np.zeros(drawn.size, dtype=np.bool_)
    first[np.unique(drawn, return_index=True)[1]] = True
    return first.reshape(drawn.shape) & ~np.isin(drawn, owner * texts + lists.candidates)
