"""What a training run would do: how many steps, how long, how much memory. Needs torch."""

from __future__ import annotations

import time
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.multiprocessing.reductions import StorageWeakRef

from anselm.data.datasets import Dataset
from anselm.data.overlap import Overlap, find_overlap
from anselm.encoding.lists import Indices, Lists
from anselm.machine import resident_megabytes
from anselm.train.hyperparameters import Training
from anselm.train.loop import Loop
from anselm.train.trainable import Trainable

NUMBER = 4  # bytes
# Beside what is kept for the backward pass there is what it computes in between, and what the allocator does not give
# back: 1.4 to 1.6 times as much in all, on a CPU (docs/training.md).
SLACK = 1.5


@dataclass(frozen=True)
class Plan:
    """What a training run would do."""

    lists: int
    pairs: int
    dev_lists: int
    tokens: int
    cut: int  # candidates that are longer than the model reads at once, and lose their end in training
    steps: int
    parameters: int
    megabytes: int  # the most that the process, or on a GPU the device, holds at once, about
    seconds: float  # on this machine, from a few trial steps
    overlaps: tuple[Overlap, ...]


def plan(model: Trainable, training_set: Dataset, dev: Dataset, training: Training) -> Plan:
    """What would happen. Tried on a copy: neither the model nor torch's random numbers change."""
    with torch.random.fork_rng():
        loop = Loop(deepcopy(model), training_set, training, None)
        lists = loop.lists
        room = loop.model.room(lists)
        loop.module.train()
        return Plan(
            lists=len(lists),
            pairs=len(lists.labels),
            dev_lists=len(dev),
            tokens=int(lists.pair_lengths.sum()),
            cut=int((lists.texts.lengths[lists.candidates] > room).sum()),
            steps=loop.progress.steps,
            parameters=sum(parameter.numel() for parameter in loop.plain.parameters()),
            megabytes=round(peak_bytes(loop) / 1e6),
            seconds=trial_seconds(loop),
            overlaps=tuple(filter(None, [find_overlap(training_set, dev.name, dev)])),
        )


def peak_bytes(loop: Loop) -> float:
    """The most that training takes, with all that the process holds already; on a GPU, of its memory."""
    weights = sum(parameter.numel() for parameter in loop.plain.parameters())
    trained = sum(parameter.numel() for parameter in loop.plain.parameters() if parameter.requires_grad)
    copies = 3 + (loop.training.average > 0)  # gradients, two moments, and the running mean
    held: float = NUMBER * weights
    if loop.accelerator.device.type == "cpu":
        held = (resident_megabytes() or 0) * 1e6 - NUMBER * weights  # the copy that is tried on
        copies += 1  # the best weights, which are kept on the host
    return held + NUMBER * copies * trained + SLACK * saved_bytes(loop, *largest_batch(loop))


def largest_batch(loop: Loop) -> tuple[Lists, Indices]:
    """Of the first epoch, by the tokens that it is packed by."""
    lists, batches = loop._plan(0)
    widths = loop.model.widths(lists)
    return lists, max(batches, key=lambda batch: int(lists.sizes[batch].sum()) * int(widths[batch].max()))


def saved_bytes(loop: Loop, lists: Lists, batch: Indices) -> int:
    """What a forward pass keeps for the backward pass: counted, each storage once, and not kept."""
    weights = {parameter.untyped_storage().data_ptr() for parameter in loop.plain.parameters()}
    counted: dict[int, tuple[StorageWeakRef, int]] = {}  # a weak reference keeps the number from being given again

    def count(tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            reference = StorageWeakRef(storage)  # type: ignore[no-untyped-call]
            counted.setdefault(reference.cdata, (reference, storage.nbytes()))

    with saved_tensors_hooks(count, lambda nothing: nothing):
        loop._loss_of(lists.pick(batch))
    return sum(size for _, size in counted.values())


def trial_seconds(loop: Loop) -> float:
    """The time of all steps, from one step on a batch of middling cost after another that warms up."""
    lists, batches = loop._plan(0)
    costs = np.array([lists.pick(batch).pair_lengths.sum() for batch in batches])
    middle = batches[int(np.argsort(costs)[len(costs) // 2])]
    loop._step(lists.pick(middle))
    began = time.perf_counter()
    loop._step(lists.pick(middle))
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    took = time.perf_counter() - began
    return took / float(np.median(costs)) * float(costs.sum()) * loop.progress.steps / len(batches)
