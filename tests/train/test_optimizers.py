"""Optimizers and schedules, by hand and against torch's plain paths."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from anselm.errors import UnknownNameError  # noqa: E402
from anselm.train.optimizers import OPTIMIZERS, SCHEDULES, make_optimizer, make_schedule  # noqa: E402
from anselm.train.state import optimizer_state, restore_optimizer  # noqa: E402


class Model(nn.Module):
    """An encoder and what lies outside of it, with a frozen part."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.encoder = nn.Sequential(nn.Embedding(5, 4), nn.Linear(4, 4), nn.LayerNorm(4))
        self.encoder_like = nn.Linear(4, 4, bias=False)
        self.head = nn.Linear(4, 1)
        self.frozen = nn.Linear(4, 4).requires_grad_(False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder_like(self.encoder(ids))).squeeze(-1)


def groups(model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, tuple[float, float]]:
    """By the name of a parameter: its rate and its decay."""
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    return {
        names[id(p)]: (group["lr"], group["weight_decay"]) for group in optimizer.param_groups for p in group["params"]
    }


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_biases_and_norms_are_spared_and_the_head_has_its_own_rate(name: str) -> None:
    model = Model()
    assert groups(model, make_optimizer(model, name, 0.1, 0.01, 0.9, head_rate=0.5)) == {
        "encoder.0.weight": (0.1, 0.01),
        "encoder.1.weight": (0.1, 0.01),
        "encoder.1.bias": (0.1, 0.0),
        "encoder.2.weight": (0.1, 0.0),
        "encoder.2.bias": (0.1, 0.0),
        "encoder_like.weight": (0.5, 0.01),
        "head.weight": (0.5, 0.01),
        "head.bias": (0.5, 0.0),
    }


def test_without_a_rate_for_the_head_there_are_two_groups() -> None:
    model = Model()
    optimizer = make_optimizer(model, "adamw", 0.1, 0.01, 0.9)
    assert [(group["lr"], group["weight_decay"]) for group in optimizer.param_groups] == [(0.1, 0.01), (0.1, 0.0)]
    assert all(parameter.requires_grad for group in optimizer.param_groups for parameter in group["params"])


def train(model: Model, optimizer: torch.optim.Optimizer, steps: int = 20) -> list[torch.Tensor]:
    ids, wanted = torch.arange(5), torch.tensor([1.0, -1.0, 0.5, 0.0, 2.0])
    for _ in range(steps):
        optimizer.zero_grad()
        ((model(ids) - wanted) ** 2).mean().backward()
        optimizer.step()
    return [parameter.detach().clone() for parameter in model.parameters()]


def plain(model: Model, name: str) -> torch.optim.Optimizer:
    """Each as one would write it down from the papers, with torch's tensor-by-tensor code."""
    trained = [p for p in model.parameters() if p.requires_grad]
    rows = [
        {"params": [p for p in trained if p.ndim > 1], "weight_decay": 0.05},
        {"params": [p for p in trained if p.ndim == 1], "weight_decay": 0.0},
    ]
    if name == "adamw":
        return torch.optim.AdamW(rows, lr=0.01, betas=(0.9, 0.999), eps=1e-8, foreach=False, fused=False)
    if name == "adadelta":
        return torch.optim.Adadelta(rows, lr=0.01, rho=0.95, eps=1e-8, foreach=False)
    if name == "rmsprop":
        return torch.optim.RMSprop(rows, lr=0.01, alpha=0.99, eps=1e-8, momentum=0.8, foreach=False)
    return torch.optim.SGD(rows, lr=0.01, momentum=0.8, foreach=False)


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name != "rmsprop-tf"])
def test_steps_are_those_of_the_plain_optimizer(name: str) -> None:
    ours, theirs = Model(), Model()
    found = train(ours, make_optimizer(ours, name, 0.01, 0.05, 0.8))
    expected = train(theirs, plain(theirs, name))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-6)
    assert not torch.equal(found[0], Model().encoder[0].weight)


