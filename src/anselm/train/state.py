"""The state of a run on disk: everything that a resumed run needs to end as the uninterrupted one would have.

One safetensors file; what is not a tensor is JSON in its header, and nothing is ever unpickled. It is written beside
the old one and takes its place in one move, after its bytes have reached the disk: whenever the process is killed, one
whole state is there, the last or the one before. A checksum over all of it tells a damaged one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from anselm.errors import FormatError, InputError

FORMAT = 1

Tensors = Mapping[str, Tensor]


@dataclass(frozen=True)
class State:
    tensors: Mapping[str, Tensors]  # by kind and name: weights, best weights, the optimizer's moments, ...
    numbers: Mapping[str, Any]  # what JSON can hold


def save_state(state: State, path: Path) -> None:
    """Replace the state at `path`; on any failure the one that was there stays."""
    tensors = {
        f"{kind}/{name}": tensor.detach().cpu().contiguous()
        for kind, named in state.tensors.items()
        for name, tensor in named.items()
    }
    numbers = json.dumps(state.numbers, allow_nan=False)
    about = {"format": str(FORMAT), "numbers": numbers, "sha256": _checksum(tensors, numbers)}
    scratch = _scratch(path)
    try:
        forget_scratch(path)
        scratch.mkdir(parents=True)
        save_file(tensors, scratch / path.name, about)
        with (scratch / path.name).open("r+b") as file:
            os.fsync(file.fileno())
        (scratch / path.name).replace(path)
    except (OSError, SafetensorError) as error:
        problem = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be written: {problem}; the state before it is kept") from None
    finally:
        forget_scratch(path)


def load_state(path: Path) -> State | None:
    """The last whole state, or None where there is none."""
    if not path.exists():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            about = file.metadata() or {}
            _check_format(about, path)
            tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118  # it is no dict
    except (OSError, SafetensorError) as error:
        raise FormatError(path, f"a damaged training state ({error}); remove it to start over") from None
    if _checksum(tensors, about["numbers"]) != about["sha256"]:
        raise FormatError(path, "a damaged training state (its checksum differs); remove it to start over")
    kinds: dict[str, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        kind, _, name = key.partition("/")
        kinds.setdefault(kind, {})[name] = tensor
    return State(kinds, json.loads(about["numbers"]))


def forget_scratch(path: Path) -> None:
    """Remove what a killed process left half-written beside the state at `path`."""
    shutil.rmtree(_scratch(path), ignore_errors=True)


def _scratch(path: Path) -> Path:
    """A folder, because safetensors writes under names of its own before it moves the file to the one given."""
    return path.with_name(f".{path.name}.partial")


def _check_format(about: Mapping[str, str], path: Path) -> None:
    if not {"format", "numbers", "sha256"} <= about.keys():
        raise FormatError(path, "not a training state; remove it to start over")
    if about["format"] != str(FORMAT):
        raise FormatError(
            path, f"a training state of format {about['format']}, and this version of Anselm reads format {FORMAT}"
        )


def _checksum(tensors: Tensors, numbers: str) -> str:
    digest = hashlib.sha256(numbers.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def optimizer_state(optimizer: torch.optim.Optimizer) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """An optimizer's state as named tensors, and as what JSON can hold."""
    record = optimizer.state_dict()
    tensors: dict[str, Tensor] = {}
    values: dict[str, Any] = {}
    for index, own in record["state"].items():
        for key, value in own.items():
            (tensors if isinstance(value, Tensor) else values)[f"{index}.{key}"] = value
    return tensors, {"values": values, "groups": record["param_groups"]}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Tensors, numbers: Mapping[str, Any]) -> None:
    state: dict[int, dict[str, Any]] = {}
    for name, value in [*tensors.items(), *numbers["values"].items()]:
        index, _, key = name.partition(".")
        state.setdefault(int(index), {})[key] = value
    optimizer.load_state_dict({"state": state, "param_groups": numbers["groups"]})
