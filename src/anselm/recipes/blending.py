"""Fitting the weights of the general ranker's blend: a listwise softmax over each list, every corpus counting the same.

    loss(w) = mean over corpora of mean over lists of -sum y log softmax(X w)  +  l2 |w - w0|^2

y are the labels divided by their sum, and w0 = (1, 0, 0, 0) is the cross-encoder by itself: without evidence nothing is
blended. The loss is convex in four weights, so a few steps of Newton's method find its minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

PULL = 0.04  # l2; of 0.02, 0.03, 0.04 and 0.05 the best on the dev splits of WikiQA and TrecQA together
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


def fit_blend(corpora: Sequence[Lists], pull: float = PULL) -> Numbers:
    """The weights with the smallest loss."""
    width = corpora[0].features.shape[1]
    start = np.eye(1, width).ravel()
    weights = start
    for _ in range(STEPS):
        gradient, curvature = 2 * pull * (weights - start), 2 * pull * np.eye(width)
        for lists in corpora:
            slope, bend = slope_and_curvature(lists, weights)
            gradient, curvature = gradient + slope / len(corpora), curvature + bend / len(corpora)
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
