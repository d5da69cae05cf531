"""Recursive self-attention over trees: section 3 of "Recursive Tree-Structured Self-Attention for Answer Sentence
Selection" (Mrini et al., 2021). For a token t with language model vector x, label s, position p in its span, level l:

    e_t = W_1 x_t + b_1                                         semantic                                            (1)
    n_t = W_2 (E^s[s_t] + E^p[p_t] + E^l[l_t]) + b_2            syntactic                                           (2)
    a_t = softmax(q_t K / sqrt(d)),  q_t = W^Q t                each stream by itself, in heads of width d     (3) - (6)
    o_t = t + W^O (a_t V) + b^O                                                                               (7), (8)

and a feed-forward layer for each stream, without dropout and without a layer norm. A span's vector is the output of its
first token, so that there is one query for each span. One set of weights serves all levels.

Both streams have the same width and are computed as one batched product: (streams, tokens, d). What the paper leaves
open: the feed-forward layer is ReLU between two products and is added to its input, as in the parser that its authors
built it from; E^s, E^p and E^l are as wide as the stream; keys, values and queries have no bias, as in (5) and (6).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from anselm.layers.tree_schedule import Schedule, Step

POSITIONS, LEVELS = 256, 128  # that are told apart; a position beyond counts as the last


class StreamLinear(nn.Module):
    """A line for each stream. (streams, n, width) -> (streams, n, out)"""

    def __init__(self, streams: int, width: int, out: int, bias: bool = True) -> None:
        super().__init__()
        bound = 1 / math.sqrt(width)  # as nn.Linear begins
        self.weight = nn.Parameter(torch.empty(streams, width, out).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(streams, 1, out).uniform_(-bound, bound)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        product = torch.bmm(x, self.weight)
        return product if self.bias is None else product + self.bias


class SyntacticEmbedding(nn.Module):
    """Equation (2)."""

    def __init__(self, labels: int, width: int) -> None:
        super().__init__()
        self.labels, self.positions, self.levels = (nn.Embedding(n, width) for n in (labels, POSITIONS, LEVELS))
        self.project = nn.Linear(width, width)

    def forward(self, schedule: Schedule) -> Tensor:
        """-> (tokens, width)"""
        found = self.labels(schedule.labels)
        found = found + self.positions(schedule.positions.clamp(max=POSITIONS - 1))
        projected: Tensor = self.project(found + self.levels(schedule.levels.clamp(max=LEVELS - 1)))
        return projected


class SpanAttention(nn.Module):
    """Equations (3) to (8) and the feed-forward layers, for the first token of every span."""

    def __init__(self, streams: int, width: int, heads: int, feed_forward: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = StreamLinear(streams, width, width, bias=False)
        self.key_value = StreamLinear(streams, width, 2 * width, bias=False)
        self.output = StreamLinear(streams, width, width)
        self.widen, self.narrow = StreamLinear(streams, width, feed_forward), StreamLinear(streams, feed_forward, width)

    def forward(self, tokens: Tensor, step: Step) -> Tensor:
        """(streams, tokens, width) -> (streams, spans, width)"""
        first = tokens.index_select(1, step.starts)
        attended = self.attend(self.query(first), self.key_value(tokens), step)
        o: Tensor = first + self.output(attended)
        return o + self.feed(o)

    def feed(self, o: Tensor) -> Tensor:
        fed: Tensor = self.narrow(functional.relu(self.widen(o)))
        return fed

    def attend(self, query: Tensor, key_value: Tensor, step: Step) -> Tensor:
        """(streams, spans, width), (streams, tokens, 2 width) -> (streams, spans, width)"""
        streams, spans, width = query.shape
        padded = key_value.index_select(1, step.cells.flatten())
        padded = padded.view(streams * spans, -1, 2, self.heads, width // self.heads)
        key, value = padded.permute(2, 0, 3, 1, 4)  # (streams x spans, heads, longest, d) twice
        one = query.reshape(streams * spans, self.heads, 1, -1)
        mask = step.mask[None, :, None, None].expand(streams, -1, -1, -1, -1).flatten(0, 1)
        return functional.scaled_dot_product_attention(one, key, value, mask).reshape(query.shape)


def aggregate(attention: SpanAttention, tokens: Tensor, steps: tuple[Step, ...]) -> Tensor:
    """The roots of all trees, from the deepest level up. What tokens have for a child span is added to its vector.

    (streams, tokens, width) -> (streams, trees, width)
    """
    spans = tokens[:, :0]
    for step in steps:
        spans = attention(tokens[:, step.tokens].index_add(1, step.children, spans), step)
    return spans
