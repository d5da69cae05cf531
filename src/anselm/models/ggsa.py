"""GGSA and iGGSA: "Gated Group Self-Attention for Answer Selection" (gated-group-self-attention), section 3.

GGSA encodes question and answer alike, by a self-attention block whose words see their group alone, and all other words
through a gate (layers/blocks.py has equations 1 to 4):

    xbar = mean of the x_i,  g_i = sigmoid(W (x_i * xbar) + b)                 (1)
    C = GroupMultiHeadAttention(X * G),  Y = LayerNorm(X + C)                  (2)
    R = FeedForwardLayer(Y)                                                    (3)
    H = Y + R                                                                  (4)

iGGSA lets the answer take the question into account by another residual, between (2) and (3):

    c^q = mean of the h_i^q                                                    (5)
    R~  = FeedForwardLayer(Y^a * c^q),  Y~^a = LayerNorm(Y^a + R~)
    R   = FeedForwardLayer(Y~^a)                                               (6)
    H^a = Y~^a + R                                                             (7)

On top: max pooling, attention or multihop sequential attention, then cosine (pairwise loss) or a two-layer MLP
(pointwise). X are the words with dropout, then positions.

Chosen here: question and answer share the block (the paper speaks of two encoders, and of none as being shared;
`shared = false` gives the answer one of its own); each residual has a feed-forward layer of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from anselm.errors import InputError
from anselm.layers.blocks import FeedForward, SelfAttentionBlock, with_positions
from anselm.layers.composition import mean_pool
from anselm.models import siamese
from anselm.models.frames.text_encoders import grouping
from anselm.models.siamese import SPREAD, Siamese

MODELS = {
    "ggsa": {"kind": "siamese", "summary": "gated group self-attention, max pooling, cosine"},
    "iggsa": {"kind": "siamese", "summary": "gated group self-attention in which answers see the question"},
}
TINY = {"embedding": 24, "width": 24, "group": 4, "max_length": 12, "max_question": 8}
VARIANTS: dict[str, dict[str, Any]] = {"ggsa": {"interaction": False}, "iggsa": {"interaction": True}}


@dataclass(frozen=True)
class Config(siamese.Config):
    encoder: str = "group"
    offsets: tuple[int, ...] = SPREAD
    gate: bool = True
    interaction: bool = True  # iGGSA
    shared: bool = True  # one block for question and answer

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.encoder != "group":
            raise InputError(f"encoder is {self.encoder!r}, but GGSA's is 'group'; other encoders are in other models")


class GatedGroups(nn.Module):
    """The encoder: X -> H, and for the answers of iGGSA X^a -> Y^a -> H^a once the question is known."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.width, self.scale, self.meets = config.width, config.scale, config.interaction
        self.block = self._block(config)
        self.own_block = None if config.shared else self._block(config)
        if self.meets:
            self.residual, self.norm = FeedForward(config.width), nn.LayerNorm(config.width)

    def _block(self, config: Config) -> SelfAttentionBlock:
        return SelfAttentionBlock(config.width, config.heads, grouping(config), config.gate, last_norm=False)

    @property
    def answer_block(self) -> SelfAttentionBlock:
        return self.block if self.own_block is None else self.own_block

    def question(self, x: Tensor, mask: Tensor) -> Tensor:
        h: Tensor = self.block(with_positions(x, self.scale), mask)  # (1) to (4)
        return h

    def answer(self, x: Tensor, mask: Tensor) -> Tensor:
        y = self.answer_block.look(with_positions(x, self.scale), mask)  # (1), (2)
        return y if self.meets else self.answer_block.think(y)

    def meet(self, q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> tuple[Tensor, Tensor]:
        if not self.meets:
            return q, a
        context = mean_pool(q, q_mask)[:, None, :]  # (5) (pairs, 1, width)
        y = self.norm(a + self.residual(a * context))  # (pairs, words, width)
        return q, self.answer_block.think(y)  # (6), (7)


class GGSA(Siamese):
    settings, variants = Config, VARIANTS

    def make_encoder(self, config: siamese.Config) -> GatedGroups:
        return GatedGroups(config)  # type: ignore[arg-type]


load, build, configure = GGSA.load, GGSA.build, GGSA.configure
