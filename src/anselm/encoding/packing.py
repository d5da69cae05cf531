"""Packing whole lists into batches by what they cost, so that little of a batch is padding.

The plan of an epoch depends on the seed and the epoch alone: a run that is resumed packs as it would have.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
GROUPS = 4  # of a batch, by length
GROUP_TOKENS = 2_048  # smaller groups would leave the device idle between them,
MOST_TOKENS = 8_192  # and larger ones take memory for nothing: a list of 2,000 sentences has 70,000 tokens
WIDE_TOKENS = 32_768  # the same for a GPU, which waits for each group to be begun rather than for its padding


def pack(lengths: Indices, sizes: Indices, budget: int, most_lists: int, rng: np.random.Generator) -> list[Indices]:
    """Batches of list indices, in random order.

    `lengths` is the longest candidate of each list in tokens, `sizes` its number of candidates. A batch costs its
    candidates times its longest length; it stays within `budget` tokens and `most_lists` lists, except for a list that
    is over the budget by itself. Lists are sorted by length, with noise, so that batches differ from epoch to epoch.
    """
    noise = rng.uniform(0.9, 1.1, len(lengths))
    order = np.lexsort((rng.random(len(lengths)), np.round(lengths * noise / 4)))
    batches: list[Indices] = []
    start, longest, candidates = 0, 0, 0
    for place, index in enumerate(order):
        wider, more = max(longest, int(lengths[index])), candidates + int(sizes[index])
        if place > start and (wider * more > budget or place - start >= most_lists):
            batches.append(order[start:place])
            start, wider, more = place, int(lengths[index]), int(sizes[index])
        longest, candidates = wider, more
    if len(order):
        batches.append(order[start:])
    return [batches[i] for i in rng.permutation(len(batches))]


def in_order(lengths: Indices, sizes: Indices, budget: int) -> list[Indices]:
    """For scoring: longest first, so that running out of memory happens at once or not at all."""
    order = np.argsort(-lengths, kind="stable")
    batches: list[Indices] = []
    start, candidates = 0, 0
    for place, index in enumerate(order):
        candidates += int(sizes[index])
        if place > start and int(lengths[order[start]]) * candidates > budget:
            batches.append(order[start:place])
            start, candidates = place, int(sizes[index])
    if len(order):
        batches.append(order[start:])
    return batches


def by_length(lengths: Indices, wide: bool = False) -> list[Indices]:
    """The rows of one batch in a few groups, each to be padded to its own longest row; `wide`: in fewer, for a GPU.

    A list's candidates differ in length as much as its neighbours' do: padded together, 33 to 45 percent of a batch was
    padding on SQuAD and WikiQA; in four groups it is 11 to 15.
    """
    tokens = int(lengths.max(initial=0)) * len(lengths)
    usual = max(min(GROUPS, tokens // GROUP_TOKENS), -(-tokens // MOST_TOKENS), 1)
    groups = min(usual, -(-tokens // WIDE_TOKENS) or 1) if wide else usual
    return np.array_split(np.argsort(lengths, kind="stable"), min(groups, max(1, len(lengths))))
