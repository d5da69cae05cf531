"""What a dry run says of a training, and that it leaves no trace."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from anselm.data.datasets import Dataset, load_dataset
from anselm.train import dry_run
from anselm.train.dry_run import SLACK, largest_batch, peak_bytes, plan, saved_bytes
from anselm.train.fit import make_model, split_off_dev
from anselm.train.hyperparameters import make_training
from anselm.train.loop import Loop


@pytest.fixture
def parts(lists: Path) -> tuple[Dataset, Dataset]:
    return split_off_dev(load_dataset(lists))


def test_a_plan_counts(tiny_encoder: Path, parts: tuple[Dataset, Dataset]) -> None:
    found = plan(make_model(str(tiny_encoder), {}, seed=1), *parts, make_training({"epochs": 2, "batch_lists": 9}))
    assert (found.lists, found.pairs, found.dev_lists, found.cut) == (36, 144, 4, 0)
    assert found.steps == 8
    assert found.seconds > 0
    assert found.megabytes > 50  # torch is in memory
    assert found.overlaps  # the same six questions come again and again


def test_a_plan_changes_nothing(tiny_encoder: Path, parts: tuple[Dataset, Dataset]) -> None:
    model: Any = make_model(str(tiny_encoder), {}, seed=1)
    model.eval()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    torch.manual_seed(5)
    drawn = torch.rand(3)
    torch.manual_seed(5)
    plan(model, *parts, make_training({"rate": 1.0, "warmup": 0.0}))
    assert torch.rand(3).equal(drawn)
    assert not model.training
    assert all(tensor.equal(before[name]) for name, tensor in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())
    assert not Path("state.safetensors").exists()


def test_what_the_backward_pass_needs_is_counted_once() -> None:
    """Of e = exp(W x) + cos(x'), x' a part of x: x for the gradient of W, and exp(W x)."""
    layer, x = torch.nn.Linear(8, 5, bias=False), torch.rand(7, 8, requires_grad=True)
    loop: Any = SimpleNamespace(plain=layer, _loss_of=lambda batch: layer(x).exp().sum() + x[:3].cos().sum())
    lists: Any = SimpleNamespace(pick=lambda batch: None)
    assert saved_bytes(loop, lists, np.arange(1)) == 4 * (7 * 8 + 7 * 5)


@pytest.mark.parametrize(("average", "copies"), [(0.0, 4), (0.9, 5)])
def test_memory(
    average: float, copies: int, tiny_encoder: Path, parts: tuple[Dataset, Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there, without the copy; gradients, two moments, the best weights and perhaps a mean; a batch."""
    model: Any = make_model(str(tiny_encoder), {}, seed=1)
    loop = Loop(model, parts[0], make_training({"average": average}), Path())
    numbers = sum(weights.numel() for weights in model.state_dict().values() if weights.dtype == torch.float32)
    monkeypatch.setattr(dry_run, "resident_megabytes", lambda: 500.0)
    batch = saved_bytes(loop, *largest_batch(loop))
    assert batch > 0
    assert peak_bytes(loop) == 500e6 + 4 * numbers * (copies - 1) + SLACK * batch
