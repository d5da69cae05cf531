"""Loading weights from safetensors, with errors that say what does not fit. Nothing is ever unpickled."""

from __future__ import annotations

from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import nn

from anselm.errors import FormatError


def load_weights(model: nn.Module, path: Path) -> None:
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
