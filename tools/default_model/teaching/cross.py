"""A fast student that reads both texts together in two layers: one over all pieces, one for [CLS] alone.

The table of words is a product of two narrow matrices.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.default_model.teaching.rows import Row

PARTS = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
         "out": "attention.output.dense", "first": "attention.output.LayerNorm", "up": "intermediate.dense",
         "down": "output.dense", "second": "output.LayerNorm"}  # fmt: skip


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, wide: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, wide), nn.Linear(wide, width)
        self.first, self.second = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)

    def forward(self, some: Tensor, every: Tensor, hidden: Tensor) -> Tensor:
        split = lambda states: states.unflatten(2, (self.heads, -1)).transpose(1, 2)  # noqa: E731
        query, key, value = split(self.query(some)), split(self.key(every)), split(self.value(every))
        looks = (query @ key.transpose(2, 3)).float() * query.shape[3] ** -0.5 + hidden[:, None, None]
        looked = looks.softmax(dim=3).to(value.dtype) @ value
        some = self.first(some + self.out(looked.transpose(1, 2).flatten(2)))
        return self.second(some + self.down(functional.gelu(self.up(some))))


class Cross(nn.Module):
    def __init__(self, table: Tensor, widen: Tensor, heads: int, wide: int, layers: int = 2) -> None:
        """`table` (pieces, narrow), `widen` (narrow, width)."""
        super().__init__()
        width = widen.shape[1]
        self.table, self.widen = nn.Parameter(table.clone()), nn.Parameter(widen.clone())
        self.place = nn.Parameter(torch.randn(200, width) * 0.02)
        self.side = nn.Parameter(torch.randn(2, width) * 0.02)
        self.norm = nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(Layer(width, heads, wide) for _ in range(layers))
        self.head = nn.Linear(width, 1)

    def forward(self, row: Row) -> tuple[Tensor, None]:
        side = (row.shown & ~row.asked).long()
        states = self.table[row.ids] @ self.widen + self.place[: row.ids.shape[1]] + self.side[side]
        states = self.norm(states)
        hidden = torch.zeros(row.shown.shape, device=states.device).masked_fill(~row.shown, -1e4)
        for layer in self.layers[:-1]:
            states = layer(states, states, hidden)
        return self.head(self.layers[-1](states[:, :1], states, hidden)[:, 0]).squeeze(1), None

    @torch.no_grad()
    def take(self, weights: dict[str, Tensor], layers: tuple[int, ...]) -> None:
        """Layers, positions and head of a larger reader."""
        at = "encoder.embeddings."
        self.place.copy_(weights[at + "position_embeddings.weight"][:200])
        self.side.copy_(weights[at + "token_type_embeddings.weight"])
        for kind in ("weight", "bias"):
            getattr(self.norm, kind).copy_(weights[f"{at}LayerNorm.{kind}"])
            getattr(self.head, kind).copy_(weights[f"head.{kind}"])
            for mine, number in zip(self.layers, layers, strict=True):
                for name, path in PARTS.items():
                    getattr(getattr(mine, name), kind).copy_(weights[f"encoder.encoder.layer.{number}.{path}.{kind}"])
