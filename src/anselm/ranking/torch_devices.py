"""Models on what torch computes on: a GPU, where there is one.

The graphs of a general ranker become torch modules (models/frames/device_networks.py); a model that is torch's anyway
is moved. Scores differ from the runtime's as far as int8 does: see docs/scale.md. ANSELM_DEVICE names a device for all
models that have weights for it.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from typing import Any, cast

from anselm.checkpoints.catalogue import load_checkpoint
from anselm.checkpoints.checkpoint import Checkpoint
from anselm.errors import InputError, MissingExtraError
from anselm.runtime.engines import Engine
from anselm.scorer import Scorer

VARIABLE = "ANSELM_DEVICE"
AUTO, CPU = "auto", "cpu"
DEVICE = re.compile(r"cpu|cuda(:\d+)?|mps|auto")
BUDGET = 65_536  # tokens of a batch


def choose_device(name: str, checkpoint: Checkpoint | None, device: str | None) -> str | None:
    """What was asked for, or else what the environment names, for those that can be there."""
    if device is None:
        return os.environ.get(VARIABLE) or None if can_compute(checkpoint) else None
    if not can_compute(checkpoint):
        raise InputError(f"the model {name!r} has no weights for torch, and a device is for those; leave --device out")
    return device


def can_compute(checkpoint: Checkpoint | None) -> bool:
    return checkpoint is not None and (checkpoint.has_networks or checkpoint.has_weights)


def load_on_device(checkpoint: Checkpoint, device: str) -> Scorer:
    device = find_device(device)
    if not checkpoint.has_networks:
        model: Any = load_checkpoint(checkpoint)
        return cast(Scorer, model.to(device))
    load = import_module(f"anselm.runtime.{checkpoint.runtime}").load
    return cast(Scorer, load(checkpoint, None, lambda one: open_graphs(one, device)))


def check_device(device: str) -> None:
    """That it is a name of one, here or elsewhere."""
    if not DEVICE.fullmatch(device):
        raise InputError(f"the device {device!r:.60} is not known; there is cuda, cuda:N, mps, cpu and auto")


def find_device(device: str) -> str:
    """As torch names it; what is not there is refused."""
    check_device(device)
    torch = import_torch()
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), CPU: True}
    if device == AUTO:
        return next(name for name, found in there.items() if found)
    kind, _, number = device.partition(":")
    if not there[kind]:
        raise InputError(f"the device {device!r} is not there; torch finds {named(there)}")
    if number and int(number) >= count_devices(kind):
        raise InputError(f"the device {device!r} is not there; torch finds {count_devices(kind)} of that kind")
    return device


def named(there: dict[str, bool]) -> str:
    return ", ".join(name for name, found in there.items() if found)


def devices_of(device: str | None) -> tuple[str, ...]:
    """For several workers, which take turns: all of a kind where no number is given."""
    if device is None:
        return ()
    found = find_device(device)
    return tuple(f"cuda:{number}" for number in range(count_devices(found))) if found == "cuda" else (found,)


def count_devices(device: str) -> int:
    """How many of the kind there are, to be shared out among workers."""
    return int(import_torch().cuda.device_count()) if device.startswith("cuda") else 1


def import_torch() -> Any:
    try:
        return import_module("torch")
    except ImportError:
        raise MissingExtraError("computing on a device", "train") from None


def open_graphs(checkpoint: Checkpoint, device: str) -> tuple[Engine, Engine]:
    """The reader and the encoder."""
    networks = import_networks()
    reader, encoder = networks.open_networks(checkpoint, device)
    return tuple(Engine(f"torch on {device}", 1, run, BUDGET) for run in (reader, encoder))  # type: ignore[return-value]


def import_networks() -> Any:
    try:
        return import_module("anselm.models.frames.device_networks")
    except ImportError:
        raise MissingExtraError("computing on a device", "train") from None
