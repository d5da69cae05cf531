"""The tokenizer of a pretrained encoder: texts to ids, and what goes around and between the texts of a pair."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.errors import FormatError

MAX_TOKENS = "max_tokens"  # in encoder.json: the longest input, where there is a limit
VOCABULARY = "vocabulary_sha256"  # there too: another tokenizer may well fit, and mean other words


@dataclass(frozen=True)
class PairTokenizer:
    """Texts to ids, and what goes around and between the texts of a pair: learned from the tokenizer itself.

    BERT writes [CLS] a [SEP] b [SEP] with types 0 and 1, RoBERTa <s> a </s></s> b </s> with type 0 alone.
    """

    tokenizer: Any  # tokenizers.Tokenizer
    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    types: tuple[int, int]
    pad: int

    @classmethod
    def load(cls, path: Path, pad: int) -> PairTokenizer:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(path))
            tokenizer.no_truncation()
            tokenizer.no_padding()
            found = tokenizer.encode("a", "b")
        except Exception as error:  # the library raises bare Exception
            raise FormatError(path, f"not a tokenizer ({error})") from None
        sources = zip(found.sequence_ids, found.special_tokens_mask, strict=True)
        text = [None if special else source for source, special in sources]
        if 0 not in text or 1 not in text:
            raise FormatError(path, "a tokenizer that drops the letters a and b")
        first, second = text.index(0), text.index(1)
        last, end = first + text.count(0), second + text.count(1)  # one token each, or a word mark and a letter
        if found.ids[first:last] == found.ids[second:end]:  # transformers makes such a one where no files are
            raise FormatError(path, "a tokenizer that cannot tell the letters a and b apart")
        return cls(
            tokenizer,
            tuple(found.ids[:first]),
            tuple(found.ids[last:second]),
            tuple(found.ids[end:]),
            (found.type_ids[first], found.type_ids[second]),
            pad,
        )

    def __call__(self, texts: list[str]) -> list[list[int]]:
        return [found.ids for found in self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]

    def offsets(self, texts: list[str]) -> list[NDArray[np.int64]]:
        """The characters of each piece, half open: (pieces, 2) for each text."""
        read = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return [np.array(found.offsets, dtype=np.int64).reshape(-1, 2) for found in read]

    @property
    def size(self) -> int:
        """One more than the highest id that it can give."""
        return max(self.tokenizer.get_vocab().values(), default=-1) + 1

    @property
    def fingerprint(self) -> str:
        """Of the vocabulary alone, so that it stays the same however a tokenizer is written to a file."""
        tokens = sorted((id, token) for token, id in self.tokenizer.get_vocab().items())
        return hashlib.sha256(json.dumps(tokens).encode()).hexdigest()

    @cached_property
    def digest(self) -> str:
        """Of all of it, also of how texts are cut and folded: with the same one, a text has the same pieces."""
        return hashlib.sha256(self.tokenizer.to_str().encode()).hexdigest()


def fitting_tokenizer(path: Path, words: int, types: int, pad: int) -> PairTokenizer:
    """A tokenizer with ids that the encoder does not have would fail far from here, or not at all."""
    tokenizer = PairTokenizer.load(path, pad)
    if tokenizer.size > words:
        ids = f"it gives ids up to {tokenizer.size - 1}, but the encoder knows {words}"
        raise FormatError(path, f"the tokenizer of another encoder: {ids}")
    if 0 < types <= max(tokenizer.types):
        known = f"it gives the token types {tokenizer.types}, but the encoder knows {types}"
        raise FormatError(path, f"the tokenizer of another encoder: {known}")
    return tokenizer
