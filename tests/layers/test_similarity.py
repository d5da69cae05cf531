"""Similarities against sums over components, one pair at a time, and numbers worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402
from torch.nn import functional  # noqa: E402

from anselm.layers.similarity import (  # noqa: E402
    Bilinear,
    HolographicSimilarity,
    MLPSimilarity,
    SeverynSimilarity,
    TensorSimilarity,
    circular_correlation,
    cosine,
    gesd,
)

D, HIDDEN, SLICES, PAIRS, HOPS = 5, 4, 3, 6, 2
Vector = list[float]


@pytest.fixture(autouse=True)
def same_weights() -> None:
    torch.manual_seed(1)


def dot(x: Vector, y: Vector) -> float:
    return sum(one * other for one, other in zip(x, y, strict=True))


def times(matrix: list[Vector], x: Vector) -> Vector:
    return [dot(row, x) for row in matrix]


def affine(layer: nn.Linear, x: Vector) -> Vector:
    return [y + b for y, b in zip(times(layer.weight.tolist(), x), layer.bias.tolist(), strict=True)]


def bilinear(layer: nn.Module, q: Vector, a: Vector) -> float:
    m = layer.M.weight.tolist()
    return sum(q[i] * m[i][j] * a[j] for i in range(D) for j in range(D))


def odds(layer: nn.Module, joined: Vector, activation: Callable[[float], float]) -> float:
    """The log-odds of the softmax over two outputs, by the probabilities themselves."""
    p = [math.exp(y) for y in affine(layer.out, [activation(y) for y in affine(layer.hidden, joined)])]
    return math.log(p[1] / sum(p)) - math.log(p[0] / sum(p))


def tensor(layer: TensorSimilarity, q: Vector, a: Vector) -> float:
    added = affine(layer.V, q + a)
    slices = [dot(q, times(m, a)) / D + v for m, v in zip(layer.M.tolist(), added, strict=True)]
    return affine(layer.u, [math.tanh(y) for y in slices])[0]


def correlate(q: Vector, a: Vector) -> Vector:
    return [sum(q[i] * a[(i + k) % len(q)] for i in range(len(q))) for k in range(len(q))]


NAIVE: dict[str, tuple[Callable[[], nn.Module], Callable[[nn.Module, Vector, Vector], float]]] = {
    "bilinear": (lambda: Bilinear(D), bilinear),
    "mlp": (lambda: MLPSimilarity(D, D, HIDDEN), lambda layer, q, a: odds(layer, q + a, lambda y: max(y, 0.0))),
    "tensor": (lambda: TensorSimilarity(D, SLICES), tensor),
    "holographic": (
        lambda: HolographicSimilarity(D, HIDDEN),
        lambda layer, q, a: odds(layer, [*correlate(q, a), bilinear(layer, q, a)], math.tanh),
    ),
    "severyn": (
        lambda: SeverynSimilarity(D, HIDDEN),
        lambda layer, q, a: odds(layer, [*q, bilinear(layer, q, a), *a], math.tanh),
    ),
}


@pytest.mark.parametrize("name", NAIVE)
def test_scores_are_those_of_sums_over_components(name: str) -> None:
    make, naive = NAIVE[name]
    layer, v_q, v_a = make(), torch.randn(PAIRS, D), torch.randn(PAIRS, D)
    expected = [naive(layer, q, a) for q, a in zip(v_q.tolist(), v_a.tolist(), strict=True)]
    torch.testing.assert_close(layer(v_q, v_a), torch.tensor(expected), rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", [*NAIVE, "cosine", "gesd"])
def test_hops_are_scored_one_by_one_and_summed(name: str) -> None:
    score = {"cosine": cosine, "gesd": gesd}[name] if name not in NAIVE else NAIVE[name][0]()
    v_q, v_a = torch.randn(PAIRS, HOPS, D), torch.randn(PAIRS, HOPS, D)
    expected = sum(score(v_q[:, hop], v_a[:, hop]) for hop in range(HOPS))
    assert expected.shape == (PAIRS,)
    torch.testing.assert_close(score(v_q, v_a), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", NAIVE)
def test_gradients_reach_every_parameter_and_both_vectors(name: str) -> None:
    layer, v_q, v_a = NAIVE[name][0](), torch.randn(64, D, requires_grad=True), torch.randn(64, D, requires_grad=True)
    layer(v_q, v_a).square().sum().backward()
    for parameter in layer.parameters():
        assert float(parameter.grad.abs().min()) > 0.0
    for vectors in (v_q, v_a):  # the MLP may have no unit awake for one pair
        assert float(vectors.grad.abs().min(dim=1).values.median()) > 0.0


def test_cosine_by_hand() -> None:
    v_q = torch.tensor([[3.0, 4.0], [1.0, 0.0], [1.0, 2.0], [0.0, 0.0]])
    v_a = torch.tensor([[4.0, 3.0], [0.0, 7.0], [-2.0, -4.0], [1.0, 1.0]])
    assert cosine(v_q, v_a).tolist() == pytest.approx([24 / 25, 0.0, -1.0, 0.0], abs=1e-6)


def test_gesd_by_hand() -> None:
    """|(1,2) - (4,6)| = 5 and (1,2).(4,6) = 16; |(0,3) - (4,0)| = 5 and the product is 0; twice the same vector."""
    v_q, v_a = torch.tensor([[1.0, 2.0], [0.0, 3.0], [1.0, 0.0]]), torch.tensor([[4.0, 6.0], [4.0, 0.0], [1.0, 0.0]])
    expected = [1 / 6 / (1 + math.exp(-17)), 1 / 6 / (1 + math.exp(-1)), 1 / (1 + math.exp(-2))]
    assert gesd(v_q, v_a).tolist() == pytest.approx(expected, abs=1e-6)


def test_gesd_of_equal_vectors_has_a_gradient() -> None:
    v = torch.ones(1, D, requires_grad=True)
    gesd(v, torch.ones(1, D)).sum().backward()
    assert bool(v.grad.isfinite().all())


def test_logistic_loss_on_the_score_is_the_cross_entropy_of_the_paper() -> None:
    """J = -Σ y log s + (1 - y) log(1 - s) with p = softmax(MLP([v_q, v_a])), s = p_1, 1 - s = p_0."""
    layer, v_q, v_a, y = MLPSimilarity(D, 2, HIDDEN), torch.randn(4, D), torch.randn(4, 2), torch.tensor([1.0, 0, 0, 1])
    p = layer.out(torch.relu(layer.hidden(torch.cat([v_q, v_a], dim=1)))).softmax(dim=1)
    paper = -(y * p[:, 1].log() + (1 - y) * p[:, 0].log()).sum()
    ours = functional.binary_cross_entropy_with_logits(layer(v_q, v_a), y, reduction="sum")
    torch.testing.assert_close(ours, paper, rtol=0, atol=1e-5)


@pytest.mark.parametrize("width", [4, 5])
def test_correlation_of_even_and_odd_widths(width: int) -> None:
    v_q, v_a = torch.randn(3, width), torch.randn(3, width)
    expected = torch.tensor([correlate(q, a) for q, a in zip(v_q.tolist(), v_a.tolist(), strict=True)])
    torch.testing.assert_close(circular_correlation(v_q, v_a), expected, rtol=0, atol=1e-5)
    halves = circular_correlation(v_q.bfloat16(), v_a.bfloat16())  # which the FFT itself would refuse
    torch.testing.assert_close(halves, expected, rtol=0, atol=0.1)


@pytest.mark.parametrize("name", NAIVE)
def test_half_precision_vectors_under_autocast(name: str) -> None:
    layer, v_q, v_a = NAIVE[name][0](), torch.randn(PAIRS, D).bfloat16(), torch.randn(PAIRS, D).bfloat16()
    with torch.autocast("cpu", torch.bfloat16):
        found: Tensor = layer(v_q, v_a)
    torch.testing.assert_close(found.float(), layer(v_q.float(), v_a.float()), rtol=0, atol=0.05)
