"""Words as rows of an encoder's pieces: which piece begins and ends each word, and how the word is written.

The encoder folds case, and a capital tells a name from a noun: so each piece carries the shape of its word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anselm.encoding.tokenizer import PairTokenizer

Ints = NDArray[np.int64]
SHAPES = 8  # how many there are; 0 is that of what is no word
LOWER = 3  # that of a word without capitals; those with some are behind it
MOST_PIECES = 8  # of one word: the first seven and the last
QUOTES = {"``": '"', "''": '"'}  # as the treebank writes them


@dataclass(frozen=True)
class Row:
    """One sentence. The piece before the first word and the one behind the last are the encoder's own."""

    ids: Ints  # (pieces,)
    shapes: Ints  # (pieces,)
    first: Ints  # (words,) places of pieces
    last: Ints  # (words,)


def make_row(words: Sequence[str], tokenizer: PairTokenizer, unknown: int) -> Row:
    """A word that the tokenizer drops, such as one of control characters, is one unknown piece."""
    written = [QUOTES.get(word, word) for word in words]
    pieces = [_shortened(found) or [unknown] for found in tokenizer(written)]
    lengths = np.array([len(found) for found in pieces], dtype=np.int64)
    last = lengths.cumsum() + len(tokenizer.before) - 1
    shapes = np.array([shape(word, place == 0) for place, word in enumerate(written)], dtype=np.int64)
    ids = [*tokenizer.before, *(id for found in pieces for id in found), *tokenizer.after]
    around = [0] * len(tokenizer.before), [0] * len(tokenizer.after)
    return Row(
        np.array(ids, dtype=np.int64),
        np.concatenate([around[0], np.repeat(shapes, lengths), around[1]]).astype(np.int64),
        last - lengths + 1,
        last,
    )


def _shortened(ids: list[int]) -> list[int]:
    return ids if len(ids) <= MOST_PIECES else [*ids[: MOST_PIECES - 1], ids[-1]]


def shape(word: str, opens: bool) -> int:
    """How a word is written; a capital says less of one that opens a sentence."""
    if any(letter.isdigit() for letter in word):
        return 1
    if not any(letter.isalpha() for letter in word):
        return 2
    if word == word.lower():
        return LOWER
    if len(word) > 1 and word == word.upper():
        return 4
    if word[0] == word[0].upper() and word[1:] == word[1:].lower():
        return 5 if opens else 6
    return 7
