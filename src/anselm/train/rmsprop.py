"""RMSProp as in TensorFlow, in which the papers of its time were computed. For a gradient g:

    ms  = rho ms + (1 - rho) g^2             1 at the start
    mom = momentum mom + lr g / sqrt(ms + eps)    0 at the start
    w   = w - mom

torch's own begins its averages at 0, so that the first steps are as long as any, whatever the gradient: with momentum
and no warm-up the matrices of a self-attention block have moved by half their norm after twenty of them. From 1 the
first steps are as small as the gradients are, which is a warm-up of about a hundred steps. torch also forgets more
slowly, rho = 0.99 (from 1 it would warm up for a thousand steps), and adds its eps after the root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor


class RMSPropTF(torch.optim.Optimizer):
    def __init__(
        self,
        params: Iterable[Any],
        lr: float,
        momentum: float = 0.0,
        rho: float = 0.9,
        eps: float = 1e-10,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "rho": rho, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """All tensors of a group at once: on a GPU one by one takes longer than the rest of a small model's step."""
        for group in self.param_groups:
            weights = [weight for weight in group["params"] if weight.grad is not None]
            if weights:
                self._update(weights, group)

    def _update(self, weights: list[Tensor], group: dict[str, Any]) -> None:
        gradients = [weight.grad for weight in weights if weight.grad is not None]
        if group["weight_decay"]:
            gradients = list(torch._foreach_add(gradients, weights, alpha=group["weight_decay"]))
        squares, moments = zip(*map(self._averages, weights), strict=True)
        torch._foreach_mul_(squares, group["rho"])
        torch._foreach_addcmul_(squares, gradients, gradients, 1 - group["rho"])
        roots = torch._foreach_add(squares, group["eps"])
        torch._foreach_sqrt_(roots)
        torch._foreach_mul_(moments, group["momentum"])
        torch._foreach_addcdiv_(moments, gradients, roots, group["lr"])
        torch._foreach_sub_(weights, moments)

    def _averages(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        state = self.state[weight]
        if not state:
            state["square"], state["moment"] = torch.ones_like(weight), torch.zeros_like(weight)
        return state["square"], state["moment"]
