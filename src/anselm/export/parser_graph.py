"""The part of a span parser that is large, its encoder and the layers above, as a graph with int8 weights.

ids, mask, shapes: int64 (sentences, pieces) -> signals: float32 (sentences, pieces, width)
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx

from anselm.annotations.piece_rows import Row
from anselm.export.exporter import to_onnx
from anselm.export.quantize import quantize
from anselm.models.frames.parser_network import ParserNetwork

INPUTS = ("ids", "mask", "shapes")


def parser_graph(network: ParserNetwork, rows: Sequence[Row]) -> onnx.ModelProto:
    """`rows` are what the ranges of the activations are seen on, one at a time: without padding."""
    graph = to_onnx(network, network.encoder, INPUTS)
    return quantize(
        graph, [{"ids": row.ids[None], "mask": row.ids[None] * 0 + 1, "shapes": row.shapes[None]} for row in rows]
    )
