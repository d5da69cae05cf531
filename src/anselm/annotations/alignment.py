"""Which pieces of a tokenizer are the words of a tree: by where both stand in the text, character by character.

A parser may write a word otherwise than the text does (`` for ", a bracket for -LRB-, another case), leave characters
out, or split what the tokenizer keeps together (can|not). So words are looked for in their order, and a word has every
piece that holds a character of it: one piece may be of two words. The time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from anselm.annotations.trees import BRACKETS

HORIZON = 60  # characters that a parser may have left out before a word
SPELLINGS = {
    "``": ('"', "“", "''", "«", "„"), "''": ('"', "”", "``", "»", "“"), '"': ("``", "''", "“", "”"),
    "`": ("'", "‘"), "'": ("’", "`", "‘"), "--": ("—", "–"), "...": ("…",), "…": ("...",),
} | {bracket: (code,) for code, bracket in BRACKETS.items()}  # fmt: skip


def locate_words(words: Sequence[str], text: str) -> list[tuple[int, int]]:
    """The characters of each word, half open; none where the text does not have it."""
    found, at = [], 0
    for word in words:
        start, end = _locate(word, text, at)
        found.append((start, end))
        at = end
    return found


def _locate(word: str, text: str, at: int) -> tuple[int, int]:
    start = _skip_spaces(text, at)
    for spelling in _spellings(word):
        if (end := _match(spelling, text, start)) is not None:
            return start, end
    later = text.find(word, start, start + HORIZON + len(word))
    return (later, later + len(word)) if later >= 0 else (at, at)


def _spellings(word: str) -> Iterator[str]:
    yield word
    yield from SPELLINGS.get(word, ())
    if "'" in word or "`" in word:
        yield word.replace("'", "’").replace("`", "‘")


def _match(word: str, text: str, at: int) -> int | None:
    """Where the word ends that begins here, whatever its case and the spaces within it."""
    if text.startswith(word, at):
        return at + len(word)
    for sign in word:
        at = _skip_spaces(text, at)
        if at == len(text) or text[at].casefold() != sign.casefold():
            return None
        at += 1
    return at


def _skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def pieces_of_words(words: Sequence[tuple[int, int]], pieces: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first piece of each word and the one behind its last; the same where it has none.

    Both are given by their characters: (words, 2), (pieces, 2) -> (words, 2)
    """
    starts, ends = np.array(words, dtype=np.int64).reshape(-1, 2).T
    firsts, lasts = np.maximum.accumulate(pieces.reshape(-1, 2), axis=0).T
    first = np.searchsorted(lasts, starts, side="right")
    last = np.searchsorted(firsts, ends, side="left")
    return np.column_stack([first, np.where(ends > starts, np.maximum(first, last), first)])
