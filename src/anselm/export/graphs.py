"""A torch module as an ONNX graph, and nothing in it that the runtime does not need."""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import onnx
import torch
from torch import Tensor, nn
from torch.onnx import ONNXProgram

OPSET = 20


def trace(module: nn.Module, example: Mapping[str, Tensor], shapes: Mapping[str, Mapping[int, Any]]) -> onnx.ModelProto:
    """A module as a graph in float32, with the inputs of the example and one output, signals."""
    with torch.no_grad(), quiet():
        program = torch.onnx.export(
            module.eval(), tuple(example.values()), dynamo=True, opset_version=OPSET, verbose=False,
            input_names=tuple(example), output_names=["signals"], dynamic_shapes=dict(shapes),
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "model.onnx"
        cast(ONNXProgram, program).save(path)
        return bare(onnx.load(path))


def bare(graph: onnx.ModelProto) -> onnx.ModelProto:
    """Without the exporter's notes, which name places on this machine, and shapes that would not hold once changed."""
    del graph.metadata_props[:], graph.graph.metadata_props[:], graph.graph.value_info[:]
    graph.doc_string = ""
    for node in graph.graph.node:
        node.doc_string = ""
        del node.metadata_props[:]
    return graph


@contextmanager
def quiet() -> Iterator[None]:
    """The exporter speaks of torchvision and of names of axes; nothing follows from it. What fails is raised."""
    logger = logging.getLogger("torch.onnx")
    level, fast = logger.level, torch.backends.mha.get_fastpath_enabled()
    logger.setLevel(logging.ERROR)
    torch.backends.mha.set_fastpath_enabled(False)  # fused layers that ONNX does not know
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
        torch.backends.mha.set_fastpath_enabled(fast)
