"""The part of a span parser that is large, its encoder and the layers above, as a graph with int8 weights.

ids, mask, shapes: int64 (sentences, pieces) -> signals: float32 (sentences, pieces, width)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx

from anselm.export.exporter import to_onnx
from anselm.export.quantize import Array, quantize
from anselm.models.frames.parser_network import ParserNetwork

INPUTS = ("ids", "mask", "shapes")


def parser_graph(network: ParserNetwork, batches: Sequence[Mapping[str, Array]]) -> onnx.ModelProto:
    """The batches are what the ranges of the activations are seen on; they must be without padding."""
    return quantize(to_onnx(network, network.encoder, INPUTS), batches)
