"""Which rows hold which stem, with what weight, as arrays in memory.

Sorted by stem, so that a stem's rows are one slice; what came last waits unsorted until there is enough of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Terms = NDArray[np.uint32]
Rows = NDArray[np.int32]
Weights = NDArray[np.float32]
WAITING = 8  # sorted again when more than one in so many waits


class Postings:
    def __init__(self) -> None:
        self._terms: Terms = np.empty(0, dtype=np.uint32)  # (stems,), each once, rising
        self._starts: NDArray[np.int64] = np.zeros(1, dtype=np.int64)  # (stems + 1,), into the two that follow
        self._rows: Rows = np.empty(0, dtype=np.int32)  # (postings,)
        self._weights: Weights = np.empty(0, dtype=np.float32)  # (postings,)
        self._waiting: list[tuple[Terms, Rows, Weights]] = []

    def append(self, terms: Terms, rows: Rows, weights: Weights) -> None:
        self._waiting.append((terms, rows, weights))

    def find(self, term: int) -> tuple[Rows, Weights]:
        """In no order."""
        self._settle()
        place = int(np.searchsorted(self._terms, np.uint32(term)))
        known = place < len(self._terms) and self._terms[place] == term
        held = slice(self._starts[place], self._starts[place + 1]) if known else slice(0)
        found = [(rows[terms == term], weights[terms == term]) for terms, rows, weights in self._waiting]
        rows = np.concatenate([self._rows[held], *(rows for rows, _ in found)])
        return rows, np.concatenate([self._weights[held], *(weights for _, weights in found)])

    def _settle(self) -> None:
        """One array of what waits, and, if that is much, all in order."""
        if len(self._waiting) > 1:
            terms, rows, weights = (np.concatenate(column) for column in zip(*self._waiting, strict=True))
            self._waiting = [(terms, rows, weights)]
        if self._waiting and WAITING * len(self._waiting[0][0]) > len(self._rows):
            self._sort()

    def _sort(self) -> None:
        ((terms, rows, weights),) = self._waiting
        self._waiting = []
        terms = np.concatenate([np.repeat(self._terms, np.diff(self._starts)), terms])
        order = np.argsort(terms)
        self._rows = np.concatenate([self._rows, rows])[order]
        self._weights = np.concatenate([self._weights, weights])[order]
        self._terms, counts = np.unique(terms, return_counts=True)
        self._starts = np.concatenate([[0], np.cumsum(counts)])
