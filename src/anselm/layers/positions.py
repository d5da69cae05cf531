"""Where a word stands, as a vector to be added to its embedding."""

from __future__ import annotations

import torch
from torch import Tensor


def positions(words: int, width: int, device: torch.device | str | None = None) -> Tensor:
    """(words, width), from Vaswani et al., "Attention is All you Need", as "Gated Group Self-Attention" takes it (2.2):

        PE(i, j) = sin(i / 10000^(2·⌊j/2⌋/D)) where j is even, cos(the same) where j is odd

    The second paper writes 2j/D in the exponent, with the first one's 2j and 2j + 1 already read as j. Taken by the
    letter, a sine and the cosine beside it would have different frequencies and the slowest would be 10000^-2; we
    take it for a slip.
    """
    i = torch.arange(words, dtype=torch.float64, device=device)[:, None]  # 64 bits: angles grow with the text
    j = torch.arange(width, device=device)
    angles = i / 10000 ** ((2 * (j // 2)).double() / width)  # (words, width)
    return torch.where(j % 2 == 0, angles.sin(), angles.cos()).float()
