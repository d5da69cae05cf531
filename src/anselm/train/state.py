"""The state of a run on disk: everything that a resumed run needs to end as the uninterrupted one would have.

A state is a folder with tensors in safetensors and the rest in JSON; nothing is pickled. It is written beside the old
one and takes its place in one rename, after its bytes have reached the disk: whenever the process is killed, one whole
state is there.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from anselm.errors import FormatError, InputError

FORMAT = 1


@dataclass
class State:
    """`tensors` by name (weights, optimizer moments, random states) and `numbers` (counters, best metric)."""

    tensors: dict[str, Tensor]
    numbers: dict[str, Any]


def save_state(state: State, path: Path) -> None:
    """Replace the state at `path`; on any failure the one that was there stays."""
    fresh, old = path.with_name(path.name + ".new"), path.with_name(path.name + ".old")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        fresh.mkdir(parents=True)
        save_file({name: tensor.contiguous() for name, tensor in state.tensors.items()}, fresh / "tensors.safetensors")
        (fresh / "state.json").write_text(json.dumps({"format": FORMAT, **state.numbers}), encoding="utf-8")
        for file in fresh.iterdir():
            _to_disk(file)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise InputError(f"{path} cannot be written: {error.strerror or error}; the state before it is kept") from None
    # A folder cannot be renamed onto one that is not empty, hence two renames; `load_state` knows the moment between.
    shutil.rmtree(old, ignore_errors=True)
    if path.exists():
        path.rename(old)
    fresh.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def load_state(path: Path) -> State | None:
    """The last whole state, or None where there is none."""
    old, fresh = path.with_name(path.name + ".old"), path.with_name(path.name + ".new")
    if not path.exists() and old.exists():
        old.rename(path)  # killed between the two renames
    shutil.rmtree(fresh, ignore_errors=True)
    if not path.exists():
        return None
    try:
        numbers = json.loads((path / "state.json").read_text(encoding="utf-8"))
        tensors = load_file(path / "tensors.safetensors")
    except (OSError, ValueError, SafetensorError) as error:
        raise FormatError(path, f"a damaged training state ({error}); remove it to start over") from None
    if numbers.pop("format", None) != FORMAT:
        raise FormatError(path, f"a training state of another format than {FORMAT}; remove it to start over")
    return State(tensors, numbers)


def _to_disk(file: Path) -> None:
    with file.open("rb") as handle:
        os.fsync(handle.fileno())


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """An optimizer's state as named tensors and plain numbers."""
    record = optimizer.state_dict()
    tensors, numbers = {}, {}
    for index, values in record["state"].items():
        for key, value in values.items():
            if isinstance(value, Tensor):
                tensors[f"optimizer.{index}.{key}"] = value
            else:
                numbers[f"{index}.{key}"] = value
    return tensors, {"groups": record["param_groups"], "values": numbers}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor], numbers: dict[str, Any]) -> None:
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, index, key = name.split(".", 2)
            state.setdefault(int(index), {})[key] = tensor
    for name, value in numbers["values"].items():
        index, key = name.split(".", 1)
        state.setdefault(int(index), {})[key] = value
    optimizer.load_state_dict({"state": state, "param_groups": numbers["groups"]})
