"""The best binary tree over words, given a score for each span: Cocke, Kasami and Younger's chart.

    best(i, j) = score(i, j) + max over i < k < j of best(i, k) + best(k, j)

All spans of one length are computed in one step; a sentence of n words takes n of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anselm.annotations.spans import Span

Floats = NDArray[np.floating]


def best_spans(scores: Floats) -> list[Span]:
    """The spans of the tree with the highest sum of scores; `scores[i, j]` is that of the words from i to before j."""
    count = len(scores) - 1
    if count < 1:
        return []
    splits = _fill(np.asarray(scores, dtype=np.float64), count)
    found, waiting = [], [(0, count)]
    while waiting:
        start, end = waiting.pop()
        found.append((start, end))
        if end - start > 1:
            split = int(splits[start, end])
            waiting += [(split, end), (start, split)]
    return sorted(found)


def _fill(scores: Floats, count: int) -> NDArray[np.intp]:
    """Where to split each span."""
    left = np.full((count + 1, count + 1), -np.inf)  # [i, length] best of the span that begins at i
    right = np.full((count + 1, count + 1), -np.inf)  # [j, length] best of the span that ends at j
    splits = np.zeros((count + 1, count + 1), dtype=np.intp)
    for length in range(1, count + 1):
        starts = np.arange(count - length + 1)
        ends = starts + length
        best = scores[starts, ends].copy()
        if length > 1:  # the first part has 1 to length - 1 words, the second the rest
            joined = left[starts, 1:length] + right[ends, length - 1 : 0 : -1]
            chosen = joined.argmax(axis=1)
            best += joined[starts, chosen]
            splits[starts, ends] = starts + chosen + 1
        left[starts, length] = right[ends, length] = best
    return splits
