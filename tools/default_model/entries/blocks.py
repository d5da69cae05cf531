"""What every document becomes: a run of blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass

QUESTION = 99  # the rank of what is a heading only where it asks something: a bold line, a term, a paragraph
PLAIN = re.compile(r"[\"'“‘(]?[A-Za-z][a-z'’-]*[,.;:?!)\"'”’]*")


@dataclass(frozen=True)
class Block:
    text: str
    rank: int = 0  # of a heading, 1 for the highest; 0 for text
    code: bool = False

    @property
    def words(self) -> int:
        return len(self.text.split())


def squeeze(text: str) -> str:
    """With single spaces, and without characters that are not seen."""
    return " ".join(re.sub("[\u00ad\u200b\ufeff\x00]", "", text).split())


def is_plain(text: str) -> bool:
    """Whether most words are words, rather than names of files, options and the like."""
    words = text.split()
    return sum(bool(PLAIN.fullmatch(word)) for word in words) >= 0.55 * len(words)
