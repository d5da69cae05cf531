"""A student's step, what it begins with, and the attention it falls back on."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from tools.default_model.teaching import looks  # noqa: E402
from tools.default_model.teaching.late import Late  # noqa: E402
from tools.default_model.teaching.pupils import begun, make_pupil, step  # noqa: E402
from tools.default_model.teaching.shares import mixed  # noqa: E402
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


def test_a_pull_leads_back() -> None:
    """Without gradients only the pull moves weights: by its strength and the rate, each step."""
    pupil = make_pupil("late", make_late(1, 2), 0.1, 0.1)
    pupil.optimizer.param_groups[0]["weight_decay"] = 0.0
    weights = pupil.weights()
    pupil.origin, pupil.pull = [one.detach() + 1.0 for one in weights], 2.0
    before = [one.detach().clone() for one in weights]
    for one in weights:
        one.grad = torch.zeros_like(one)
    assert step(pupil, 0.5)
    moved = [float((one.detach() - kept).mean()) for one, kept in zip(weights, before, strict=True)]
    assert moved == pytest.approx([2.0 * 0.1 * 0.5] * len(moved), abs=1e-6)


def test_shares_of_weights_and_folders_that_are_small_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = {"head.weight": torch.zeros(1, 4), "words": torch.ones(3)}
    found = mixed(reader, {"head.weight": torch.ones(4)}, 0.25)
    assert found["head.weight"].tolist() == [[0.25] * 4]
    assert torch.equal(found["words"], reader["words"])
    monkeypatch.setattr(looks, "PART", 40)
    parts = looks.parts_of({name: torch.zeros(6) for name in "abc"} | {"d": torch.zeros(20), "e": torch.zeros(1)})
    assert [sorted(part) for part in parts] == [["a"], ["b"], ["c"], ["d"], ["e"]]
    assert [sorted(part) for part in looks.parts_of({name: torch.zeros(5) for name in "abc"})] == [["a", "b"], ["c"]]
