"""Transformer layers on top of an encoder: over the tokens of a text, or over the candidates of a list."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor, nn
from torch.nn.attention import SDPBackend

from anselm.layers.layout import Layout

# Not cuDNN's attention: it plans anew for each shape, and no two batches of ragged lists have the same. On an H200 that
# planning took 115 ms of a step of 167.
KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


def make_layers(count: int, width: int, heads: int, dropout: float) -> nn.ModuleList:
    return nn.ModuleList(
        nn.TransformerEncoderLayer(width, heads, 4 * width, dropout, "gelu", batch_first=True) for _ in range(count)
    )


def over_tokens(layers: Iterable[nn.Module], states: Tensor, mask: Tensor) -> Tensor:
    """(rows, tokens, width), (rows, tokens) -> (rows, tokens, width)"""
    for layer in layers:
        states = layer(states, src_key_padding_mask=mask == 0)
    return states


def over_lists(layers: Iterable[nn.Module], vectors: Tensor, layout: Layout) -> Tensor:
    """The candidates of a list see each other. (pairs, width) -> (pairs, width)"""
    return layout.unpad(over_tokens(layers, layout.pad(vectors), layout.mask))
