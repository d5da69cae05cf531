"""How much of a pair or of a text is read: the arithmetic that training and the runtime share. Needs no torch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anselm.encoding.lists import Indices, Lists
from anselm.encoding.tokenizer import PairTokenizer

TEXT_LENGTH = 254  # tokens of a text that is read by itself, without those around it; what follows is not read


@dataclass(frozen=True)
class Reading:
    """The settings of a cross-encoder that say what it is shown of a pair."""

    max_length: int
    max_question: int
    title: bool
    neighbours: int

    def overhead(self, tokenizer: PairTokenizer) -> int:
        """Tokens that are not text."""
        closing = len(tokenizer.after) * (2 if self.title or self.neighbours else 1)
        return len(tokenizer.before) + len(tokenizer.between) + closing

    def room(self, lists: Lists, tokenizer: PairTokenizer) -> Indices:
        """How many tokens of a candidate fit beside its question. (pairs,)"""
        asked = np.minimum(lists.texts.lengths[lists.questions], self.max_question)
        return np.repeat(self.max_length - self.overhead(tokenizer) - asked, lists.sizes)
