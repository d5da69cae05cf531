"""What is read of a pair or of a text: the arithmetic that training and the runtime share. Needs no torch.

A pair is [CLS] question [SEP] candidate [SEP], and, where there is a context, context [SEP]; cut from the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anselm.encoding.lists import CONTEXTS, Indices, Lists, Texts
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

    def types(self, tokenizer: PairTokenizer) -> list[int]:
        """The token type of each stretch."""
        first, second = tokenizer.types
        return [first] * 3 + [second] * (4 if self.title or self.neighbours else 2)

    def stretches(self, lists: Lists, tokenizer: PairTokenizer) -> tuple[Indices, Indices]:
        """Where the parts of each pair begin in `flat_ids`, and how long they are. (pairs, stretches) twice"""
        special = [len(part) for part in (tokenizer.before, tokenizer.between, tokenizer.after)]
        text, length = lists.texts.starts + sum(special), lists.texts.lengths
        question, candidate = np.repeat(lists.questions, lists.sizes), lists.candidates
        limit = self.max_length - self.overhead(tokenizer)
        asked = np.minimum(length[question], self.max_question)
        said = np.minimum(length[candidate], limit - asked)
        before, between, after = (np.full(len(question), count) for count in special)
        starts = [np.zeros_like(before), text[question], before, text[candidate], before + between]
        lengths = [before, asked, between, said, after]
        if (context := lists.pairs.get(CONTEXTS)) is not None:
            shown = np.minimum(length[context], np.maximum(limit - asked - said, 0))
            starts += [text[context], before + between]
            lengths += [shown, after * (shown > 0)]  # nothing is closed where nothing is shown
        return np.column_stack(starts), np.column_stack(lengths)


def flat_ids(texts: Texts, tokenizer: PairTokenizer) -> NDArray[np.int32]:
    """The special tokens before all texts, to be stretches as well."""
    special = [*tokenizer.before, *tokenizer.between, *tokenizer.after]
    return np.concatenate([np.array(special, dtype=np.int32), texts.ids])
