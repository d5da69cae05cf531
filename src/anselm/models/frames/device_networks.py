"""The two graphs of a general ranker as torch modules on a device: their int8 weights become numbers again.

What was rounded at export stays rounded; activations, which the exported graphs round as well, are not. On a GPU
products are computed in half precision, elsewhere in single.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention import sdpa_kernel

from anselm.checkpoints.blend import Config
from anselm.checkpoints.checkpoint import ENCODER_GRAPH, READER_GRAPH, Checkpoint
from anselm.layers.transformer import KERNELS
from anselm.models.crossencoder import CrossEncoder
from anselm.models.frames.dequantized import fill, thaw
from anselm.models.frames.pretrained import load_saved

Run = Callable[[Mapping[str, Any]], NDArray[np.float32]]  # as that of a graph: inputs by name -> (rows, signals)


class Pairs(nn.Module):
    """The part of a pair model that reads pairs which are rows of tokens already."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        signals: Tensor = self.model.signals(ids, mask, types)
        return signals


class Texts(nn.Module):
    """Texts read by themselves: the mean of their tokens' vectors, of length one."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        states = self.encoder(ids, attention_mask=mask).last_hidden_state  # (texts, tokens, width)
        shown = mask[:, :, None].to(states.dtype)
        return functional.normalize((states * shown).sum(dim=1) / shown.sum(dim=1), dim=1)


def open_networks(checkpoint: Checkpoint, device: str) -> tuple[Run, Run]:
    """The reader of pairs, and the encoder of texts."""
    return run_on(thaw_reader(checkpoint), device), run_encoder(checkpoint, device)


def run_encoder(checkpoint: Checkpoint, device: str) -> Run:
    return run_on(thaw_encoder(checkpoint), device)


def thaw_reader(checkpoint: Checkpoint) -> Pairs:
    settings = CrossEncoder.settings_of(Config.read(checkpoint), {})
    config = CrossEncoder.configure("cross-encoder", settings)
    model = CrossEncoder("cross-encoder", config, *load_saved(checkpoint))
    path = checkpoint.path(READER_GRAPH)
    fill(model, thaw(path), path)
    return Pairs(model)


def thaw_encoder(checkpoint: Checkpoint) -> Texts:
    texts, path = Texts(load_saved(checkpoint)[0]), checkpoint.path(ENCODER_GRAPH)
    fill(texts, thaw(path), path)
    return texts


def run_on(network: nn.Module, device: str) -> Run:
    """A module as what the runtime calls; rows come and go as arrays."""
    network = network.to(device).eval()
    if device.startswith("cuda"):
        network = network.half()
    names = [name for name in ("ids", "mask", "types") if name in network.forward.__annotations__]

    @torch.inference_mode()
    def run(rows: Mapping[str, Any]) -> NDArray[np.float32]:
        with sdpa_kernel(KERNELS):
            found = network(*(torch.from_numpy(rows[name]).to(device) for name in names))
        return np.asarray(found.float().cpu().numpy())

    return run
