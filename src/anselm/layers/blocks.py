"""The self-attention block of "Gated Group Self-Attention for Answer Selection", sections 2.1 and 3.1, as one module.

    xbar = mean of the words x_i                    (1)
    g_i  = sigmoid(W (x_i * xbar) + b)              the global information gate, where there is one; else 1
    C    = MultiHeadAttention(X * G)
    Y    = LayerNorm(X + C)                         (2)
    R    = FeedForwardLayer(Y)                      (3)
    H    = Y + R                                    (4), or LayerNorm(Y + R) as in the original block

The feed-forward layer is four times as wide as a word, as in the original Transformer. X are the words times a factor,
plus positions, which have the length sqrt(width / 2). The paper does not speak of the factor. The original's,
sqrt(width), is for words that begin at a length of one: GloVe's, of length six, it makes nine times as long as
positions, and then four of five units of the gate are saturated before anything is learned. Without a factor positions
outweigh vectors that word2vec trained on InsuranceQA nine to one. `balance` is the factor under which neither does.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from anselm.layers.attention import Attend, MultiHead
from anselm.layers.composition import mean_pool
from anselm.layers.positions import positions


def with_positions(x: Tensor, scale: float) -> Tensor:
    """(rows, words, width) -> (rows, words, width)"""
    words, width = x.shape[1:]
    return x * scale + positions(words, width, x.device).to(x.dtype)


def balance(table: NDArray[np.float32], width: int) -> float:
    """The factor that makes word vectors, (words, any width), as long as positions are on the mean."""
    length = float(np.linalg.norm(table, axis=1).mean())
    return math.sqrt(width / 2) / length if length else 1.0


class FeedForward(nn.Sequential):
    """Two layers with a ReLU between them, word by word. (..., width) -> (..., width)"""

    def __init__(self, width: int) -> None:
        super().__init__(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))


class GlobalGate(nn.Module):
    """How much of each word, dimension by dimension, goes on, given the mean of all words."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(rows, words, width), (rows, words) -> (rows, words, width)"""
        context = mean_pool(x, mask)[:, None, :]  # (1)
        gate: Tensor = self.linear(x * context).sigmoid()
        return gate


class SelfAttentionBlock(nn.Module):
    def __init__(self, width: int, heads: int, attend: Attend, gate: bool, last_norm: bool) -> None:
        super().__init__()
        self.attention = MultiHead(width, heads, attend)
        self.gate = GlobalGate(width) if gate else None
        self.norm = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width)
        self.last_norm = nn.LayerNorm(width) if last_norm else nn.Identity()

    def look(self, x: Tensor, mask: Tensor) -> Tensor:
        """Up to equation 2. (rows, words, width) -> (rows, words, width)"""
        gated = x if self.gate is None else x * self.gate(x, mask)
        y: Tensor = self.norm(x + self.attention(gated, mask))  # (2)
        return y

    def think(self, y: Tensor) -> Tensor:
        """From there to the end."""
        h: Tensor = self.last_norm(y + self.feed_forward(y))  # (3), (4)
        return h

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.think(self.look(x, mask))
