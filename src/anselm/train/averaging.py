"""A running mean of the weights, which often ranks better than the weights of any one step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor
from torch.optim.swa_utils import get_ema_multi_avg_fn


class RunningMean:
    """mean <- d mean + (1 - d) weights, with d = min(decay, step / (step + 10)): the start does not linger in it.

    With a decay of 0 there is no mean, and the weights stand for themselves.
    """

    def __init__(self, weights: Mapping[str, Tensor], decay: float) -> None:
        self.weights, self.decay = weights, decay
        self.mean = {name: tensor.detach().clone() for name, tensor in weights.items()} if decay else {}

    def update(self, step: int) -> None:
        if self.mean:
            move = get_ema_multi_avg_fn(min(self.decay, step / (step + 10)))  # type: ignore[no-untyped-call]
            move(list(self.mean.values()), list(self.weights.values()), step)  # a few kernels for all tensors

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The mean in the place of the weights, for the time of a `with` block."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    @torch.no_grad()
    def _swap(self) -> None:
        for name, mean in self.mean.items():
            kept = self.weights[name].clone()
            self.weights[name].copy_(mean)
            mean.copy_(kept)
