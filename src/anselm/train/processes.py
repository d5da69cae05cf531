"""The device of this process, and the other processes that torchrun or `accelerate launch` started with it."""

from __future__ import annotations

import atexit
import gc
import os

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import broadcast
from numpy.typing import NDArray
from torch import Tensor

from anselm.errors import InputError


def join_processes() -> Accelerator:
    """Without a GPU, Accelerate lets each process train alone, in the same folder, unless it is told to use the CPU.

    Mixed precision is left to the loop: Accelerate would patch the model's forward for good.
    """
    started = int(os.environ.get("WORLD_SIZE", "1"))
    accelerator = Accelerator(cpu=started > 1 and not torch.accelerator.is_available(), mixed_precision="no")
    if accelerator.num_processes != started:
        raise InputError(
            f"{started} processes were started (WORLD_SIZE) and Accelerate joins {accelerator.num_processes} of them; "
            "start them with torchrun, on GPUs or with ACCELERATE_USE_CPU=1"
        )
    atexit.unregister(leave_processes)
    atexit.register(leave_processes)
    return accelerator


def leave_processes() -> None:
    """Stop the threads that listen to other processes; Python aborts where one is busy while it shuts down itself."""
    if torch.distributed.is_initialized():
        gc.collect()  # models of loops that are over hold on to them
        torch.distributed.destroy_process_group()


def agree(accelerator: Accelerator, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the first process found: another may differ in the last digit, and would go its own way."""
    if accelerator.num_processes == 1:
        return values
    found: Tensor = broadcast(torch.from_numpy(values).to(accelerator.device))
    return found.cpu().numpy()


def gather_number(accelerator: Accelerator, number: int) -> list[int]:
    """The number of each process."""
    gathered: list[int] = accelerator.gather(torch.tensor([number], device=accelerator.device)).tolist()
    return gathered