def test_rmsprop_of_tensorflow_by_a_loop() -> None:
    """Its rule, number by number: averages begin at one, and eps is under the root."""
    model = nn.Linear(3, 2)
    rate, momentum, decay, rho, eps = 0.01, 0.8, 0.05, 0.9, 1e-10
    optimizer = make_optimizer(model, "rmsprop-tf", rate, decay, momentum)
    expected = {name: p.detach().double().numpy().copy() for name, p in model.named_parameters()}
    squares = {name: np.ones_like(w) for name, w in expected.items()}
    moments = {name: np.zeros_like(w) for name, w in expected.items()}
    rng = np.random.default_rng(1)
    for step in range(30):
        for name, parameter in model.named_parameters():
            gradient = rng.standard_normal(tuple(parameter.shape)) * 10.0 ** (step % 5 - 3)
            parameter.grad = torch.from_numpy(gradient).float()
            for place in np.ndindex(gradient.shape):
                g = gradient[place] + (decay * expected[name][place] if name == "weight" else 0.0)
                squares[name][place] = rho * squares[name][place] + (1 - rho) * g * g
                moment = rate * g / math.sqrt(squares[name][place] + eps)
                moments[name][place] = momentum * moments[name][place] + moment
                expected[name][place] -= moments[name][place]
        optimizer.step()
        for name, parameter in model.named_parameters():
            np.testing.assert_allclose(parameter.detach().numpy(), expected[name], rtol=0, atol=2e-6)


def test_rmsprop_of_tensorflow_goes_on_from_its_state() -> None:
    once, twice = Model(), Model()
    whole = train(once, make_optimizer(once, "rmsprop-tf", 0.01, 0.0, 0.9), 20)
    first = make_optimizer(twice, "rmsprop-tf", 0.01, 0.0, 0.9)
    train(twice, first, 8)
    second = make_optimizer(twice, "rmsprop-tf", 0.01, 0.0, 0.9)
    tensors, numbers = optimizer_state(first)
    restore_optimizer(second, {name: tensor.clone() for name, tensor in tensors.items()}, numbers)
    for one, other in zip(whole, train(twice, second, 12), strict=True):
        assert torch.equal(one, other)


def test_adamw_takes_its_step_in_one_kernel() -> None:
    """On a CPU as well: for a small encoder, tensor by tensor took most of a training step."""
    assert all(group["fused"] for group in make_optimizer(Model(), "adamw", 0.1, 0.01, 0.9).param_groups)


def test_one_step_of_sgd_with_decay_by_hand() -> None:
    model = nn.Linear(1, 1)
    with torch.no_grad():
        model.weight.fill_(2.0)
        model.bias.fill_(1.0)
    optimizer = make_optimizer(model, "sgd", 0.1, 0.5, 0.0)
    model(torch.ones(1, 1)).sum().backward()  # both gradients are 1
    optimizer.step()
    assert model.weight.item() == pytest.approx(2.0 - 0.1 * (1 + 0.5 * 2.0))
    assert model.bias.item() == pytest.approx(1.0 - 0.1)


def rates(name: str, warmup: int, steps: int, taken: int) -> list[float]:
    model = nn.Linear(1, 1, bias=False)
    optimizer = make_optimizer(model, "sgd", 2.0, 0.0, 0.0)
    schedule = make_schedule(optimizer, name, warmup, steps)
    found = []
    for _ in range(taken):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return found


@pytest.mark.parametrize(
    ("name", "warmup", "expected"),
    [
        ("constant", 0, [2.0] * 6),
        ("constant", 2, [1.0, 2.0, 2.0, 2.0, 2.0, 2.0]),
        ("linear", 0, [2.0, 2 * 5 / 6, 2 * 4 / 6, 2 * 3 / 6, 2 * 2 / 6, 2 * 1 / 6]),
        ("linear", 2, [1.0, 2.0, 2.0, 1.5, 1.0, 0.5]),
        ("cosine", 2, [1.0, 2.0, 2.0, 1 + math.sqrt(0.5), 1.0, 1 - math.sqrt(0.5)]),
        ("linear", 6, [2 / 6, 4 / 6, 1.0, 8 / 6, 10 / 6, 2.0]),
    ],
)
def test_rates_by_hand(name: str, warmup: int, expected: list[float]) -> None:
    assert rates(name, warmup, 6, 6) == pytest.approx(expected)


@pytest.mark.parametrize("name", SCHEDULES)
def test_past_the_end_the_rate_stays(name: str) -> None:
    assert rates(name, 1, 4, 9)[4:] == pytest.approx([2.0 if name == "constant" else 0.0] * 5)


def test_every_group_follows_the_schedule() -> None:
    optimizer = make_optimizer(Model(), "adamw", 0.1, 0.01, 0.9, head_rate=0.5)
    make_schedule(optimizer, "linear", 4, 10)
    assert sorted({group["lr"] for group in optimizer.param_groups}) == pytest.approx([0.025, 0.125])


def test_unknown_names_are_named() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown optimizer 'adam'; there is .*Did you mean 'adamw'"):
        make_optimizer(Model(), "adam", 0.1, 0.0, 0.0)
    optimizer = make_optimizer(Model(), "sgd", 0.1, 0.0, 0.0)
    with pytest.raises(UnknownNameError, match=r"unknown schedule 'linaer'; there is .*Did you mean 'linear'"):
        make_schedule(optimizer, "linaer", 0, 10)
