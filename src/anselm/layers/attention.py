"""Self-attention over all words, over a window around each word, or within groups of words.

Dong Xu et al., "Gated Group Self-Attention for Answer Selection": sections 2.1 (global), 3.1.1 (group, local), 3.1.2
(offsets). Throughout, q, k, v are (batch, heads, words, d), and mask is (batch, words), True where there is a word:

    Attention(Q, K, V) = V · Softmax(Q^T · K / sqrt(d))

The paper writes sqrt(D) for one head, whose width is D; each of n heads is d = D/n wide, so that sqrt(d) is the same
rule. A word that may look at padding only gets zeros, and so does its gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from anselm.errors import InputError

Attend = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]  # q, k, v, mask -> (batch, heads, words, d)


def global_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """Every word looks at every word: O(L · L · D)."""
    return _fused(q, k, v, mask[:, None, None, :])


def local_attention_by_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, window: int) -> Tensor:
    """What local_attention computes, by computing all pairs and hiding most: to be measured against."""
    places = torch.arange(mask.shape[1], device=mask.device)
    band = (places[:, None] - places).abs() <= window // 2  # (words, words)
    return _fused(q, k, v, mask[:, None, None, :] & band)


def local_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, window: int) -> Tensor:
    """Word i looks at words i - window//2 .. i + window//2: O(L · window · D).

    The paper's "img2col": the keys and values of each word's window are copied side by side.
    """
    side = window // 2
    keys, values = (_pad(x, 2, side, side).unfold(2, window, 1).mT for x in (k, v))  # (batch, heads, words, window, d)
    shown = _pad(mask, 1, side, side).unfold(1, window, 1)  # (batch, words, window)
    return _attend(q[..., None, :], keys, values, shown).squeeze(3)  # (batch, heads, words, d)


def group_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, size: int, offsets: Sequence[int]) -> Tensor:
    """T_{h,m} = Attention(Q_{h,m}, K_{h,m}, V_{h,m}), group by group: O(L · size · D).

    Words i and j of head h share a group iff floor((i - offsets[h]) / size) = floor((j - offsets[h]) / size). Heads of
    the same offset are computed together.
    """
    starts = [offset % size for offset in offsets]
    order = sorted(range(len(starts)), key=starts.__getitem__)  # heads of the same offset beside one another
    moved = order != sorted(order)
    if moved:
        q, k, v = (x[:, order] for x in (q, k, v))
    counts = [starts.count(start) for start in sorted(set(starts))]
    parts = zip(sorted(set(starts)), *(torch.split(x, counts, dim=1) for x in (q, k, v)), strict=True)
    found = [_in_groups(q_o, k_o, v_o, mask, size, start) for start, q_o, k_o, v_o in parts]
    # Laid out as (batch, words, heads, d), so that MultiHead concatenates the heads without a copy.
    joined = torch.cat([part.transpose(1, 2) for part in found], dim=2).transpose(1, 2)
    return joined[:, [order.index(head) for head in range(len(order))]] if moved else joined


def _in_groups(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, size: int, start: int) -> Tensor:
    """Groups that start at words start, start + size, ...; the words before and after are filled up to whole groups."""
    words = mask.shape[1]
    before = -start % size
    groups = (before + words + size - 1) // size  # not a remainder: an exporter can see that groups · size divides
    after = groups * size - before - words
    shown = torch.unflatten(_pad(mask, 1, before, after), 1, (groups, size))  # (batch, groups, size)
    q, k, v = (torch.unflatten(_pad(x, 2, before, after), 2, (groups, size)) for x in (q, k, v))
    return _attend(q, k, v, shown).flatten(2, 3)[:, :, before : before + words]  # (batch, heads, words, d)


def _attend(q: Tensor, k: Tensor, v: Tensor, shown: Tensor) -> Tensor:
    """Blocks beside one another: q (batch, heads, blocks, n, d), k and v (..., m, d), shown (batch, blocks, m).

    Not the fused kernel: for blocks of ten words it is no faster, and slower once blocks without words are seen to.
    Here the lowest number instead of -inf keeps those from dividing 0 by 0, and their weights are then set to 0.
    """
    shown = shown[:, None, :, None, :]
    scores = (q @ k.mT).mul_(1 / math.sqrt(q.shape[-1]))  # (batch, heads, blocks, n, m)
    weights = scores.masked_fill_(~shown, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return (weights * shown) @ v  # (batch, heads, blocks, n, d)


def _fused(q: Tensor, k: Tensor, v: Tensor, shown: Tensor) -> Tensor:
    """PyTorch's own kernel; it promises nothing for a word with no key, which therefore looks at all and is zeroed."""
    some = shown.any(dim=-1, keepdim=True)
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=shown | ~some).masked_fill(~some, 0)


def _pad(x: Tensor, dim: int, before: int, after: int) -> Tensor:
    """Zeros around x. functional.pad would write the zeros everywhere first: the whole step took a sixth longer."""
    zeros = [x.new_zeros(*x.shape[:dim], count, *x.shape[dim + 1 :]) for count in (before, after)]
    return torch.cat([zeros[0], x, zeros[1]], dim)


def in_groups(heads: int, size: int, offsets: Sequence[int]) -> Attend:
    """Group attention with an offset for each head, for MultiHead."""
    if size < 1:
        raise InputError(f"a group of {size} words; it needs at least 1")
    if len(offsets) != heads:
        raise InputError(f"{len(offsets)} offsets for {heads} heads; each head needs one")
    return partial(group_attention, size=size, offsets=tuple(offsets))


def in_windows(window: int) -> Attend:
    """Local attention, for MultiHead."""
    if window < 1 or window % 2 == 0:
        raise InputError(f"a window of {window} words; it needs an odd number, so that a word is in its middle")
    return partial(local_attention, window=window)


class MultiHead(nn.Module):
    """C = W^o · Concat(S_1, ..., S_n), S_i = Attention(W_i^q · X, W_i^k · X, W_i^v · X). Matrices D x D, no biases.

    `attend` says who looks at whom: global_attention, in_groups(...) or in_windows(...).
    """

    def __init__(self, width: int, heads: int, attend: Attend) -> None:
        super().__init__()
        if heads < 1 or width % heads:
            raise InputError(f"a width of {width} does not divide into {heads} heads")
        self.heads, self.attend = heads, attend
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(batch, words, D), (batch, words) -> (batch, words, D)"""
        q, k, v = (
            w(x).unflatten(2, (self.heads, -1)).transpose(1, 2)  # (batch, heads, words, d)
            for w in (self.w_q, self.w_k, self.w_v)
        )
        c: Tensor = self.w_o(self.attend(q, k, v, mask).transpose(1, 2).flatten(2))  # (batch, words, D)
        return c
