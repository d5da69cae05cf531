"""Recursive self-attention over trees: section 3 of "Recursive Tree-Structured Self-Attention for Answer Sentence
Selection" (Mrini et al., 2021). For a token t with language model vector x, label s, position p in its span, level l:

    e_t = W_1 x_t + b_1                                         semantic                                            (1)
    n_t = W_2 (E^s[s_t] + E^p[p_t] + E^l[l_t]) + b_2            syntactic                                           (2)
    a_t = softmax(q_t K / sqrt(d)),  q_t = W^Q t                each stream by itself, in heads of width d     (3) - (6)
    o_t = t + W^O (a_t V) + b^O                                                                               (7), (8)

and a feed-forward layer for each stream, without dropout and without a layer norm. A span's vector is the output of its
first token, so that there is one query for each span. One set of weights serves all levels.

Not of the paper (`normed`): a layer norm behind (7), (8) and behind the feed-forward layer. Without, a level's gain has
no bound: what it is above 1 grows with the power of the depth.

Both streams have the same width and are computed as one batched product: (streams, tokens, d). Queries, keys and values
are linear in a token, and a token is a vector of the encoder, or the sum of three embeddings, however many spans it is
in: they are computed once for each vector and each embedding, before the first level, and in a level the keys and
values of its child spans alone. A span's tokens are not padded.

What the paper leaves open: the feed-forward layer is ReLU between two products and is added to its input, as in the
parser that its authors built it from; E^s, E^p and E^l are as wide as the stream; keys, values and queries have no
bias, as in (5) and (6).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from anselm.layers.tree_schedule import Schedule, Step

POSITIONS, LEVELS = 256, 128  # that are told apart; a position beyond counts as the last


@dataclass(frozen=True)
class Stream:
    """Tokens as sums of rows of a table, whose last row is 0: what is linear in them is computed for the rows alone."""

    rows: Tensor  # (rows, width)
    parts: Tensor  # (tokens, k) the rows of each
    begins: int = 0  # no start token has a row before

    @classmethod
    def of(cls, rows: Tensor, parts: Tensor, there: Tensor | None, begins: int = 0) -> Stream:
        """Tokens that are not there, of which a level computes the vectors, are 0; None: all are."""
        if there is not None:
            parts = parts.where(there[:, None], len(rows))
        return cls(functional.pad(rows, (0, 0, 0, 1)), parts, begins)

    @classmethod
    def of_words(cls, vectors: Tensor, schedule: Schedule) -> Stream:
        """A vector for each word, then one for the start of each tree and one for its end."""
        return cls.of(vectors, schedule.sources[:, None], schedule.fixed, schedule.words)

    def pick(self, starts: Tensor) -> Stream:
        """Start tokens alone, with the rows that those may have: of words there are as many as there are spans."""
        return Stream(self.rows[self.begins :], self.parts[starts] - self.begins)


def tokens_of(streams: Sequence[Stream]) -> Tensor:
    """(streams, tokens, width)"""
    return _sums([one.rows for one in streams], [one.parts for one in streams])


def project(streams: Sequence[Stream], weights: Tensor) -> Tensor:
    """(streams, width, out) -> (streams, tokens, out)"""
    rows = [(one.rows @ weight).float() for one, weight in zip(streams, weights, strict=True)]
    return _sums(rows, [one.parts for one in streams])


def _sums(tables: Sequence[Tensor], parts: Sequence[Tensor]) -> Tensor:
    """In one step, as if all had one table; where a stream has fewer parts than another, the rest is its row of 0."""
    most, before = max(one.shape[1] for one in parts), 0
    places = []
    for table, own in zip(tables, parts, strict=True):
        places.append(functional.pad(own, (0, most - own.shape[1]), value=len(table) - 1) + before)
        before += len(table)
    summed = functional.embedding_bag(torch.cat(places), torch.cat(list(tables)), mode="sum")
    return summed.view(len(tables), -1, summed.shape[1])


class StreamLinear(nn.Module):
    """A line for each stream. (streams, n, width) -> (streams, n, out)

    It begins as nn.Linear does, with a third of the variance that it is given, or with all of it (`keeps`).
    """

    def __init__(self, streams: int, width: int, out: int, bias: bool = True, keeps: bool = False) -> None:
        super().__init__()
        bound = math.sqrt((3 if keeps else 1) / width)
        self.weight = nn.Parameter(torch.empty(streams, width, out).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(streams, 1, out).uniform_(-bound, bound)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return torch.bmm(x, self.weight) if self.bias is None else torch.baddbmm(self.bias, x, self.weight)


class StreamNorm(nn.Module):
    """A layer norm for each stream, in full precision. (streams, n, width) -> the same"""

    def __init__(self, streams: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(streams, 1, width))
        self.bias = nn.Parameter(torch.zeros(streams, 1, width))

    def forward(self, x: Tensor) -> Tensor:
        return functional.layer_norm(x.float(), x.shape[2:]) * self.weight + self.bias


class SyntacticEmbedding(nn.Module):
    """Equation (2). What it makes of a token begins with a variance of 1."""

    def __init__(self, labels: int, width: int) -> None:
        super().__init__()
        self.labels, self.positions, self.levels = (nn.Embedding(n, width) for n in (labels, POSITIONS, LEVELS))
        for table in (self.labels, self.positions, self.levels):
            nn.init.normal_(table.weight, std=3**-0.5)
        self.project = nn.Linear(width, width)
        nn.init.xavier_uniform_(self.project.weight)

    def forward(self, schedule: Schedule, there: Tensor | None) -> Stream:
        """The three embeddings are projected apart, b_2 with the level, as every token has one."""
        tables = self.labels.weight, self.positions.weight[: schedule.longest], self.levels.weight[: schedule.depth]
        sizes = [len(table) for table in tables]
        projected = functional.linear(torch.cat(tables), self.project.weight).float()
        labels, positions, levels = torch.split(projected, sizes)
        rows = torch.cat([labels, positions, levels + self.project.bias])
        columns = (
            schedule.labels,
            schedule.positions.clamp(max=len(positions) - 1) + len(labels),
            schedule.levels.clamp(max=len(levels) - 1) + len(labels) + len(positions),
        )
        return Stream.of(rows, torch.stack(columns, dim=1), there)


class SpanAttention(nn.Module):
    """Equations (3) to (8) and the feed-forward layers, for the first token of every span.

    Queries and keys begin as large as their tokens, so that attention tells them apart from the first step. What is
    added to the start token begins smaller, so that a span of any depth is bounded.
    """

    def __init__(self, streams: int, width: int, heads: int, feed_forward: int, normed: bool = False) -> None:
        super().__init__()
        self.heads = heads
        self.query = StreamLinear(streams, width, width, bias=False, keeps=True)
        self.key_value = StreamLinear(streams, width, 2 * width, bias=False, keeps=True)
        self.output = StreamLinear(streams, width, width)
        self.widen, self.narrow = StreamLinear(streams, width, feed_forward), StreamLinear(streams, feed_forward, width)
        self.seen_norm, self.fed_norm = (StreamNorm(streams, width) if normed else nn.Identity() for _ in range(2))

    def forward(self, first: Tensor, attended: Tensor) -> Tensor:
        """What a span is, of its start token and what that has seen. (streams, spans, width) twice -> the same"""
        o = self.seen_norm(first + self.output(attended))
        found: Tensor = self.fed_norm(o + self.feed(o))
        return found

    def feed(self, o: Tensor) -> Tensor:
        fed: Tensor = self.narrow(functional.relu(self.widen(o)))
        return fed

    def attend(self, query: Tensor, key_value: Tensor, step: Step) -> tuple[Tensor, Tensor]:
        """(streams, spans, width), (streams, tokens, 2 width) -> (streams, spans, width), (streams, tokens, heads)"""
        streams, tokens, _ = key_value.shape
        heads = (streams, tokens, self.heads, -1)
        key, value = (half.reshape(heads) for half in key_value.chunk(2, dim=2))
        asked = query.index_select(1, step.owners).float().view(heads)
        weights = softmax_of_spans((asked * key).sum(dim=3) / math.sqrt(key.shape[3]), step)
        seen = (weights[..., None] * value).flatten(2)  # (streams, tokens, width)
        return torch.zeros_like(query, dtype=seen.dtype).index_add(1, step.owners, seen), weights


def softmax_of_spans(scores: Tensor, step: Step) -> Tensor:
    """Over the tokens of each span. (streams, tokens, heads) -> the same"""
    streams, _, heads = scores.shape
    padded = scores.new_full((streams, step.spans * step.longest, heads), -math.inf).index_copy(1, step.cells, scores)
    shares = padded.view(streams, step.spans, step.longest, heads).softmax(dim=2)
    return shares.view(padded.shape).index_select(1, step.cells)


def ascend(attention: SpanAttention, streams: Sequence[Stream], schedule: Schedule) -> Iterator[tuple[Tensor, Tensor]]:
    """From the deepest level up: its spans, (streams, spans, width), and how much each looks at each of its tokens,
    (streams, tokens, heads). What tokens have for a child span is added to its vector.
    """
    steps = schedule.steps
    key_value = project(streams, attention.key_value.weight)
    starts = [one.pick(schedule.starts) for one in streams]
    first, query_of_first = tokens_of(starts), project(starts, attention.query.weight)
    sizes = [step.spans for step in steps]
    tables = zip(steps, *(torch.split(x, sizes, dim=1) for x in (first, query_of_first)), strict=True)
    spans = first[:, :0]
    for (step, start, query), known in zip(
        tables, torch.split(key_value, [step.tokens for step in steps], dim=1), strict=True
    ):
        known = known.index_add(1, step.children, attention.key_value(spans).float())
        attended, weights = attention.attend(query, known, step)
        spans = attention(start, attended)
        yield spans, weights


def aggregate(attention: SpanAttention, streams: Sequence[Stream], schedule: Schedule) -> Tensor:
    """The roots of all trees. (streams, trees, width)"""
    *_, (roots, _) = ascend(attention, streams, schedule)
    return roots
