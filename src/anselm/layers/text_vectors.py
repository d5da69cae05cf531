"""Texts as single vectors, each read by itself: the mean of an encoder's token vectors, of length one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from anselm.layers.stretches import Stretch, join

BATCH = 65_536  # tokens


@dataclass(frozen=True)
class Frame:
    """What a text is put into."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    most: int  # tokens of the text; what follows is not read
    pad: int


@torch.no_grad()
def text_vectors(encoder: Any, flat: Tensor, starts: Tensor, lengths: Tensor, frame: Frame) -> Tensor:
    """(texts, width). Text i is flat[starts[i] : starts[i] + lengths[i]]."""
    around = (frame.before, frame.after)
    before, after = (torch.tensor(tokens, dtype=flat.dtype, device=flat.device) for tokens in around)
    whole = torch.cat([flat, before, after])
    shown = lengths.clamp(max=frame.most)
    order = torch.argsort(shown, descending=True)
    widths = (shown[order] + len(before) + len(after)).tolist()
    found = torch.empty(len(lengths), encoder.config.hidden_size, device=flat.device)
    encoder.eval()
    done = 0
    while done < len(order):
        rows = order[done : done + max(1, BATCH // widths[done])]
        full = torch.ones_like(rows)
        stretches = [
            Stretch(full * len(flat), full * len(before), 0),
            Stretch(starts[rows], shown[rows], 0),
            Stretch(full * (len(flat) + len(before)), full * len(after), 0),
        ]
        ids, mask, _ = join(whole, stretches, widths[done], frame.pad)
        with torch.autocast(flat.device.type, torch.bfloat16, enabled=flat.is_cuda):
            states = encoder(ids, attention_mask=mask.long()).last_hidden_state  # (rows, tokens, width)
        mean = (states * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        found[rows] = functional.normalize(mean.float(), dim=1)
        done += len(rows)
    return found
