"""How many passages hold each stem, for idf: of what an index holds now, without what was deleted from it."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.files import replace_file
from anselm.retrieval.terms import idf

WAITING = 100_000  # stems whose counts have changed, before they are put in order
PASSAGES = -1  # stands for a stem before the others, in the file
Stems = NDArray[np.int64]


class StemCounts:
    """Sorted arrays, and what has changed since."""

    def __init__(self, passages: int = 0, stems: Stems | None = None, counts: Stems | None = None) -> None:
        self.passages = passages
        self._stems = np.empty(0, dtype=np.int64) if stems is None else stems  # (stems,), rising
        self._counts = np.empty(0, dtype=np.int64) if counts is None else counts  # (stems,)
        self._changes: Counter[int] = Counter()
        self.kept = False  # as they are now

    def add(self, passages: Iterable[Iterable[int]], sign: int = 1) -> None:
        """The stems of each, each once; a `sign` of -1 takes them away."""
        self.kept = False
        for stems in passages:
            self.passages += sign
            for stem in stems:
                self._changes[stem] += sign
        if len(self._changes) > WAITING:
            self._settle()

    def having(self, stem: int) -> int:
        place = int(np.searchsorted(self._stems, stem))
        known = place < len(self._stems) and self._stems[place] == stem
        return self._changes[stem] + (int(self._counts[place]) if known else 0)

    def weigh(self, asked: Mapping[int, float]) -> dict[int, float]:
        """The weights of a question, by idf; a stem that nobody has adds nothing."""
        having = {stem: self.having(stem) for stem in asked}
        return {stem: weight * idf(self.passages, having[stem]) for stem, weight in asked.items() if having[stem]}

    def _settle(self) -> None:
        new = np.array(list(self._changes.items()), dtype=np.int64).reshape(-1, 2)
        stems, places = np.unique(np.concatenate([self._stems, new[:, 0]]), return_inverse=True)
        counts = np.zeros(len(stems), dtype=np.int64)
        np.add.at(counts, places, np.concatenate([self._counts, new[:, 1]]))
        self._stems, self._counts = stems[counts != 0], counts[counts != 0]
        self._changes.clear()

    def save(self, path: Path) -> None:
        self._settle()
        file = io.BytesIO()
        stems, counts = np.append(PASSAGES, self._stems), np.append(self.passages, self._counts)
        np.save(file, np.stack([stems, counts]).astype(np.int64), allow_pickle=False)
        replace_file(path, file.getvalue())
        self.kept = True


def load_counts(path: Path) -> StemCounts | None:
    """None where they are not whole."""
    try:
        table = np.load(path, allow_pickle=False) if path.is_file() else None
    except Exception:  # numpy raises whatever a header that makes no sense leads to
        return None
    if not isinstance(table, np.ndarray) or not _are_counts(table):
        return None
    found = StemCounts(int(table[1, 0]), table[0, 1:], table[1, 1:])
    found.kept = True
    return found


def _are_counts(table: NDArray[Any]) -> bool:
    """As they are saved: a row of rising stems, and a row of how many have each."""
    if table.dtype != np.int64 or table.ndim != 2 or len(table) != 2 or not table.size:
        return False
    stems, counts = table
    return bool(stems[0] == PASSAGES and (np.diff(stems) > 0).all() and (counts[1:] > 0).all() and counts[0] >= 0)
