"""Weights as safetensors, with errors that say what does not fit. Nothing is ever unpickled."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from anselm.errors import FormatError


def save_weights(model: nn.Module, path: Path) -> None:
    tensors = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    try:
        save_file(tensors, path)
    except SafetensorError as error:  # a full disk, say: for whoever saves, it is what other files raise then
        raise OSError(f"{path}: {error}") from None


def load_weights(model: nn.Module, path: Path) -> None:
    if not path.is_file():
        raise FormatError(path, "the file with the weights is missing")
    try:
        found = load_file(path)
    except (OSError, SafetensorError, ValueError) as error:
        raise FormatError(path, f"not whole safetensors ({error})") from None
    wanted = model.state_dict()
    for name, tensor in wanted.items():
        if name not in found:
            raise FormatError(path, f"the weights {name!r} are missing")
        if found[name].shape != tensor.shape:
            shapes = f"{tuple(found[name].shape)}, not {tuple(tensor.shape)}"
            raise FormatError(path, f"the weights {name!r} have the shape {shapes}")
    if extra := next((name for name in found if name not in wanted), None):
        raise FormatError(path, f"there are weights {extra!r} that the model does not have")
    model.load_state_dict(found)


def torch_threads() -> tuple[str, int]:
    """What computes a model that is loaded into torch, and with how many threads."""
    return "torch", torch.get_num_threads()
