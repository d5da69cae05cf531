"""Losses against naive loops written from their formulas, and against torch's own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

from anselm.errors import UnknownNameError  # noqa: E402
from anselm.layers.layout import Layout  # noqa: E402
from anselm.train.losses import LOSSES, make_loss  # noqa: E402

Lists = list[list[tuple[float, float]]]  # per candidate its score and its label
candidates = st.tuples(st.floats(-8, 8, width=32), st.sampled_from([-1.0, 0.0, 0.0, 1.0, 2.0, 0.5]))
some_lists = st.lists(st.lists(candidates, min_size=1, max_size=5), min_size=1, max_size=4)
OPTIONS = {
    "pointwise": [{}, {"smoothing": 0.2}],
    "pairwise": [{}, {"margin": 1.0}],
    "listwise": [{}, {"smoothing": 0.2}],
}
CASES = [pytest.param(name, options, id=f"{name} {options}") for name, rows in OPTIONS.items() for options in rows]


def tensors(lists: Lists) -> tuple[torch.Tensor, torch.Tensor, Layout]:
    scores = torch.tensor([score for row in lists for score, _ in row], requires_grad=True)
    labels = torch.tensor([label for row in lists for _, label in row])
    return scores, labels, Layout.of(np.array([len(row) for row in lists], dtype=np.int64))


def naive(name: str, lists: Lists, smoothing: float = 0.0, margin: float = 0.1) -> tuple[float, int]:
    rows = {
        "pointwise": lambda row: naive_pointwise(row, smoothing),
        "pairwise": lambda row: naive_pairwise(row, margin),
        "listwise": lambda row: naive_listwise(row, smoothing),
    }
    parts = [rows[name](row) for row in lists]
    return sum(total for total, _ in parts), sum(count for _, count in parts)


def naive_pointwise(row: list[tuple[float, float]], smoothing: float) -> tuple[float, int]:
    total = 0.0
    for score, label in row:
        target = 1 - smoothing / 2 if label > 0 else smoothing / 2
        total -= target * -math.log1p(math.exp(-score)) + (1 - target) * -math.log1p(math.exp(score))
    return total, len(row)


def naive_pairwise(row: list[tuple[float, float]], margin: float) -> tuple[float, int]:
    hinges = [
        max(0.0, margin - good + bad)
        for good, label in row if label > 0
        for bad, other in row if other <= 0
    ]  # fmt: skip
    return (sum(hinges) / len(hinges), 1) if hinges else (0.0, 0)


def naive_listwise(row: list[tuple[float, float]], smoothing: float) -> tuple[float, int]:
    gains = [max(0.0, label) for _, label in row]
    if not sum(gains):
        return 0.0, 0
    normaliser = math.log(sum(math.exp(score) for score, _ in row))
    targets = [(1 - smoothing) * gain / sum(gains) + smoothing / len(row) for gain in gains]
    return -sum(target * (score - normaliser) for target, (score, _) in zip(targets, row, strict=True)), 1


@pytest.mark.parametrize(("name", "options"), CASES)
@given(lists=some_lists)
@settings(max_examples=40, deadline=None)
def test_a_loss_is_that_of_the_naive_loop(name: str, options: dict[str, float], lists: Lists) -> None:
    total, count = make_loss(name, **options)(*tensors(lists))
    expected, counted = naive(name, lists, **options)
    assert total.item() == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert int(count) == counted


@pytest.mark.parametrize(("name", "options"), CASES)
@given(lists=some_lists)
@settings(max_examples=25, deadline=None)
def test_a_batch_is_the_sum_of_its_parts(name: str, options: dict[str, float], lists: Lists) -> None:
    """In sum, count and gradient: what several processes, or accumulation, rely on."""
    loss = make_loss(name, **options)
    scores, labels, layout = tensors(lists)
    total, count = loss(scores, labels, layout)
    total.backward()
    parts = [tensors([row]) for row in lists]
    found = [loss(*part) for part in parts]
    sum(value for value, _ in found).backward()
    assert total.item() == pytest.approx(sum(value.item() for value, _ in found), rel=1e-4, abs=1e-5)
    assert int(count) == sum(int(number) for _, number in found)
    assert torch.isfinite(scores.grad).all()
    torch.testing.assert_close(scores.grad, torch.cat([part[0].grad for part in parts]), rtol=1e-4, atol=1e-6)


def test_pointwise_is_torchs() -> None:
    scores, labels, layout = tensors([[(0.3, 1), (-2.0, 0)], [(1.5, 3), (0.0, -1), (9.0, 0)]])
    total, count = make_loss("pointwise")(scores, labels, layout)
    expected = functional.binary_cross_entropy_with_logits(scores, torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0]))
    assert (total / count).item() == pytest.approx(expected.item(), rel=1e-6)


def test_pairwise_is_torchs() -> None:
    scores, labels, layout = tensors([[(0.3, 1), (-2.0, 0), (0.25, 0)]])
    total, _ = make_loss("pairwise", margin=0.5)(scores, labels, layout)
    expected = functional.margin_ranking_loss(scores[[0, 0]], scores[[1, 2]], torch.ones(2), margin=0.5)
    assert total.item() == pytest.approx(expected.item(), rel=1e-6)


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_listwise_is_torchs(smoothing: float) -> None:
    """With one relevant candidate it is the cross-entropy of a classifier, whose label smoothing is the same."""
    scores, labels, layout = tensors([[(0.3, 0), (-2.0, 1), (0.25, 0)], [(1.0, 0), (2.0, 0), (3.0, 5)]])
    total, count = make_loss("listwise", smoothing)(scores, labels, layout)
    expected = functional.cross_entropy(scores.view(2, 3), torch.tensor([1, 2]), label_smoothing=smoothing)
    assert (total / count).item() == pytest.approx(expected.item(), rel=1e-6)


def test_grades_are_shares_of_the_listwise_target() -> None:
    """With scores that are the logarithms of the grades, the gradient is zero."""
    scores, labels, layout = tensors([[(math.log(1), 1), (math.log(3), 3), (-30.0, 0)]])
    make_loss("listwise")(scores, labels, layout)[0].backward()
    assert scores.grad.abs().max() < 1e-6


@pytest.mark.parametrize("name", ["pairwise", "listwise"])
@pytest.mark.parametrize("lists", [[[(1.0, 0), (2.0, 0)]], [[(1.0, 0)]], [[(1.0, -1)]]])
def test_a_list_without_a_relevant_candidate_does_not_count(name: str, lists: Lists) -> None:
    scores, labels, layout = tensors(lists)
    total, count = make_loss(name)(scores, labels, layout)
    total.backward()
    assert (total.item(), int(count)) == (0.0, 0)
    assert not scores.grad.any()


def test_a_list_of_one_teaches_pointwise_alone() -> None:
    for name, expected in {
        "pairwise": (0.0, 0),
        "listwise": (0.0, 1),
        "pointwise": (math.log1p(math.exp(-2)), 1),
    }.items():
        scores, labels, layout = tensors([[(2.0, 1)]])
        total, count = make_loss(name)(scores, labels, layout)
        assert (total.item(), int(count)) == pytest.approx(expected)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_lists_without_candidates_add_nothing(name: str, options: dict[str, float]) -> None:
    loss = make_loss(name, **options)
    full = loss(*tensors([[(0.5, 1), (0.2, 0)]]))
    holed = loss(*tensors([[], [(0.5, 1), (0.2, 0)], []]))
    assert holed[0].item() == pytest.approx(full[0].item())
    assert int(holed[1]) == int(full[1])
    assert [value.item() for value in loss(*tensors([]))] == [0.0, 0.0]


@pytest.mark.parametrize("name", LOSSES)
def test_extreme_scores_have_finite_gradients(name: str) -> None:
    scores, labels, layout = tensors([[(1e4, 0), (-1e4, 1)], [(3e4, 1), (-3e4, 0), (0.0, 0)]])
    total, _ = make_loss(name)(scores, labels, layout)
    total.backward()
    assert torch.isfinite(total)
    assert torch.isfinite(scores.grad).all()


@pytest.mark.parametrize("name", LOSSES)
def test_a_step_against_the_gradient_separates(name: str) -> None:
    scores, labels, layout = tensors([[(0.0, 1), (0.0, 0)]])
    make_loss(name)(scores, labels, layout)[0].backward()
    assert scores.grad[0] < 0 < scores.grad[1]


def test_an_unknown_loss_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown loss 'listwize'; there is .*Did you mean 'listwise'"):
        make_loss("listwize")
