"""Pairs of texts as padded rows of tokens, in numpy: what models/frames/pair_batches.py does on a device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.encoding.limits import TEXT_LENGTH, Reading, flat_ids
from anselm.encoding.lists import Indices, Lists, Texts, spread
from anselm.encoding.tokenizer import PairTokenizer

STEP = 8  # tokens; between 4 and 16 no difference in speed stood out from the noise


@dataclass(frozen=True)
class Rows:
    """Every pair as the stretches of one flat array of tokens that it consists of."""

    flat: NDArray[Any]  # (tokens,)
    starts: Indices  # (pairs, stretches)
    lengths: Indices  # (pairs, stretches)
    types: Indices  # (stretches,)
    pad: int

    @property
    def widths(self) -> Indices:
        return np.asarray(self.lengths.sum(axis=1))

    def distinct(self) -> tuple[Rows, Indices]:
        """Each pair once, and where each of ours is among them: equal pairs get equal scores, and cost one."""
        both = np.ascontiguousarray(np.hstack([self.starts, self.lengths]))
        keys = both.view(np.dtype((np.void, both.itemsize * both.shape[1]))).ravel()  # a row as one value
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        return self.pick(first), place

    def pick(self, pairs: Indices) -> Rows:
        return Rows(self.flat, self.starts[pairs], self.lengths[pairs], self.types, self.pad)

    def pad_rows(self, pairs: Indices, width: int) -> dict[str, Any]:
        """ids, mask and types, each (pairs, width)."""
        starts, lengths = self.starts[pairs], self.lengths[pairs]
        inside = np.arange(width) < lengths.sum(axis=1)[:, None]  # (pairs, width)
        ids = np.full(inside.shape, self.pad, dtype=np.int64)
        types = np.zeros_like(ids)
        ids[inside] = self.flat[spread(starts.ravel(), lengths.ravel())]  # row after row, stretch after stretch
        types[inside] = np.repeat(np.tile(self.types, len(pairs)), lengths.ravel())
        return {"ids": ids, "mask": inside.astype(np.int64), "types": types}


def lay_out(lists: Lists, tokenizer: PairTokenizer, reading: Reading) -> Rows:
    """Where the tokens of each pair stand."""
    flat, types = flat_ids(lists.texts, tokenizer), np.array(reading.types(tokenizer))
    return Rows(flat, *reading.stretches(lists, tokenizer), types, tokenizer.pad)


def text_rows(texts: Texts, which: Indices, tokenizer: PairTokenizer) -> Rows:
    """[CLS] text [SEP] for some of the texts."""
    before, after = tokenizer.before, tokenizer.after
    flat = np.concatenate([np.array([*before, *after], dtype=np.int64), texts.ids])
    edge = np.ones_like(which)
    starts = [edge * 0, texts.starts[which] + len(before) + len(after), edge * len(before)]
    lengths = [edge * len(before), np.minimum(texts.lengths[which], TEXT_LENGTH), edge * len(after)]
    return Rows(flat, np.column_stack(starts), np.column_stack(lengths), np.zeros(3, dtype=np.int64), tokenizer.pad)


def by_width(widths: Indices, most: int, budget: int) -> Iterator[tuple[Indices, int]]:
    """Batches of pairs of about the same width, longest first, and the width to pad them to.

    A pair is padded to the next step, whatever it is batched with: padding changes the last bit of a sum, and in int8
    that is now and then enough for the next value, so that a score would depend a little on the rest of the batch.
    """
    padded = np.minimum(-(-widths // STEP) * STEP, most)
    for width in np.unique(padded)[::-1]:
        pairs = np.flatnonzero(padded == width)
        size = max(1, budget // int(width))
        for start in range(0, len(pairs), size):
            yield pairs[start : start + size], int(width)


def run_rows(
    engine: Callable[[Mapping[str, Any]], NDArray[np.float32]], rows: Rows, most: int, budget: int
) -> NDArray[np.float64]:
    """What an engine gives for each row, those of one length together, from whichever list. (rows, signals)"""
    found: NDArray[np.float64] | None = None
    for some, width in by_width(rows.widths, most, budget):
        signals = engine(rows.pad_rows(some, width))
        if found is None:
            found = np.empty((len(rows.starts), signals.shape[1]))
        found[some] = signals
    return np.empty((0, 1)) if found is None else found
