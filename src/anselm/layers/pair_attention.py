"""Attentive pooling of many pairs out of the same few texts: what concerns one text is computed once for it.

    Z = tanh(A^T P C),  weights of A's words: softmax of the row maxima, of C's: of the column maxima
    s(a, c) = cos(A w_a, C w_c)

Projecting a text by P costs far more than its part in a pair, so texts are projected before they are paired. Since tanh
grows everywhere, it is taken of the maxima and not of all of Z. Pairs are gone through in chunks: on a GPU, so that
memory stays bounded; on a CPU such that a chunk stays in the cache, which halves the time. The longest come first, and
a chunk is as wide as its longest text: what is padded to the longest of a batch costs nothing in the others.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional

from anselm.layers.context_attention import weighted_sum
from anselm.layers.repeated_rows import RepeatedRows

NUMBERS = {"cpu": 1 << 20}  # of a chunk's largest table
MANY = 1 << 26  # the same on other devices


def pooled_cosines(
    a: Tensor, a_mask: Tensor, c: Tensor, c_mask: Tensor, p: Tensor, left: Tensor, right: Tensor
) -> Tensor:
    """s(a[left], c[right]). a: (texts, m, width), c: (others, n, width), p: (width, width) -> (pairs,)"""
    own, with_p, other = RepeatedRows(a), RepeatedRows(a @ p), RepeatedRows(c)
    longest, order = torch.maximum(_lengths(a_mask)[left], _lengths(c_mask)[right]).sort(descending=True, stable=True)
    scores, most = [], NUMBERS.get(a.device.type, MANY)
    for start, end, words in _chunks(longest.tolist(), a.shape[2], most):
        i, j = left[order[start:end]], right[order[start:end]]
        masks = a_mask[:, :words].index_select(0, i), c_mask[:, :words].index_select(0, j)
        scores.append(_cosines(own.take(i, words), with_p.take(i, words), other.take(j, words), *masks))
    return torch.cat(scores)[order.argsort()] if scores else a.new_zeros(0)


def _lengths(mask: Tensor) -> Tensor:
    """Up to the last word; 1 at least. (texts, words) -> (texts,)"""
    places = torch.arange(1, mask.shape[1] + 1, device=mask.device)
    return (mask * places).amax(dim=1).clamp(min=1)


def _chunks(longest: list[int], width: int, most: int) -> Iterator[tuple[int, int, int]]:
    """Pairs from, up to, and the words of the longest: as many as `most` numbers allow."""
    start = 0
    while start < len(longest):
        words = longest[start]
        end = min(len(longest), start + max(1, most // (words * (width + words))))
        yield start, end, words
        start = end


def _cosines(a: Tensor, projected: Tensor, c: Tensor, a_mask: Tensor, c_mask: Tensor) -> Tensor:
    nothing = _beyond(a_mask, projected)[:, :, None] + _beyond(c_mask, projected)[:, None, :]
    z = torch.baddbmm(nothing, projected, c.mT)  # (pairs, m, n), before the tanh; filling it afterwards takes longer
    v_a = weighted_sum(a, a_mask, z.amax(dim=2).tanh())
    v_c = weighted_sum(c, c_mask, z.amax(dim=1).tanh())
    return functional.cosine_similarity(v_a, v_c, dim=1)


def _beyond(mask: Tensor, like: Tensor) -> Tensor:
    """0 for words, minus infinity beyond them. (pairs, words)"""
    return torch.zeros_like(mask, dtype=like.dtype).masked_fill(~mask, -torch.inf)
