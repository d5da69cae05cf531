"""Vectors of texts that were encoded before: the entries of a FAQ are the same for every question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from anselm.encoding.lists import Indices, Texts

Numbers = NDArray[np.float64]
MOST = 20_000  # vectors; 30 MB at 384 numbers of four bytes


class VectorStore:
    """The vectors that were used last, by the tokens of their texts, or the texts. May be used by several threads."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._kept: OrderedDict[bytes | str, NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()

    def encode(self, texts: Texts, which: Indices, encode: Callable[[Indices], Numbers]) -> Numbers:
        """The vectors of some of the texts; `encode` makes those that are not here. (texts, width)"""
        keys = [texts.ids[start : start + length].tobytes() for start, length in _spans(texts, which)]
        return self.recall(keys, lambda absent: encode(which[absent]))

    def recall(self, keys: Sequence[bytes | str], make: Callable[[list[int]], Numbers]) -> Numbers:
        """The vectors of some keys; `make` is given the places of those that are not here, once each. (keys, width)"""
        with self._lock:
            known = {key: self._take(key) for key in keys}
        absent = {key: place for place, key in enumerate(keys) if known[key] is None}
        if absent:
            made = make(list(absent.values())).astype(np.float32)
            with self._lock:
                for key, vector in zip(absent, made, strict=True):
                    known[key] = vector
                    self._keep(key, vector)
        return np.array([known[key] for key in keys], dtype=np.float64)

    def _take(self, key: bytes | str) -> NDArray[np.float32] | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def _keep(self, key: bytes | str, vector: NDArray[np.float32]) -> None:
        self._kept[key] = vector.copy()  # not a view, which would keep its whole batch
        self._kept.move_to_end(key)
        while len(self._kept) > self.most:
            self._kept.popitem(last=False)


def _spans(texts: Texts, which: Indices) -> zip[tuple[int, int]]:
    return zip(texts.starts[which].tolist(), texts.lengths[which].tolist(), strict=True)
