"""The gated self-attention memory network: "A Gated Self-attention Memory Network for Answer Selection" (Lai et al.,
2019), the first baseline of Table 4 of "Recursive Tree-Structured Self-Attention for Answer Sentence Selection"
(tree-aggregation-transformer), which says that it is gated attention, a memory network and self-attention in one.

The encoder's vectors of the pair's n tokens are the memory cells x_1 .. x_n, and c is the controller. In each hop every
one of these n + 1 vectors z looks at all of them, and is gated by what it has seen:

    s_ij = z_i . (W z_j + b)        a_i = softmax(s_i)        g_i = sigmoid(sum over j of a_ij z_j)
    x_i  <- g_i * x_i
    c    <- g_c * c + mean of the new x_i

    score = w . c + b               after the last hop

Reconstructed: the tree paper has no equation of it, and these were written without its text or code beside them. Least
sure are that s has no divisor, that all hops share W and b, that the first c is a learned vector, and that there are
two hops. The transfer from Stack Exchange that its rows have is a stage of a recipe. Its loss is pointwise.

Not here: the evidence memory of Tran et al. (2020), a neural Turing machine as the controller, and its combination with
the tree. The tree paper names both and describes neither; their rows of Table 4 are quoted only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from anselm.checkpoints.checkpoint import PAIRS
from anselm.checkpoints.settings import check_least
from anselm.encoding.tokenizer import PairTokenizer
from anselm.models.frames.pair_model import PairConfig, PairModel

MODELS = {
    "gsamn": {"kind": "transformer", "summary": "a memory of the pair's words, gated by self-attention in several hops"}
}
VARIANTS: dict[str, dict[str, Any]] = {"gsamn": {}}
TINY = {"max_length": 48, "max_question": 12}


@dataclass(frozen=True)
class Config(PairConfig):
    hops: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, {"hops": 1})


class MemoryNetwork(PairModel):
    settings, variants = Config, VARIANTS
    exports_to = PAIRS
    usual: ClassVar[Mapping[str, Any]] = {"epochs": 3.0, "learning_rate": 5e-5, "loss": "pointwise"}

    def __init__(self, name: str, config: Config, encoder: Any, tokenizer: PairTokenizer) -> None:
        super().__init__(name, config, encoder, tokenizer)
        self.controller = nn.Parameter(torch.empty(self.width).normal_(std=0.02))
        self.line = nn.Linear(self.width, self.width)
        self.head = nn.Linear(self.width, 1)

    def pool(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """The controller after the last hop. (rows, tokens) three times -> (rows, width)"""
        cells, there = self.encode(ids, mask, types), mask[:, :, None].bool()  # (rows, tokens, width)
        controller = self.controller.to(cells.dtype).expand_as(cells[:, :1])
        for _ in range(self.config.hops):
            cells, controller = self.hop(cells, controller, there)
        return controller.squeeze(1)

    def hop(self, cells: Tensor, controller: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
        """(rows, tokens, width), (rows, 1, width), (rows, tokens, 1) -> new cells, new controller"""
        z = torch.cat([controller, cells], dim=1)  # (rows, 1 + tokens, width)
        seen = torch.cat([torch.ones_like(there[:, :1]), there], dim=1).mT  # (rows, 1, 1 + tokens)
        scores = (z @ self.line(z).mT).float()  # (rows, 1 + tokens, 1 + tokens)
        weights = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).softmax(dim=2)
        gated = torch.sigmoid(weights.to(z.dtype) @ z) * z
        cells = gated[:, 1:] * there
        return cells, gated[:, :1] + cells.sum(dim=1, keepdim=True) / there.sum(dim=1, keepdim=True)


load, configure, build = MemoryNetwork.load, MemoryNetwork.configure, MemoryNetwork.build
