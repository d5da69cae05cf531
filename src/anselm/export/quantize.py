"""int8 for an ONNX graph, such that a score never depends on what else is in the batch.

    weights       one scale per column; a table of words, one per row
    activations   one scale and zero point per tensor, fixed at export from the ranges seen on some pairs

Dynamic quantisation, the usual way, takes the range of the whole batch, so that a long answer changes the scores of the
others. With fixed ranges the few channels with large values would take most of the 255 steps. So each channel is
divided by a factor before it is rounded, and the weights that read it are multiplied by the same (SmoothQuant, Xiao et
al., 2023, equation 4): s_j = max|x_j|^a / max|w_j|^(1-a). And a few extreme values may be cut off. How strong (a) and
how much (a share of the range) is chosen for each tensor: what changes the products with it least.

Weights are rounded channel after channel, and what one loses those after it make up for, as far as they can on the
rows that were seen (GPTQ, Frantar et al., 2023). A tensor of few rows, such as one of [CLS] alone, is not rounded, only
the weights that it meets: its products cost next to nothing.

The result is plain ONNX with quantize and dequantize steps around the same products. ONNX Runtime and OpenVINO both
turn those into int8 kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

Array = NDArray[Any]
RoundWeight = Callable[[Array, Array], tuple[Array, Array]]  # weight, Gram matrix -> whole numbers, column scales

STRENGTHS = (0.5, 0.6, 0.7, 0.8, 0.9)  # a above
SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)  # of the range
COMPARED = 1_024  # rows of a tensor, to compare products on
DAMPING = 0.01  # of the mean of a Gram matrix's diagonal: rows that were not seen are not far off either
FEW = 0.1  # of the rows of the largest tensor
TABLE = 1_000  # rows; a smaller table is not worth rounding


@dataclass(frozen=True)
class Seen:
    """What was seen of a tensor."""

    count: int  # rows
    rows: Array  # (some of them, channels)
    gram: Array  # (channels, channels) sum of x x^T over all of them
    low: Array  # (channels,) at most 0
    high: Array  # (channels,) at least 0


@dataclass(frozen=True)
class Rounding:
    """How a tensor is rounded: divided by its channels' factors, then in steps of `scale` from `zero` on."""

    factor: Array  # (channels,)
    scale: float
    zero: int

    def apply(self, rows: Array) -> Array:
        whole = np.clip(np.rint(rows / self.factor / self.scale) + self.zero, 0, 255)
        return np.asarray((whole - self.zero) * self.scale)  # still divided by the factors

    def gram(self, seen: Seen) -> Array:
        """Of the rounded rows, as if nothing was cut off: rounding adds a twelfth of a squared step to each square."""
        noise = seen.count * self.scale**2 / 12
        return np.asarray(seen.gram / np.outer(self.factor, self.factor) + noise * np.eye(len(seen.gram)))


@dataclass(frozen=True)
class Part:
    """A few nodes of a graph and the constants that only they read."""

    nodes: list[NodeProto]
    constants: dict[str, Array]


def quantize(
    model: ModelProto, batches: Sequence[Mapping[str, Array]], round_weight: RoundWeight | None = None
) -> ModelProto:
    """A new model. The batches must be without padding: what is computed there is never looked at."""
    round_weight = round_weight or compensated
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    reading: dict[str, list[Array]] = {}
    for node in model.graph.node:
        if is_product(node, weights):
            reading.setdefault(node.input[0], []).append(weights[node.input[1]])
    seen = observe(model, list(reading), batches)
    most = max((one.count for one in seen.values()), default=0)
    roundings = {
        name: best_rounding(seen[name], readers) for name, readers in reading.items() if seen[name].count >= FEW * most
    }
    parts = []
    for node in model.graph.node:
        if is_product(node, weights):
            name, weight = node.input[0], weights[node.input[1]]
            rounding = roundings.get(name)
            if rounding and reading.pop(name, None):  # several products read the same tensor, which is rounded once
                parts.append(rounded(name, rounding))
            if rounding:
                whole = round_weight(weight * rounding.factor[:, None], rounding.gram(seen[name]))
                parts.append(product(node, *whole))
            else:
                parts.append(plain_product(node, *round_weight(weight, seen[name].gram)))
        elif is_table(node, weights):
            parts.append(lookup(node, weights[node.input[0]]))
        else:
            parts.append(Part([node], {}))
    return rebuilt(model, parts)


