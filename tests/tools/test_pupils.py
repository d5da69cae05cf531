"""A student's step, what it begins with, and the attention it falls back on."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from tools.default_model.teaching.late import Late  # noqa: E402
from tools.default_model.teaching.pupils import begun, make_pupil, step  # noqa: E402
from tools.default_model.teaching.small import HEADS, attend, attend_plainly  # noqa: E402


def make_late(layers: int, probes: int) -> Late:
    return Late(torch.randn(20, 64), torch.zeros(20), layers, "static", probes)


def test_both_ways_to_attend_are_the_same() -> None:
    query, key, value = (torch.randn(3, HEADS, size, 4) for size in (2, 5, 5))
    hidden = torch.zeros(3, 5).masked_fill(torch.arange(5) >= torch.tensor([[5], [3], [1]]), -1e4)
    assert torch.allclose(attend(query, key, value, hidden), attend_plainly(query, key, value, hidden), atol=1e-5)


def test_a_step_without_numbers_changes_nothing() -> None:
    pupil = make_pupil("late", make_late(1, 2), 0.1, 0.1)
    before = [one.detach().clone() for one in pupil.weights()]
    pupil.model.head.weight.grad = torch.full_like(pupil.model.head.weight, float("nan"))
    assert not step(pupil, 1.0)
    assert not pupil.half
    assert all(torch.equal(one, kept) for one, kept in zip(pupil.weights(), before, strict=True))
    pupil.model.head.weight.grad = torch.ones_like(pupil.model.head.weight)
    assert step(pupil, 1.0)
    assert not torch.equal(pupil.model.head.weight, before[-2])


def test_a_deeper_student_begins_with_what_fits() -> None:
    start, deep = make_late(2, 4), make_late(4, 16)
    fresh = deep.layers[3].qkv.weight.detach().clone()
    found = begun(deep, start.state_dict())
    assert torch.equal(found.table, start.table)
    assert torch.equal(found.layers[1].qkv.weight, start.layers[1].qkv.weight)
    assert torch.equal(found.layers[3].qkv.weight, fresh)
    assert found.probes.weight.shape == (16 * 64, 64)
