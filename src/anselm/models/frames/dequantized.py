"""The reader of an exported general ranker as weights that can be trained further: int8 become numbers again.

    W = diag(factor) (W_int8 · scale)^T         of a linear layer; export/quantize.py says what the factor is for
    E = E_int8 · scale                          of the word table, row by row

Rounding has moved each weight by a step or a few, a hundredth of the largest of its column. What is thawed scores much
as the reader does: over the first 40 lists of WikiQA's dev set the two correlate at 0.9997 for the default ranker.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anselm.errors import FormatError, MissingExtraError

Array = NDArray[Any]
PREFIX = "model."  # of the names of a reader's graph, from the module it was traced from; an encoder's has none
OWN = (PREFIX, "encoder.")  # how the names of weights begin
WORDS = "encoder.embeddings.word_embeddings.weight"


def thaw(path: Path) -> dict[str, Tensor]:
    """The weights of the cross-encoder or encoder that a graph was made from, by their names in it."""
    return {name: torch.from_numpy(np.array(array)) for name, array in _weights(path).items()}


def _weights(path: Path) -> dict[str, Array]:
    try:
        import onnx
        from onnx import numpy_helper
    except ImportError:
        raise MissingExtraError("training an exported ranker further", "train") from None
    try:
        graph = onnx.load(str(path)).graph
    except Exception as error:  # protobuf's, which is no ValueError
        raise FormatError(path, f"not a readable ONNX graph ({error})") from None
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    found = {name.removeprefix(PREFIX): array for name, array in constants.items() if name.startswith(OWN)}
    found |= dict(_linear_layers(graph, constants))
    if "embedding_int8" in constants:
        found[WORDS] = constants["embedding_int8"] * constants["embedding_scale"]
    return found


def _linear_layers(graph: Any, constants: dict[str, Array]) -> Iterator[tuple[str, Array]]:
    """x W + b is a product with a constant, rounded or not, and a sum with the bias, which has kept its name."""
    makers = {output: node for node in graph.node for output in node.output}
    for add in graph.node:
        bias = next((name for name in add.input if name.startswith(OWN) and name.endswith(".bias")), None)
        product = next((makers[name] for name in add.input if name in makers), None)
        if add.op_type == "Add" and bias and product is not None and product.op_type == "MatMul":
            weight = _weight(product, makers, constants)
            yield bias.removeprefix(PREFIX).removesuffix("bias") + "weight", weight.T


def _weight(product: Any, makers: dict[str, Any], constants: dict[str, Array]) -> Array:
    """What a product's input is multiplied by in all. (width in, width out)"""
    given, name = product.input
    if name in constants:
        return constants[name]
    step = makers[name]
    if step.op_type == "Mul":  # the weights alone are rounded
        floats, scale = step.input
        return constants[makers[floats].input[0]].astype(np.float32) * constants[scale]
    whole, scales = (constants[part] for part in step.input[:2])
    return _factor(given, makers, constants)[:, None] * (whole.astype(np.float32) * scales)


def _factor(name: str, makers: dict[str, Any], constants: dict[str, Array]) -> Array:
    """What each channel was multiplied by before it was rounded."""
    quantize = makers[makers[name].input[0]]
    narrow = makers.get(quantize.input[0])
    if narrow is not None and narrow.op_type == "Mul" and narrow.input[1] in constants:
        return constants[narrow.input[1]]
    return np.ones(1, dtype=np.float32)


def fill(model: nn.Module, weights: dict[str, Tensor], path: Path) -> None:
    """Give a pair model the weights of a reader; a layer that the reader lacks stays as it is, and so does the head
    that comes after it.
    """
    own = model.state_dict()
    plain = all(name.startswith(("encoder.", "head.")) for name in own)
    wanted = [name for name in own if plain or name.startswith("encoder.")]
    for name in wanted:
        if name not in weights or own[name].shape != weights[name].shape:
            raise FormatError(path, f"not the reader of a general ranker: it has no {name!r} that fits")
    model.load_state_dict({name: weights[name] for name in wanted}, strict=False)
