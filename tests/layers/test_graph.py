"""Graphs and convolutions over them, against loops written from the equations of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from anselm.layers.graph import (  # noqa: E402
    DynamicGraph,
    GraphConvolution,
    distance_graph,
    entity_graph,
    normalise,
    similarity_graph,
)

SIZES = (4, 1, 3)  # of three lists, padded to 4
MASK = torch.tensor([[True] * size + [False] * (4 - size) for size in SIZES])
RNG = np.random.default_rng(7)


def naive(edge: Callable[[int, int, int], float]) -> Any:
    """A graph, edge by edge; nothing at padding."""
    found = np.zeros((len(SIZES), 4, 4))
    for k, size in enumerate(SIZES):
        for i in range(size):
            for j in range(size):
                found[k, i, j] = edge(k, i, j)
    return found


def naive_normalised(graph: Any) -> Any:
    """D^-½ A D^-½, entry by entry."""
    found = np.zeros_like(graph)
    for k, i, j in np.ndindex(*graph.shape):
        degrees = graph[k, i].sum(), graph[k, j].sum()
        if min(degrees) > 0:
            found[k, i, j] = graph[k, i, j] / math.sqrt(degrees[0]) / math.sqrt(degrees[1])
    return found


def test_entity_graph() -> None:
    names = [[{"a", "b"}, {"b"}, {"c"}, set()], [{"a"}], [{"a"}, {"d"}, {"a", "d"}]]
    known = "abcd"
    shared = torch.zeros(3, 4, 4, dtype=torch.bool)
    for k, row in enumerate(names):
        for i, found in enumerate(row):
            others = set().union(*(other for j, other in enumerate(row) if j != i))
            for name in found & others:  # as `shared_entities` has it: what nobody shares is not there
                shared[k, i, known.index(name)] = True
    named = torch.tensor([[i < len(row) and bool(row[i]) for i in range(4)] for row in names])
    expected = naive(lambda k, i, j: float(bool(names[k][i] & names[k][j])))
    np.testing.assert_array_equal(entity_graph(shared, named, MASK), expected)
    assert expected[0, 3].sum() == 0  # without entities, no edge, not even to itself
    assert expected[0, 2, 2] == 1  # with one that nobody shares, to itself


def test_distance_graph() -> None:
    positions, sigma = torch.tensor([[0, 1, 5, 6], [3, 0, 0, 0], [2, -1, 4, 0]]), 1.5
    documents = torch.tensor([[0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]])

    def edge(k: int, i: int, j: int) -> float:
        apart = documents[k, i] != documents[k, j] or min(positions[k, i], positions[k, j]) < 0
        if apart and i != j:
            return 0.0
        return math.exp(-((int(positions[k, j]) - int(positions[k, i])) ** 2) / (2 * sigma**2))

    found = distance_graph(positions, documents, MASK, sigma)
    np.testing.assert_allclose(found, naive(edge), atol=1e-6)
    assert found[0, 1, 2] == 0
    assert found[2, 0, 1] == 0
    # The paper's factor changes nothing of what is used.
    np.testing.assert_allclose(normalise(found / (sigma * math.sqrt(2 * math.pi))), normalise(found), atol=1e-6)


def test_similarity_graph_has_no_negative_edges() -> None:
    vectors = torch.from_numpy(RNG.normal(size=(3, 4, 5))).float()
    vectors[0, 1] = -vectors[0, 0]
    vectors[2, 2] = 0

    def edge(k: int, i: int, j: int) -> float:
        a, b = vectors[k, i].double().numpy(), vectors[k, j].double().numpy()
        length = np.linalg.norm(a) * np.linalg.norm(b)
        return max(0.0, float(a @ b / length)) if length else 0.0

    found = similarity_graph(vectors, MASK)
    np.testing.assert_allclose(found, naive(edge), atol=1e-6)
    assert found[0, 0, 1] == 0
    assert torch.isfinite(normalise(found)).all()


@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu"])
@pytest.mark.parametrize("scaled", [False, True])
def test_dynamic_graph(activation: str, scaled: bool) -> None:
    torch.manual_seed(3)
    layer, h = DynamicGraph(6, activation, scaled), torch.randn(3, 4, 6)
    phi = {"relu": lambda x: np.maximum(x, 0), "tanh": np.tanh}.get(activation) or (
        lambda x: np.array([v / 2 * (1 + math.erf(v / math.sqrt(2))) for v in x])
    )
    weight = layer.weight.weight.detach().numpy()

    def edge(k: int, i: int, j: int) -> float:
        projected = [phi(weight @ h[k, n].numpy()) for n in range(SIZES[k])]
        alpha = [float(projected[i] @ other) / (math.sqrt(6) if scaled else 1) for other in projected]
        return math.exp(alpha[j]) / sum(map(math.exp, alpha))

    found = layer(h, MASK).detach()
    np.testing.assert_allclose(found, naive(edge), atol=1e-5)
    # Its rows sum to one: the normalisation of (6), by degrees of the row, would change nothing.
    np.testing.assert_allclose(found.sum(dim=-1), MASK.float(), atol=1e-6)


def test_a_list_that_is_all_padding_has_an_empty_graph_and_no_gradient() -> None:
    """A softmax over nothing is no number, and what is no number stays so when it is hidden."""
    torch.manual_seed(3)
    layer, h, mask = DynamicGraph(6, "relu", False), torch.randn(4, 4, 6, requires_grad=True), torch.zeros(4, 4).bool()
    mask[:3] = MASK
    found = layer(h, mask)
    assert torch.equal(found[3], torch.zeros(4, 4))
    torch.testing.assert_close(found[:3], layer(h[:3], MASK))
    gradient, weight = torch.autograd.grad(found.square().sum(), [h, layer.weight.weight])
    expected, others = torch.autograd.grad(layer(h[:3], MASK).square().sum(), [h, layer.weight.weight])
    torch.testing.assert_close((gradient, weight), (expected, others))
    assert torch.equal(gradient[3], torch.zeros(4, 6))


def test_normalise_and_convolution() -> None:
    torch.manual_seed(5)
    graph = torch.from_numpy(naive(lambda k, i, j: 0.0 if k == 2 and i == 1 else RNG.random())).float()
    graph[2, :, 1] = 0  # nobody's neighbour
    expected = naive_normalised(graph.numpy())
    np.testing.assert_allclose(normalise(graph), expected, atol=1e-6)
    layer, h = GraphConvolution(5, 2, "relu", 0.2).eval(), torch.randn(3, 4, 5)
    states = h.numpy()
    for weight in layer.weights:
        matrix = weight.weight.detach().numpy()
        states = np.stack(
            [
                [np.maximum(0, sum(expected[k, i, j] * matrix @ states[k, j] for j in range(4))) for i in range(4)]
                for k in range(3)
            ]
        )
    np.testing.assert_allclose(layer(h, normalise(graph)).detach(), states, atol=1e-5)


def test_dropout_of_a_convolution_is_in_training_alone() -> None:
    layer, h, graph = GraphConvolution(8, 2, "relu", 0.5), torch.ones(1, 2, 8), torch.eye(2)[None]
    assert not torch.equal(layer(h, graph), layer(h, graph))
    layer.eval()
    assert torch.equal(layer(h, graph), layer(h, graph))


@torch.no_grad()
@pytest.mark.parametrize(("activation", "shrinks", "grows"), [("relu", 0.9, 1.1), ("tanh", 0.9, 3), ("gelu", 0.4, 1)])
def test_a_convolution_begins_on_the_scale_of_what_it_is_given(activation: str, shrinks: float, grows: float) -> None:
    """By itself, without neighbours to average over; PyTorch's own weights leave a sixth of it with a relu."""
    torch.manual_seed(1)
    h = 0.2 * torch.randn(1, 200, 384)  # as large as the pooled vectors of all-MiniLM-L6-v2
    out = GraphConvolution(384, 2, activation, 0.2).eval()(h, torch.eye(200)[None])
    assert shrinks < float(out.pow(2).mean().sqrt() / h.pow(2).mean().sqrt()) < grows


@torch.no_grad()
@pytest.mark.parametrize(("width", "size", "alike"), [(384, 0.198, 0.73), (768, 0.096, 0.80)])
def test_the_dynamic_graph_begins_neither_uniform_nor_saturated(width: int, size: float, alike: float) -> None:
    """On vectors as large, and as like each other, as those of the two encoders for candidates of a list of WikiQA."""
    torch.manual_seed(1)
    shared = torch.randn(20, 1, width)
    h = size * (alike**0.5 * shared + (1 - alike) ** 0.5 * torch.randn(20, 10, width))
    found = DynamicGraph(width, "relu", scaled=False)(h, torch.ones(20, 10, dtype=torch.bool)).numpy()
    entropy = float(-(found * np.log(found + 1e-30)).sum(axis=-1).mean() / math.log(10))
    assert 0.3 < entropy < 0.97
    assert np.diagonal(found, axis1=1, axis2=2).mean() < 0.9
