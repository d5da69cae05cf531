"""Graphs without their encoder's weights: constants go to one file beside them, and a recipe says what makes it.

What is small, or our own, stays in the graph. A constant is known by the name that it has in the encoder: biases and
norms keep theirs, a product is named by the bias that is added to it, and the factor of a tensor by its graph.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper

from anselm.fetch.weight_file import Part

Array = NDArray[Any]
ALIGNED = 4096  # bytes, so that engines can map what they read
WORDS = "embeddings.word_embeddings.weight"


@dataclass
class Skeletons:
    """Adds one graph after the other; what two of them share stands in the file once."""

    location: str
    adapters: dict[str, str]  # of a weight of the encoder -> the name of its adapter
    parts: dict[tuple[Any, ...], Part] = field(default_factory=dict)
    factors: dict[str, Array] = field(default_factory=dict)
    size: int = 0

    def add(self, name: str, model: onnx.ModelProto, prefix: str, adapted: bool) -> onnx.ModelProto:
        """`prefix` is what stands before the encoder's own names in the graph. The model is changed in place."""
        tensors = {tensor.name: tensor for tensor in model.graph.initializer}
        for product, weight in products(model, prefix).items():
            part = self._product(name, model, tensors, product, weight, adapted)
            self._move(tensors, part, [f"{product}_int8", f"{product}_scale"])
        for table in (node.output[0] for node in model.graph.node if is_table(node, tensors)):
            names = [f"{table}_int8", f"{table}_scale"]
            self._move(tensors, self._part("table", WORDS, tensors, names), names)
        for constant in [one for one in tensors if one.startswith(prefix)]:
            self._move(tensors, self._part("copy", constant.removeprefix(prefix), tensors, [constant]), [constant])
        return model

    def _product(
        self, name: str, model: onnx.ModelProto, tensors: dict[str, TensorProto], product: str, weight: str,
        adapted: bool,
    ) -> Part:  # fmt: skip
        given = next(node.input[0] for node in model.graph.node if product in node.output).removesuffix("_rounded")
        factor = f"{name}.{given}"
        if factor not in self.factors:
            self.factors[factor] = (1 / numpy_helper.to_array(tensors[f"{given}_factor"])).astype(np.float32)
            part = self._part("inverse", factor, tensors, [f"{given}_factor"])
            self._move(tensors, part, [f"{given}_factor"])
        adapter = self.adapters[weight] if adapted else None
        names = [f"{product}_int8", f"{product}_scale"]
        return self._part("product", weight, tensors, names, adapter=adapter, factor=factor)

    def _part(self, make: str, of: str, tensors: dict[str, TensorProto], names: list[str], **more: Any) -> Part:
        key = (make, of, *more.values())
        if key not in self.parts:
            places = []
            for one in names:
                places.append(self.size)
                self.size += -(-numpy_helper.to_array(tensors[one]).nbytes // ALIGNED) * ALIGNED
            self.parts[key] = Part(make, of, tuple(places), **more)
        return self.parts[key]

    def _move(self, tensors: dict[str, TensorProto], part: Part, names: list[str]) -> None:
        """Out of the graph."""
        for one, offset in zip(names, part.at, strict=True):
            tensor = tensors[one]
            length = numpy_helper.to_array(tensor).nbytes
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in (("location", self.location), ("offset", offset), ("length", length)):
                tensor.external_data.add(key=key, value=str(value))

    def recipe(self) -> dict[str, Any]:
        parts = [{key: value for key, value in asdict(part).items() if value is not None} for part in
                 sorted(self.parts.values(), key=lambda part: part.at)]  # fmt: skip
        return {"size": self.size, "parts": parts}


def products(model: onnx.ModelProto, prefix: str) -> dict[str, str]:
    """The output of each rounded product -> the weight of the encoder that it reads."""
    constants = {tensor.name for tensor in model.graph.initializer}
    found = {}
    for add in model.graph.node:
        bias = next((name for name in add.input if name.startswith(prefix) and name.endswith(".bias")), None)
        product = next((name for name in add.input if f"{name}_int8" in constants), None)
        if add.op_type == "Add" and bias and product:
            found[product] = bias.removeprefix(prefix).removesuffix("bias") + "weight"
    return found


def is_table(node: onnx.NodeProto, tensors: dict[str, TensorProto]) -> bool:
    scale = tensors.get(f"{node.output[0]}_scale")
    return f"{node.output[0]}_int8" in tensors and scale is not None and len(scale.dims) == 2
