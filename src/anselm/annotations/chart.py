"""The best binary tree over words, given a score for each span: Cocke, Kasami and Younger's chart.

    best(i, j) = score(i, j) + max over i < k < j of best(i, k) + best(k, j)

All spans of one length, of all sentences, are computed in one step; sentences of n words take n of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anselm.annotations.spans import Span

Floats = NDArray[np.floating]


def best_spans(scores: Floats) -> list[Span]:
    """The spans of the tree with the highest sum of scores; `scores[i, j]` is that of the words from i to before j."""
    return best_trees(scores[None], [len(scores) - 1])[0]


def best_trees(scores: Floats, lengths: Sequence[int]) -> list[list[Span]]:
    """Those of several sentences of so many words: (sentences, longest + 1, longest + 1)."""
    splits = _fill(np.asarray(scores, dtype=np.float64))
    return [_read(own, length) for own, length in zip(splits, lengths, strict=True)]


def _read(splits: NDArray[np.intp], length: int) -> list[Span]:
    found, waiting = list[Span](), [(0, length)] if length > 0 else []
    while waiting:
        start, end = waiting.pop()
        found.append((start, end))
        if end - start > 1:
            split = int(splits[start, end])
            waiting += [(split, end), (start, split)]
    return sorted(found)


def _fill(scores: Floats) -> NDArray[np.intp]:
    """Where to split each span."""
    count = scores.shape[1] - 1
    left = np.zeros_like(scores)  # [i, length] best of the span that begins at i
    right = np.zeros_like(scores)  # [j, length] best of the span that ends at j
    splits = np.zeros(scores.shape, dtype=np.intp)
    for length in range(1, count + 1):
        starts = np.arange(count - length + 1)
        best = scores[:, starts, starts + length]  # (sentences, starts)
        if length > 1:  # the first part has 1 to length - 1 words, the second the rest
            joined = left[:, : len(starts), 1:length] + right[:, length:, length - 1 : 0 : -1]
            best += joined.max(axis=2)
            splits[:, starts, starts + length] = starts + joined.argmax(axis=2) + 1
        left[:, : len(starts), length] = right[:, length:, length] = best
    return splits
