"""The student: the cross-encoder of the default ranker, in bfloat16 with weights kept in single precision.

The same computation as anselm.layers.funnel and the heads of anselm.models.crossencoder, laid out for speed: four
layers read both texts, the fifth the question's tokens, the last [CLS].
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.default_model.teaching.rows import Row

Attention = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]

LAYERS, BOTH, HEADS = 6, 4, 12
DROPOUT = 0.05
WORDS = "encoder.embeddings.word_embeddings.weight"
PARTS = (
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm",
)  # fmt: skip


class Small(nn.Module):
    """`weights` by their names in a checkpoint; the table of words is not trained."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.words, self.attend = weights[WORDS], attend
        self.names = [name for name, one in weights.items() if name != WORDS and one.is_floating_point()]
        self.own = nn.ParameterList([nn.Parameter(weights[name].float().clone()) for name in self.names])

    def state(self) -> dict[str, Tensor]:
        return {name: one.detach() for name, one in zip(self.names, self.own, strict=True)}

    @torch.no_grad()
    def begin(self, weights: dict[str, Tensor]) -> None:
        """With what an earlier one knew."""
        for name, one in zip(self.names, self.own, strict=True):
            if name in weights:
                one.copy_(weights[name].reshape(one.shape))

    def cast(self) -> dict[str, Tensor]:
        """The weights as they are computed with, once for all batches of a step."""
        return {name: one.to(self.words.dtype) for name, one in zip(self.names, self.own, strict=True)}

    def forward(self, row: Row, own: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """The score of each pair, and its similarity. (rows,), (rows,)"""
        kind = self.words.dtype
        states = functional.embedding(row.ids, self.words)
        at = "encoder.embeddings."
        states = states + own[at + "position_embeddings.weight"][None, : row.ids.shape[1]]
        states = states + functional.embedding(
            (row.shown & ~row.asked).long(), own[at + "token_type_embeddings.weight"]
        )
        states = self._drop(norm(states, own, at + "LayerNorm"))
        hidden = torch.zeros(row.shown.shape, dtype=kind, device=states.device).masked_fill(~row.shown, -1e4)
        for layer in range(BOTH):
            states = self._layer(own, layer, states, states, hidden)
        asked = row.asked & row.shown
        most = min(-(-int(asked.sum(dim=1).max()) // 8) * 8, row.ids.shape[1])
        question, inside = states[:, :most], asked[:, :most, None]

        def beside() -> Tensor:
            return torch.cat([torch.where(inside, question, states[:, :most]), states[:, most:]], dim=1)

        for layer in range(BOTH, LAYERS - 1):
            question = self._layer(own, layer, question, beside(), hidden)
        pooled = self._layer(own, LAYERS - 1, question[:, :1], beside(), hidden)[:, 0].float()
        score = functional.linear(self._drop(pooled), *self._pair("head"))
        means = [mean(states, part & row.shown).float() for part in (asked, ~row.asked)]
        both = torch.cat([means[0] * means[1], (means[0] - means[1]).abs(), pooled], dim=1)
        wide = functional.gelu(functional.linear(both, *self._pair("similarity.0")))
        return score.squeeze(1), functional.linear(wide, *self._pair("similarity.2")).squeeze(1)

    def _pair(self, name: str) -> tuple[Tensor, Tensor]:
        return self.own[self.names.index(name + ".weight")], self.own[self.names.index(name + ".bias")]

    def _layer(self, own: dict[str, Tensor], number: int, some: Tensor, every: Tensor, hidden: Tensor) -> Tensor:
        at = f"encoder.encoder.layer.{number}."
        weights = [own[at + name + kind] for name in PARTS for kind in (".weight", ".bias")]
        return read(some, every, hidden, DROPOUT if self.training else 0.0, weights, self.attend)

    def _drop(self, states: Tensor) -> Tensor:
        return functional.dropout(states, DROPOUT, self.training)


def attend(query: Tensor, key: Tensor, value: Tensor, hidden: Tensor) -> Tensor:
    mask = hidden[:, None, None].expand(-1, HEADS, query.shape[2], -1)
    return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)


def attend_plainly(query: Tensor, key: Tensor, value: Tensor, hidden: Tensor) -> Tensor:
    """The same, step by step, should the other come out as no number."""
    looks = (query @ key.transpose(2, 3)).float() * query.shape[3] ** -0.5 + hidden[:, None, None]
    return looks.softmax(dim=3).to(value.dtype) @ value


def read(
    some: Tensor, every: Tensor, hidden: Tensor, dropout: float, weights: list[Tensor], attend: Attention
) -> Tensor:
    """One layer: some of the tokens look at every one."""
    wq, bq, wk, bk, wv, bv, wo, bo, g1, h1, wu, bu, wd, bd, g2, h2 = weights
    query = functional.linear(some, wq, bq).unflatten(2, (HEADS, -1)).transpose(1, 2)
    key = functional.linear(every, wk, bk).unflatten(2, (HEADS, -1)).transpose(1, 2)
    value = functional.linear(every, wv, bv).unflatten(2, (HEADS, -1)).transpose(1, 2)
    looked = attend(query, key, value, hidden)
    looked = functional.linear(looked.transpose(1, 2).flatten(2), wo, bo)
    some = functional.layer_norm(some + functional.dropout(looked, dropout), some.shape[-1:], g1, h1, 1e-12)
    wide = functional.gelu(functional.linear(some, wu, bu))
    more = functional.dropout(functional.linear(wide, wd, bd), dropout)
    return functional.layer_norm(some + more, some.shape[-1:], g2, h2, 1e-12)


def norm(states: Tensor, own: dict[str, Tensor], name: str) -> Tensor:
    return functional.layer_norm(states, states.shape[-1:], own[name + ".weight"], own[name + ".bias"], 1e-12)


def mean(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask[:, :, None].to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
