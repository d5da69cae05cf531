"""Pairs as rows of tokens, put together on the device from one flat array of all texts.

    [CLS] question [SEP] what stands above, candidate [SEP]

BERT has one separator between the two, MPNet two, and other numbers for the same pieces (`Numbering`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

MOST, MOST_ASKED = 192, 64  # tokens of a pair, and of its question
MOST_ALONE = 256  # of a text that is read by itself


@dataclass(frozen=True)
class Numbering:
    first: int
    separator: int
    between: int  # how many separators
    padding: int
    flat: Tensor  # (tokens,) of all texts


@dataclass(frozen=True)
class Texts:
    starts: Tensor  # (texts,)
    lengths: Tensor  # (texts,)


@dataclass(frozen=True)
class Row:
    """One batch. `shown` is no padding, `asked` what belongs to the question, [CLS] and its separator too."""

    ids: Tensor  # (rows, tokens)
    shown: Tensor
    asked: Tensor


def pair_rows(texts: Texts, numbering: Numbering, asked: Tensor, above: Tensor, said: Tensor) -> Row:
    """`asked`, `above`, `said`: (pairs,) numbers of texts."""
    question = texts.lengths[asked].clamp(max=MOST_ASKED)
    room = MOST - 2 - numbering.between - question
    heading = torch.minimum(texts.lengths[above], room)
    words = torch.minimum(texts.lengths[said], room - heading)
    one = 1 + question
    two = one + numbering.between
    three, end = two + heading, two + heading + words
    starts = texts.starts
    parts = [(1, one, starts[asked]), (two, three, starts[above]), (three, end, starts[said])]
    return _lay_out(numbering, end, parts, two)


def text_rows(texts: Texts, numbering: Numbering, above: Tensor, said: Tensor) -> Row:
    """Texts by themselves, behind what stands above them."""
    heading = texts.lengths[above].clamp(max=MOST_ALONE - 2)
    words = torch.minimum(texts.lengths[said], MOST_ALONE - 2 - heading)
    one, end = 1 + heading, 1 + heading + words
    return _lay_out(numbering, end, [(1, one, texts.starts[above]), (one, end, texts.starts[said])], end)


def _lay_out(numbering: Numbering, end: Tensor, parts: list, asked: Tensor) -> Row:
    width = -(-(int(end.max()) + 1) // 8) * 8
    place = torch.arange(width, device=end.device)[None]
    shown = place <= end[:, None]
    ids = torch.where(shown, numbering.separator, numbering.padding)
    ids[:, 0] = numbering.first
    for begin, stop, start in parts:
        first = begin if isinstance(begin, int) else begin[:, None]
        inside = (place >= first) & (place < stop[:, None])
        at = (start[:, None] + place - first).clamp(0, len(numbering.flat) - 1)
        ids = torch.where(inside, numbering.flat[at], ids)
    return Row(ids, shown, place < asked[:, None])


def by_width(widths: np.ndarray, budget: int) -> Iterator[np.ndarray]:
    """Numbers of rows, the widest first, so many together that they hold at most so many tokens."""
    order = np.argsort(-widths, kind="stable")
    start = 0
    while start < len(order):
        wide = -(-int(widths[order[start]]) // 8) * 8
        count = max(1, budget // wide)
        yield order[start : start + count]
        start += count


def chunks(widths: Tensor, budget: int) -> list[Tensor]:
    """The rows of a step in a few parts of like width, which together have little padding."""
    order = torch.argsort(widths, descending=True)
    return [order[torch.from_numpy(part).to(order.device)] for part in by_width(widths[order].cpu().numpy(), budget)]
