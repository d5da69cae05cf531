"""The teacher: all-mpnet-base-v2, frozen, with an adapter of low rank on every linear layer (LoRA, Hu et al., 2022).

    y = x W^T + b + scale (x A^T) B^T        A (rank, in), B (out, rank), B = 0 at first
    score = w . mean of the tokens' last vectors + v

All in bfloat16 but the adapter's own weights. The encoder without its adapter gives the similarity.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.default_model.teaching.rows import Row

LAYERS, HEADS = 12, 12
LINEAR = {
    "q": "attention.attn.q", "k": "attention.attn.k", "v": "attention.attn.v", "o": "attention.attn.o",
    "up": "intermediate.dense", "down": "output.dense",
}  # fmt: skip
RANK, SCALE = 16, 2.0
DROPOUT = 0.1


class Large(nn.Module):
    def __init__(self, weights: dict[str, Tensor], rank: int = RANK) -> None:
        super().__init__()
        self.frozen = weights  # not parameters
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        for layer in range(LAYERS):
            for name, path in LINEAR.items():
                out, wide = weights[f"encoder.layer.{layer}.{path}.weight"].shape
                self.down[f"{layer}{name}"] = nn.Parameter(torch.randn(rank, wide) / math.sqrt(wide))
                self.up[f"{layer}{name}"] = nn.Parameter(torch.zeros(out, rank))
        self.head = nn.Linear(768, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, row: Row) -> Tensor:
        """(rows,)"""
        return self.head(self.pooled(row, adapted=True).float()).squeeze(1)

    def vectors(self, row: Row) -> Tensor:
        """Of length one, by the encoder as it was. (rows, width)"""
        return functional.normalize(self.pooled(row, adapted=False).float(), dim=1)

    def pooled(self, row: Row, adapted: bool) -> Tensor:
        kind = self.frozen["embeddings.word_embeddings.weight"].dtype
        place = torch.arange(row.ids.shape[1], device=row.ids.device) + 2
        states = functional.embedding(row.ids, self.frozen["embeddings.word_embeddings.weight"])
        states = states + functional.embedding(place, self.frozen["embeddings.position_embeddings.weight"])
        states = self._drop(self._norm(states, "embeddings.LayerNorm"), adapted)
        hidden = torch.zeros(row.shown.shape, dtype=kind, device=states.device).masked_fill(~row.shown, -1e4)
        bias = (self._bias(row.ids.shape[1]) + hidden[:, None, None]).contiguous()  # (rows, heads, tokens, tokens)
        for layer in range(LAYERS):
            states = self._layer(states, bias, layer, adapted)
        weights = row.shown[:, :, None].to(kind)
        return (states * weights).sum(dim=1) / weights.sum(dim=1)

    def _layer(self, states: Tensor, bias: Tensor, layer: int, adapted: bool) -> Tensor:
        at = f"encoder.layer.{layer}."
        split = [self._linear(states, layer, name, adapted).unflatten(2, (HEADS, -1)).transpose(1, 2) for name in "qkv"]
        looked = functional.scaled_dot_product_attention(*split, attn_mask=bias)
        looked = self._linear(looked.transpose(1, 2).flatten(2), layer, "o", adapted)
        states = self._norm(states + self._drop(looked, adapted), f"{at}attention.LayerNorm")
        wide = functional.gelu(self._linear(states, layer, "up", adapted))
        return self._norm(
            states + self._drop(self._linear(wide, layer, "down", adapted), adapted), f"{at}output.LayerNorm"
        )

    def _linear(self, states: Tensor, layer: int, name: str, adapted: bool) -> Tensor:
        at = f"encoder.layer.{layer}.{LINEAR[name]}."
        plain = functional.linear(states, self.frozen[at + "weight"], self.frozen[at + "bias"])
        if not adapted:
            return plain
        down, up = (part[f"{layer}{name}"].to(states.dtype) for part in (self.down, self.up))
        low = states.flatten(0, 1) @ down.t()
        return torch.addmm(plain.flatten(0, 1), low, up.t(), alpha=SCALE).view_as(plain)

    def _norm(self, states: Tensor, at: str) -> Tensor:
        return functional.layer_norm(
            states, states.shape[-1:], self.frozen[at + ".weight"], self.frozen[at + ".bias"], 1e-5
        )

    def _drop(self, states: Tensor, adapted: bool) -> Tensor:
        return functional.dropout(states, DROPOUT, self.training and adapted)

    def _bias(self, width: int) -> Tensor:
        """By how far apart two tokens are. (1, heads, tokens, tokens)"""
        table = self.frozen["encoder.relative_attention_bias.weight"]
        place = torch.arange(width, device=table.device)
        return table[buckets(place[None] - place[:, None])].permute(2, 0, 1)[None]


def buckets(apart: Tensor, count: int = 32, farthest: int = 128) -> Tensor:
    """MPNet's, which are T5's: one for each small distance, wider ones for larger, before and after apart."""
    half = count // 2
    exact = half // 2
    size = apart.abs()
    wide = exact + (torch.log(size.clamp(min=1).float() / exact) / math.log(farthest / exact) * (half - exact)).long()
    return (apart > 0).long() * half + torch.where(size < exact, size, wide.clamp(max=half - 1))