def is_product(node: NodeProto, weights: Mapping[str, Array]) -> bool:
    return node.op_type == "MatMul" and node.input[1] in weights and weights[node.input[1]].ndim == 2


def is_table(node: NodeProto, weights: Mapping[str, Array]) -> bool:
    table = weights.get(node.input[0]) if node.op_type == "Gather" else None
    return table is not None and table.dtype == np.float32 and table.ndim == 2 and len(table) >= TABLE


def observe(model: ModelProto, names: list[str], batches: Sequence[Mapping[str, Array]]) -> dict[str, Seen]:
    """Run the model and keep the extremes and some rows of some of its tensors."""
    from onnxruntime import InferenceSession

    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    watched.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = InferenceSession(watched.SerializeToString(), providers=["CPUExecutionProvider"])
    found: dict[str, Seen] = {}
    for batch in batches:
        given = {one.name: batch[one.name] for one in session.get_inputs()}
        for name, value in zip(names, session.run(names, given), strict=True):
            rows = np.asarray(value).reshape(-1, np.shape(value)[-1])
            found[name] = add_rows(found.get(name), rows, 1 + COMPARED // len(batches))
    return found


def add_rows(seen: Seen | None, rows: Array, most: int) -> Seen:
    """Count, sum and extremes are those of all rows; `most` of them are kept, evenly spread."""
    some, gram = rows[:: max(1, len(rows) // most)][:most], (rows.T @ rows).astype(np.float64)
    low, high = np.minimum(rows.min(axis=0), 0), np.maximum(rows.max(axis=0), 0)
    if seen is None:
        return Seen(len(rows), some, gram, low, high)
    kept = np.concatenate([seen.rows, some])
    low, high = np.minimum(seen.low, low), np.maximum(seen.high, high)
    return Seen(seen.count + len(rows), kept, seen.gram + gram, low, high)


def best_rounding(seen: Seen, readers: Sequence[Array]) -> Rounding:
    """The one that changes the products with the weights that read the tensor least."""
    weight = np.concatenate(readers, axis=1)  # (channels, all columns)
    exact = seen.rows @ weight

    def error(rounding: Rounding) -> float:
        whole, scale = int8(weight * rounding.factor[:, None], axis=0)
        return float(np.square(rounding.apply(seen.rows) @ (whole * scale) - exact).sum())

    factors = [smoothing(seen, readers, strength) for strength in STRENGTHS]
    return min((make_rounding(seen, factor, share) for factor in factors for share in SHARES), key=error)


def smoothing(seen: Seen, readers: Sequence[Array], strength: float) -> Array:
    """The factor of each channel; their geometric mean is 1."""
    large = np.maximum(np.maximum(-seen.low, seen.high), 1e-5)
    read = np.maximum(np.max([np.abs(weight).max(axis=1) for weight in readers], axis=0), 1e-5)
    logs = strength * np.log(large) - (1 - strength) * np.log(read)
    return np.asarray(np.exp(logs - logs.mean()))


def make_rounding(seen: Seen, factor: Array, share: float) -> Rounding:
    """256 steps over a share of the range that the tensor has when it is divided by the factors."""
    low, high = share * float((seen.low / factor).min()), share * float((seen.high / factor).max())
    scale = max(high - low, 1e-8) / 255
    return Rounding(factor, scale, int(np.clip(round(-low / scale), 0, 255)))


def rounded(name: str, rounding: Rounding) -> Part:
    """The tensor divided by its channels' factors, and through uint8."""
    narrow, scaling, zero = f"{name}_narrow", f"{name}_scale", f"{name}_zero"
    return Part(
        [
            helper.make_node("Mul", [name, f"{name}_factor"], [narrow]),
            helper.make_node("QuantizeLinear", [narrow, scaling, zero], [f"{name}_uint8"]),
            helper.make_node("DequantizeLinear", [f"{name}_uint8", scaling, zero], [f"{name}_rounded"]),
        ],
        {
            f"{name}_factor": (1 / rounding.factor).astype(np.float32),
            scaling: np.array(rounding.scale, np.float32),
            zero: np.array(rounding.zero, np.uint8),
        },
    )


def product(node: NodeProto, whole: Array, scale: Array) -> Part:
    """The same product of the rounded tensor and weights that carry the factors."""
    (name,) = node.output
    step = helper.make_node("DequantizeLinear", [f"{name}_int8", f"{name}_scale"], [f"{name}_weight"], axis=1)
    again = helper.make_node("MatMul", [f"{node.input[0]}_rounded", f"{name}_weight"], [name])
    return Part([step, again], {f"{name}_int8": whole, f"{name}_scale": scale.ravel()})


def plain_product(node: NodeProto, whole: Array, scale: Array) -> Part:
    """The same product of the tensor as it is; engines work the weights out when they open the file."""
    (name,) = node.output
    steps = [
        helper.make_node("Cast", [f"{name}_int8"], [f"{name}_floats"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [f"{name}_floats", f"{name}_scale"], [f"{name}_weight"]),
        helper.make_node("MatMul", [node.input[0], f"{name}_weight"], [name]),
    ]
    return Part(steps, {f"{name}_int8": whole, f"{name}_scale": scale.ravel()})


def lookup(node: NodeProto, table: Array) -> Part:
    """Rows of an int8 table, each with its own scale."""
    whole, scale = int8(table, axis=1)
    (name,) = node.output
    rows, scales, floats = f"{name}_rows", f"{name}_scales", f"{name}_floats"
    steps = [
        helper.make_node("Gather", [f"{name}_int8", node.input[1]], [rows]),
        helper.make_node("Gather", [f"{name}_scale", node.input[1]], [scales]),
        helper.make_node("Cast", [rows], [floats], to=TensorProto.FLOAT),
        helper.make_node("Mul", [floats, scales], [name]),
    ]
    return Part(steps, {f"{name}_int8": whole, f"{name}_scale": scale})


def compensated(weight: Array, gram: Array) -> tuple[Array, Array]:
    """Weights as whole numbers, and the scale of each column, such that products with rows of a Gram matrix change
    little.

    U is the factor of the inverse Gram matrix, H^-1 = U^T U. When channel i has been rounded, row i of U tells how the
    channels after it make up best for the error.
    """
    _, scale = int8(weight, axis=0)
    damped = gram + (DAMPING * np.trace(gram) / len(gram) + 1e-8) * np.eye(len(gram))
    upper = np.linalg.cholesky(np.linalg.inv(damped)).T
    left, whole = weight.astype(np.float64), np.empty(weight.shape, np.int8)
    for channel in range(len(weight)):
        whole[channel] = np.clip(np.rint(left[channel] / scale[0]), -127, 127)
        error = (left[channel] - whole[channel] * scale[0]) / upper[channel, channel]
        left[channel + 1 :] -= np.outer(upper[channel, channel + 1 :], error)
    return whole, scale


def int8(values: Array, axis: int) -> tuple[Array, Array]:
    """Whole numbers from -127 to 127, and the scale along an axis, which stays with length 1."""
    scale = np.maximum(np.abs(values).max(axis=axis, keepdims=True), 1e-8) / 127
    return np.rint(values / scale).astype(np.int8), scale.astype(np.float32)


def rebuilt(model: ModelProto, parts: Sequence[Part]) -> ModelProto:
    """The model with other nodes; constants that nothing reads any more are left out."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    graph = result.graph
    del graph.node[:], graph.initializer[:], graph.value_info[:]
    graph.node.extend(node for part in parts for node in part.nodes)
    read = {name for node in graph.node for name in node.input}
    graph.initializer.extend(tensor for tensor in model.graph.initializer if tensor.name in read)
    for part in parts:
        graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in part.constants.items())
    return result
