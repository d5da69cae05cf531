"""How much of what a model computes lies where a gate or an attention is flat. Looks on from outside, at the functions
that torch is asked for, so that it needs to know nothing of any model.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

FLAT = 0.98  # a gate above it, or below 1 - FLAT, or an attention that gives one word so much of several


class Saturation(TorchFunctionMode):
    """`flat`: by function, the share of values, or of the words that look, in each call."""

    def __init__(self) -> None:
        super().__init__()
        self.flat: dict[str, list[float]] = defaultdict(list)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        name = getattr(func, "__name__", "")
        if name in ("sigmoid", "tanh") and out.ndim > 1:  # one number for each pair is a similarity, and no gate
            shown = out[args[0] != -torch.inf]  # what padding was filled with
            self._gate(name, shown if name == "sigmoid" else (shown + 1) / 2)
        elif name == "softmax":
            self._attention(out, (kwargs or {}).get("dim", args[1] if len(args) > 1 else -1))
        elif name == "scaled_dot_product_attention":
            q, k = args[:2]
            scores = q @ k.mT / q.shape[-1] ** 0.5
            self._attention(scores.masked_fill(~(kwargs or {})["attn_mask"], -torch.inf).softmax(-1), -1)
        elif name == "lstm":
            self._recurrent(*args[:4])
        return out

    def _gate(self, name: str, values: Tensor) -> None:
        self.flat[name].append(((values > FLAT) | (values < 1 - FLAT)).float().mean().item())

    def _attention(self, weights: Tensor, dim: int) -> None:
        """Where there is something to choose from: at least two that are not hidden."""
        several = (weights > 0).sum(dim) > 1
        if several.any():
            self.flat["attention"].append((weights.amax(dim)[several] > FLAT).float().mean().item())

    def _recurrent(self, data: Any, *rest: Any) -> None:
        """The gates of the first step, which no state moves yet: what comes of the input alone."""
        x = data.data if isinstance(data, nn.utils.rnn.PackedSequence) else data
        weights = next(one for one in rest if isinstance(one, (list, tuple)) and one[0].ndim == 2)
        gates = functional.linear(x, weights[0], weights[2] + weights[3])
        i, f, g, o = gates.chunk(4, dim=-1)
        for gate in (i, f, o):
            self._gate("lstm", gate.sigmoid())
        self._gate("lstm", (g.tanh() + 1) / 2)
