"""Weights rounded with compensation, against plain rounding and against trying everything; and whole graphs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from anselm.export.quantize import Rounding, add_rows, compensated, int8, quantize  # noqa: E402


def change(weight: np.ndarray, whole: np.ndarray, scale: np.ndarray, rows: np.ndarray) -> float:
    return float(np.square(rows @ (whole * scale) - rows @ weight).sum())


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_products_with_rows_of_few_directions_change_less(rng: np.random.Generator) -> None:
    """Where channels say much the same, one can make up for another."""
    weight = rng.normal(size=(48, 20))
    rows = rng.normal(size=(500, 6)) @ rng.normal(size=(6, 48)) + 0.1 * rng.normal(size=(500, 48))
    plain, found = int8(weight, axis=0), compensated(weight, rows.T @ rows)
    np.testing.assert_array_equal(found[1], plain[1])
    assert np.abs(found[0] * found[1] - weight).max() < 6 * plain[1].max()
    assert change(weight, *found, rows) < 0.25 * change(weight, *plain, rows)


def test_without_anything_in_common_it_is_plain_rounding(rng: np.random.Generator) -> None:
    weight, rows = rng.normal(size=(16, 5)), np.linalg.qr(rng.normal(size=(40, 16)))[0]
    np.testing.assert_array_equal(compensated(weight, rows.T @ rows)[0], int8(weight, axis=0)[0])


def test_two_channels_against_trying_everything(rng: np.random.Generator) -> None:
    """The first is rounded to its nearest; given that, the second is the best there is."""
    for _ in range(20):
        weight = np.append(rng.normal(size=2), 3.0)[:, None]  # the third sets the scale
        rows = np.append(rng.normal(size=(30, 1)) + 0.3 * rng.normal(size=(30, 2)), np.zeros((30, 1)), axis=1)
        whole, scale = compensated(weight, rows.T @ rows)
        near = np.rint(weight[:2, 0] / scale[0, 0]).astype(int)
        tried = product([near[0]], range(near[1] - 3, near[1] + 4), [whole[2, 0]])
        best = min(tried, key=lambda one: change(weight, np.array(one)[:, None], scale, rows))
        assert whole[0, 0] == near[0]
        assert abs(whole[1, 0] - best[1]) <= 1  # what the damping leaves


def test_a_channel_that_was_never_seen_does_no_harm() -> None:
    whole, scale = compensated(np.array([[0.5], [1.0]]), np.array([[0.0, 0.0], [0.0, 5.0]]))
    np.testing.assert_allclose(whole * scale, [[0.5], [1.0]], atol=float(scale.max()))


def test_what_rounding_adds_to_a_gram_matrix(rng: np.random.Generator) -> None:
    rows = rng.normal(size=(20_000, 6)) @ rng.normal(size=(6, 6))
    rounding = Rounding(np.exp(rng.normal(size=6)), 0.3, 128)
    half = add_rows(None, rows[:12_000], 10)
    seen = add_rows(half, rows[12_000:], 10)
    assert seen.count == 20_000
    np.testing.assert_allclose(seen.gram, rows.T @ rows, rtol=1e-6, atol=1e-6)
    after = rounding.apply(rows)
    np.testing.assert_allclose(rounding.gram(seen), after.T @ after, atol=0.01 * np.trace(after.T @ after) / 6)
    assert not np.allclose(rounding.gram(seen), seen.gram, rtol=0.1)


def two_products(wide: np.ndarray, narrow: np.ndarray) -> onnx.ModelProto:
    """x -> all rows by one matrix, then the first token of each by another."""
    nodes = [
        helper.make_node("MatMul", ["x", "wide"], ["all"]),
        helper.make_node("Gather", ["all", "zero"], ["first"], axis=1),
        helper.make_node("MatMul", ["first", "narrow"], ["signals"]),
    ]
    constants = {"wide": wide, "narrow": narrow, "zero": np.array(0)}
    graph = helper.make_graph(
        nodes,
        "two",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["pairs", "tokens", len(wide)])],
        [helper.make_tensor_value_info("signals", TensorProto.FLOAT, ["pairs", narrow.shape[1]])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def run(model: onnx.ModelProto, x: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"x": x})[0])


@pytest.mark.parametrize(("tokens", "rounded"), [(20, {"x"}), (5, {"x", "first"})])
def test_a_tensor_of_few_rows_is_not_rounded(tokens: int, rounded: set[str], rng: np.random.Generator) -> None:
    wide, narrow = (rng.normal(size=shape).astype(np.float32) for shape in ((16, 16), (16, 3)))
    batches = [{"x": rng.normal(size=(40, tokens, 16)).astype(np.float32)} for _ in range(3)]
    model = two_products(wide, narrow)
    found = quantize(model, batches)
    narrowed = [node.input[0] for node in found.graph.node if node.op_type == "QuantizeLinear"]
    assert {name.removesuffix("_narrow") for name in narrowed} == rounded
    kinds = {tensor.name: tensor.data_type for tensor in found.graph.initializer}
    assert kinds["all_int8"] == kinds["signals_int8"] == TensorProto.INT8
    assert not {"wide", "narrow"} & set(kinds)
    whole, near = (run(graph, batches[0]["x"]) for graph in (model, found))
    assert 0 < np.abs(near - whole).mean() < 0.02 * whole.std()
