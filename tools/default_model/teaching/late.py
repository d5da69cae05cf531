"""A fast student that reads the two texts apart and lets their pieces meet late, as vectors.

    q_i  pieces of the question, read by a few layers of attention over the question alone
    c_j  pieces of the candidate: rows of a table ("static"), with neighbours ("near"), or read by a layer ("read")
    S_ij = cos(q_i, c_j)

Of a question's piece: its best partner, a soft best, whether it stands there itself, its best partner that stands
before the partner of the next piece. A small network weighs these by what the piece means. Beside them: where the
candidate is densest in partners, what the question looks for beyond its own words (probes), and the similarity of both
texts as a whole.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.default_model.teaching.rows import Row

HIDDEN, PRODUCT, WINDOWS = 32, 16, (5, 15)
SHARP = 8.0
LONGEST = 66  # pieces of a question


class Block(nn.Module):
    def __init__(self, width: int, heads: int, wide: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, wide), nn.Linear(wide, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, states: Tensor, shown: Tensor) -> Tensor:
        parts = self.qkv(states).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        hidden = torch.zeros(shown.shape, device=states.device, dtype=parts.dtype).masked_fill(~shown, -1e4)
        looked = functional.scaled_dot_product_attention(*parts, attn_mask=hidden[:, None, None])
        states = self.first(states + self.out(looked.transpose(1, 2).flatten(2)))
        return self.second(states + self.down(functional.relu(self.up(states))))


class Late(nn.Module):
    """`table` (pieces, width) is where pieces begin, `rarity` (pieces,) the logarithm of what they weigh."""

    def __init__(self, table: Tensor, rarity: Tensor, layers: int, candidate: str, probes: int = 4) -> None:
        super().__init__()
        width = table.shape[1]
        self.table, self.rarity = nn.Parameter(table.clone()), nn.Parameter(rarity.clone())
        self.place = nn.Parameter(torch.zeros(LONGEST, width))
        self.layers = nn.ModuleList(Block(width, width // 32, 2 * width) for _ in range(layers))
        self.candidate = candidate
        if candidate == "near":
            self.near, self.join = nn.Conv1d(width, width, 3, padding=1), nn.Linear(width, width)
            nn.init.zeros_(self.join.weight)
        if candidate == "read":
            self.spot = nn.Parameter(torch.zeros(256, width))
            self.reading = Block(width, width // 32, 2 * width)
        self.matter = nn.Linear(width, 1)
        self.signs, self.context = nn.Linear(4, HIDDEN), nn.Linear(width, HIDDEN)
        self.probes = nn.Linear(width, probes * width)
        self.product = nn.Linear(width, PRODUCT)
        self.wide = nn.Linear(HIDDEN + len(WINDOWS) + probes + PRODUCT + 3, 64)
        self.head = nn.Linear(64, 1)
        for one in (self.matter,):
            nn.init.zeros_(one.weight), nn.init.zeros_(one.bias)

    def forward(self, row: Row) -> tuple[Tensor, Tensor]:
        """The score of each pair, and the cosine of the texts as a whole. (rows,), (rows,)"""
        word = row.shown & (row.ids != 101) & (row.ids != 102)
        most = int((row.asked & row.shown).sum(dim=1).max())
        asked, said = (word & row.asked)[:, 1:most], (word & ~row.asked)
        ids, every = row.ids[:, 1:most], row.ids
        question, candidate = self.question(ids, asked), self.candidates(every, said)
        weight = asked * torch.exp(self.rarity[ids] + self.matter(question).squeeze(2))  # (rows, question)
        weight = weight / weight.sum(dim=1, keepdim=True).clamp(min=1e-6)
        sim = torch.einsum("rqd,rcd->rqc", unit(question), unit(candidate))
        sim = sim.masked_fill(~said[:, None], -1.0)
        signs = self.partners(sim, said[:, None], ids[:, :, None] == every[:, None])
        hidden = functional.relu(self.signs(signs) + self.context(question))
        met = (weight[:, :, None] * hidden).sum(dim=1)  # (rows, HIDDEN)
        dense = self.dense(sim, weight, said)
        whole = (weight[:, :, None] * question).sum(dim=1)  # (rows, width)
        sought = unit(self.probes(whole).unflatten(1, (-1, whole.shape[1])))
        probed = torch.einsum("rpd,rcd->rpc", sought, unit(candidate)).masked_fill(~said[:, None], -1.0).amax(dim=2)
        heavy = said * torch.exp(self.rarity[every])
        text = unit((heavy[:, :, None] * candidate).sum(dim=1))
        both = unit(whole) * text
        cosine = both.sum(dim=1, keepdim=True)
        sizes = torch.stack([said.sum(dim=1), asked.sum(dim=1)], dim=1).float().log1p()
        found = torch.cat([met, dense, probed, self.product(both * 8), cosine, sizes], dim=1)
        return self.head(functional.relu(self.wide(found))).squeeze(1), cosine.squeeze(1)

    def question(self, ids: Tensor, shown: Tensor) -> Tensor:
        states = self.table[ids] + self.place[: ids.shape[1]]
        for layer in self.layers:
            states = layer(states, shown)
        return states

    def candidates(self, ids: Tensor, shown: Tensor) -> Tensor:
        states = self.table[ids] * shown[:, :, None]
        if self.candidate == "near":
            around = functional.relu(self.near(states.transpose(1, 2)).transpose(1, 2))
            states = (states + self.join(around)) * shown[:, :, None]
        if self.candidate == "read":
            place = (torch.cumsum(shown, dim=1) - 1).clamp(min=0)
            states = self.reading(states + self.spot[place], shown | ~shown.any(dim=1, keepdim=True))
        return states

    def partners(self, sim: Tensor, said: Tensor, same: Tensor) -> Tensor:
        """(rows, question, 4)"""
        best = sim.amax(dim=2)
        soft = torch.logsumexp(SHARP * sim.masked_fill(~said, -1e3), dim=2) / SHARP
        after = functional.pad(sim[:, 1:, 1:], (0, 1, 0, 1), value=-1.0)
        both = 0.5 * (sim + after).masked_fill(~said, -2.0).amax(dim=2)
        return torch.stack([best, soft, (same & said).any(dim=2).float(), both], dim=2)

    def dense(self, sim: Tensor, weight: Tensor, said: Tensor) -> Tensor:
        """The densest stretch of so many pieces. (rows, windows)"""
        here = (weight[:, :, None] * sim.clamp(min=0).square()).sum(dim=1) * said  # (rows, candidate)
        slid = [functional.avg_pool1d(here[:, None], size, 1, size // 2).squeeze(1) for size in WINDOWS]
        return torch.stack([one.masked_fill(~said, 0.0).amax(dim=1) for one in slid], dim=1)


def unit(vectors: Tensor) -> Tensor:
    return functional.normalize(vectors, dim=-1, eps=1e-6)
