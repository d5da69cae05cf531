"""Fitting the weights of the general ranker's blend: a listwise softmax over each list, every family counting the same.

    loss(w) = mean over families of mean over corpora of mean over lists of -sum y log softmax(X w)  +  l2 |w - w0|^2

y are the labels divided by their sum. A family is one source in all its forms: threads and pools of SemEval are five
corpora, but no more evidence than WikiQA's two. w0 is a blend that was reasonable before; what the lists leave open
stays near it. The loss is convex in the weights, so a few steps of Newton's method find its minimum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

PRIOR = (0.6, 6.0)  # w0, of the reader's score and of the similarity
PULL = 0.01  # l2; means from 0.003 to 0.08 came out alike, and with it most corpora are above both baselines
STEPS = 50


@dataclass(frozen=True)
class Lists:
    """The lists of one corpus that have both kinds of candidates."""

    features: Numbers  # (pairs, weights)
    targets: Numbers  # (pairs,) of a list they sum to 1
    owner: NDArray[np.int64]  # (pairs,) number of the list
    count: int


def usable_lists(features: Numbers, labels: Sequence[Sequence[float]]) -> Lists:
    """Lists with right and wrong candidates, out of the features of all, list after list."""
    targets, owner, keep, count = [], [], [], 0
    for row in labels:
        right = np.array(row) > 0
        useful = 0 < right.sum() < len(right)
        keep += [useful] * len(right)
        if useful:
            targets.append(right / right.sum())
            owner.append(np.full(len(right), count))
            count += 1
    if not count:
        return Lists(features[:0], np.empty(0), np.empty(0, dtype=np.int64), 0)
    return Lists(features[np.array(keep)], np.concatenate(targets), np.concatenate(owner), count)


def fit_blend(families: Mapping[str, Sequence[Lists]], prior: Sequence[float] = PRIOR, pull: float = PULL) -> Numbers:
    """The weights with the smallest loss."""
    parts = [(lists, 1 / len(family) / len(families)) for family in families.values() for lists in family]
    origin = np.array(prior)
    weights = np.zeros(len(origin))  # where the loss bends most; far out it is so flat that a step leads anywhere
    for _ in range(STEPS):
        gradient, curvature = 2 * pull * (weights - origin), 2 * pull * np.eye(len(origin))
        for lists, share in parts:
            slope, bend = slope_and_curvature(lists, weights)
            gradient, curvature = gradient + share * slope, curvature + share * bend
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-9:
            break
    return np.asarray(weights)


def slope_and_curvature(lists: Lists, weights: Numbers) -> tuple[Numbers, Numbers]:
    """First and second derivative of a corpus's mean loss. (weights,), (weights, weights)"""
    x, owner = lists.features, lists.owner
    scores = x @ weights
    largest = np.full(lists.count, -np.inf)
    np.maximum.at(largest, owner, scores)
    shares = np.exp(scores - largest[owner])
    shares /= np.bincount(owner, shares, lists.count)[owner]  # softmax of each list
    means = np.stack([np.bincount(owner, shares * column, lists.count) for column in x.T], axis=1)  # (lists, weights)
    slope = x.T @ (shares - lists.targets)
    return slope / lists.count, (x.T @ (x * shares[:, None]) - means.T @ means) / lists.count
