"""The encoders of the siamese family, by name. Each has

question, answer   what is read before the two meet: (texts, words, width in) -> (texts, words, width)
meet               what comes of a pair of them, where one is read knowing the other (`meets`)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from anselm.layers.attention import Attend, global_attention, in_groups, in_windows
from anselm.layers.blocks import SelfAttentionBlock, with_positions
from anselm.layers.composition import mean_pool
from anselm.layers.convolution import Convolution
from anselm.layers.recurrent import BiLSTM, CrossTemporal, InnerAttentionGRU

if TYPE_CHECKING:
    from anselm.models.siamese import Config


class Alone(nn.Module):
    """An encoder that reads each text by itself."""

    meets = False

    def __init__(self, encoder: nn.Module, width: int) -> None:
        super().__init__()
        self.encoder, self.width = encoder, width

    def question(self, x: Tensor, mask: Tensor) -> Tensor:
        states: Tensor = self.encoder(x, mask)
        return states

    def answer(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.question(x, mask)

    def meet(self, q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> tuple[Tensor, Tensor]:
        return q, a


class Words(nn.Module):
    """No encoder at all: the words as they are."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return x


class Placing(nn.Module):
    """Positions are added before a self-attention block."""

    def __init__(self, block: SelfAttentionBlock, scale: float) -> None:
        super().__init__()
        self.block, self.scale = block, scale

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        states: Tensor = self.block(with_positions(x, self.scale), mask)
        return states


class InnerAttention(nn.Module):
    """IARNN-GATE (Wang et al., 2016): the answer is read knowing the question, which is the mean of its own states."""

    meets = True

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.width = 2 * config.hidden
        self.read = InnerAttentionGRU(config.width, config.hidden, self.width)

    def question(self, x: Tensor, mask: Tensor) -> Tensor:
        nothing = x.new_zeros(len(x), self.width)
        states: Tensor = self.read(x, mask, nothing)
        return states

    def answer(self, x: Tensor, mask: Tensor) -> Tensor:
        return x

    def meet(self, q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> tuple[Tensor, Tensor]:
        return q, self.read(a, a_mask, mean_pool(q, q_mask))


class Crossing(nn.Module):
    """CTRN (Tay et al., 2018): both are read with gates that come from both."""

    meets = True

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.width = config.hidden
        self.cross = CrossTemporal(config.width, config.hidden)

    def question(self, x: Tensor, mask: Tensor) -> Tensor:
        return x

    def answer(self, x: Tensor, mask: Tensor) -> Tensor:
        return x

    def meet(self, q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> tuple[Tensor, Tensor]:
        states: tuple[Tensor, Tensor] = self.cross(q, q_mask, a, a_mask)
        return states


def attending(config: Config, attend: Attend, last_norm: bool) -> Alone:
    block = SelfAttentionBlock(config.width, config.heads, attend, config.gate, last_norm)
    return Alone(Placing(block, config.scale), config.width)


def grouping(config: Config) -> Attend:
    offsets = config.offsets if len(config.offsets) > 1 else config.offsets * config.heads
    return in_groups(config.heads, config.group, offsets)


ENCODERS: dict[str, Callable[[Any], Any]] = {
    "words": lambda c: Alone(Words(), c.width),
    "cnn": lambda c: Alone(Convolution(c.width, c.width, c.filters, c.window), c.filters),
    "lstm": lambda c: Alone(BiLSTM(c.width, c.hidden), 2 * c.hidden),
    "inner-attention": InnerAttention,
    "cross-temporal": Crossing,
    "global": lambda c: attending(c, global_attention, last_norm=True),
    "local": lambda c: attending(c, in_windows(c.reach), last_norm=False),
    "group": lambda c: attending(c, grouping(c), last_norm=False),
}
