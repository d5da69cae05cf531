"""What the machine at hand trains on."""

from __future__ import annotations

import platform
from typing import Any

import torch
from torch import Tensor, nn


def on_device(model: Any) -> Any:
    return model.to("cuda") if torch.cuda.is_available() else model


def device_name() -> str:
    return torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {platform.machine()}"


def usual_precision() -> str:
    return "bf16" if torch.cuda.is_available() else "no"


def matmul_precision() -> str:
    """How float32 matrices are multiplied: "highest", or with fewer digits on a GPU ("high": TF32)."""
    return torch.get_float32_matmul_precision()


def use_matmul_precision(name: str) -> None:
    torch.set_float32_matmul_precision(name)


def use_one_thread() -> None:
    torch.set_num_threads(1)


def copy_weights(model: nn.Module) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
