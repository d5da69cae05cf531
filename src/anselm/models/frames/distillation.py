"""What a second head is taught: texts as an untouched encoder sees them, each by itself. It may be a larger one.

Texts are tokenized once, for the model that learns. A teacher that cuts them into the same pieces, as most English
encoders that came after BERT do, may still number the pieces otherwise, so their numbers are translated.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from anselm.encoding.limits import TEXT_LENGTH
from anselm.encoding.tokenizer import PairTokenizer
from anselm.errors import InputError
from anselm.layers.text_vectors import Frame, text_vectors
from anselm.models.frames.pair_batches import Placed
from anselm.models.frames.pretrained import load_pretrained

PROBE = "Isn't the naïve re-run 1,024 times (unbelievably) slower than e.g. PageRank's?"


def taught_vectors(placed: Placed, tokenizer: PairTokenizer, teacher: str) -> Tensor:
    """(texts, the teacher's width), each of length one."""
    encoder, own = load_pretrained(teacher)
    numbers = torch.from_numpy(translation(tokenizer, own, teacher)).to(placed.flat.device)
    frame = Frame(own.before, own.after, TEXT_LENGTH, own.pad)
    return text_vectors(
        encoder.to(placed.flat.device), numbers[placed.flat.long()], placed.starts, placed.lengths, frame
    )


def translation(tokenizer: PairTokenizer, other: PairTokenizer, teacher: str) -> NDArray[np.int32]:
    """The number that the teacher has for each piece; for those that no text has, such as [CLS], any. (pieces,)"""
    same, there = tokenizer.tokenizer.get_vocab(), other.tokenizer.get_vocab()
    found = np.zeros(tokenizer.size, dtype=np.int32)
    for piece, number in same.items():
        found[number] = there.get(piece, 0)
    if [found[number] for number in tokenizer([PROBE])[0]] != other([PROBE])[0]:
        raise InputError(f"the teacher {teacher!r} cuts texts into other pieces than the encoder that it is to teach")
    return found
