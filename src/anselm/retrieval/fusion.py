"""Several orders of the same things as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

STEADY = 60  # as in Cormack, Clarke and Buettcher, SIGIR 2009: how little the first places count above the next


def fuse_ranks(orders: Sequence[Sequence[str]]) -> dict[str, float]:
    """Reciprocal rank fusion: the sum of 1 / (STEADY + rank) over the orders, best first; of equal ones the first seen.

    >>> list(fuse_ranks([["a", "b", "c"], ["c", "a"]]))
    ['a', 'c', 'b']
    """
    scores: defaultdict[str, float] = defaultdict(float)
    for order in orders:
        for rank, one in enumerate(order, start=1):
            scores[one] += 1 / (STEADY + rank)
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))
