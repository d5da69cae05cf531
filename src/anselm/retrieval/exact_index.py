"""Words and vectors of a pool as arrays in memory: exact, and it needs nothing else; for up to some 100,000.

Built from the store when it is first used; what is newer there is taken in before each search. A row that was changed
or deleted stays where it is and is not `alive` any more; once there are as many of these as others, all is read again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from anselm.retrieval.engine import Vectors
from anselm.retrieval.filters import Conditions
from anselm.retrieval.postings import Postings
from anselm.retrieval.store import HALF, Row, Store
from anselm.retrieval.terms import TERM, idf, passage_weights
from anselm.scorer import batched

Indices = NDArray[np.int64]
BLOCK = 10_000  # rows that are read at once
SLACK = 1e-5  # more than a cosine may differ with the place of its row


class ExactIndex:
    """Of a store, which it only reads."""

    name = "exact"

    def __init__(self, store: Store) -> None:
        self.store = store
        self._clear()

    def _clear(self) -> None:
        self.change = 0
        self.mark: str | None = None  # of the change
        self.numbers: Indices = np.empty(0, dtype=np.int64)  # (rows,)
        self.alive: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)  # (rows,)
        self.postings = Postings()  # of the rows
        self._vectors: Vectors = np.empty((0, 0), dtype=np.float32)  # (room, width), the last of it still empty
        self.owners: Indices = np.empty(0, dtype=np.int64)  # rows of the vectors

    @property
    def vectors(self) -> Vectors:
        return self._vectors[: len(self.owners)]  # (vectors, width)

    def refresh(self) -> None:
        """Take in what is newer in the store."""
        known = self.store.mark(self.change)
        if (change := self.store.change) == self.change and known == self.mark:
            return
        forgotten = self.change < self.store.compacted or change < self.change or known != self.mark
        if forgotten or 2 * self.alive.sum() < len(self.alive):
            self._clear()
        before = len(self.numbers)
        stale = self.store.removed(self.change) if before else []
        self._make_room(self.store.count_newer(self.change))
        for rows in batched(self.store.newer(self.change), BLOCK):
            if before:
                stale += [row.number for row in rows]
            self._append(rows)
        self.alive[:before] &= ~np.isin(self.numbers[:before], np.array(stale, dtype=np.int64))
        self.change, self.mark = change, self.store.mark(change)

    def _make_room(self, count: int) -> None:
        """For as many vectors more at once: to copy them for every block would take longer than to read them."""
        width, needed = self.store.width, len(self.owners) + count
        if width and needed > len(self._vectors):
            room = np.empty((max(needed, len(self._vectors) * 5 // 4), width), dtype=np.float32)
            if len(self.owners):
                room[: len(self.owners)] = self.vectors
            self._vectors = room

    def _append(self, rows: Sequence[Row]) -> None:
        first = len(self.numbers)
        self.numbers = np.concatenate([self.numbers, np.array([row.number for row in rows], dtype=np.int64)])
        self.alive = np.concatenate([self.alive, np.ones(len(rows), dtype=np.bool_)])
        terms = np.frombuffer(b"".join(row.terms for row in rows), dtype=TERM)
        sizes = [len(row.terms) // TERM.itemsize for row in rows]
        owners = np.repeat(np.arange(first, first + len(rows), dtype=np.int32), sizes)
        self.postings.append(terms["term"], owners, passage_weights(terms, sizes))
        self._append_vectors({first + place: row.vector for place, row in enumerate(rows) if row.vector is not None})

    def _append_vectors(self, vectors: Mapping[int, bytes]) -> None:
        if vectors:
            new = np.frombuffer(b"".join(vectors.values()), dtype=HALF).reshape(len(vectors), -1)
            self._make_room(len(new))  # where a writer has come in between
            self._vectors[len(self.owners) : len(self.owners) + len(new)] = new
            self.owners = np.concatenate([self.owners, np.array(list(vectors), dtype=np.int64)])

    def by_words(self, weights: Mapping[int, float], k: int, where: Conditions = ()) -> list[int]:
        self.refresh()
        allowed = self._allowed(where)
        scores = np.zeros(len(self.numbers), dtype=np.float64)
        count = int(self.alive.sum())
        for term, weight in weights.items():
            rows, shares = self.postings.find(term)
            alive = self.alive[rows]
            scores[rows[alive]] += weight * idf(count, int(alive.sum())) * shares[alive]
        places = candidates(scores, allowed & (scores > 0), k)
        return self._best(places, scores[places], k)

    def by_vector(self, vector: Vectors, k: int, where: Conditions = ()) -> list[int]:
        self.refresh()
        if not len(self.vectors):
            return []
        places = candidates(self.vectors @ vector, self._allowed(where)[self.owners], k, SLACK)
        return self._best(self.owners[places], self._cosines(places, vector), k)

    def _cosines(self, places: Indices, vector: Vectors) -> Vectors:
        """Each by itself: a product of matrices gives equal rows scores that differ in the last digit."""
        blocks = (places[start : start + BLOCK] for start in range(0, len(places), BLOCK))
        parts = [(self.vectors[block] * vector).sum(axis=1) for block in blocks]
        return np.concatenate([np.empty(0, dtype=np.float32), *parts])

    def _allowed(self, where: Conditions) -> NDArray[np.bool_]:
        return self.alive & np.isin(self.numbers, self.store.numbers(where)) if where else self.alive

    def _best(self, rows: Indices, scores: NDArray[np.floating], k: int) -> list[int]:
        """The numbers of the k best rows; of equal ones the older first."""
        order = np.lexsort((self.numbers[rows], -scores))[:k]
        return [int(number) for number in self.numbers[rows[order]]]

    def flush(self) -> None:
        """Nothing of it is kept."""

    def close(self) -> None:
        self._clear()


def candidates(scores: NDArray[np.floating], allowed: NDArray[np.bool_], k: int, slack: float = 0.0) -> Indices:
    """The places of the k best that are allowed, in no order, and of all that are as good as the last of them."""
    places: Indices = np.flatnonzero(allowed)
    if len(places) > k:
        least = np.partition(scores[places], len(places) - k)[len(places) - k]
        places = places[scores[places] >= least - slack]
    return places
