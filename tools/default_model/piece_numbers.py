"""Texts are tokenized once; a teacher that cuts them into the same pieces may still number the pieces otherwise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anselm.encoding.tokenizer import PairTokenizer
from anselm.errors import InputError

PROBE = "Isn't the naïve re-run 1,024 times (unbelievably) slower than e.g. PageRank's?"


def translation(tokenizer: PairTokenizer, other: PairTokenizer, teacher: str) -> NDArray[np.int32]:
    """The number that the teacher has for each piece; for those that no text has, such as [CLS], any. (pieces,)"""
    same, there = tokenizer.tokenizer.get_vocab(), other.tokenizer.get_vocab()
    found = np.zeros(tokenizer.size, dtype=np.int32)
    for piece, number in same.items():
        found[number] = there.get(piece, 0)
    if [found[number] for number in tokenizer([PROBE])[0]] != other([PROBE])[0]:
        raise InputError(f"the teacher {teacher!r} cuts texts into other pieces than the encoder that it is to teach")
    return found
