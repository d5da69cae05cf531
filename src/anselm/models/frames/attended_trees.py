"""The trees of a schedule with what drew attention in them, from the weights of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anselm.annotations.penn_labels import NAMES
from anselm.encoding.tokenizer import PairTokenizer
from anselm.layers.tree_schedule import Schedule, Step
from anselm.models.frames.tree_batches import TreeBatch
from anselm.scorer import Constituent

Floats = NDArray[Any]


def read_words(texts: list[str], batch: TreeBatch, tokenizer: PairTokenizer) -> list[str]:
    """The words of all trees that are read, as they stand in the texts."""
    found = list[str]()
    for text, offsets, tree, count in zip(texts, tokenizer.offsets(texts), batch.trees, batch.read, strict=True):
        found += [text[offsets[first][0] : offsets[last - 1][1]] for first, last in tree.pieces[:count].tolist()]
    return found


def attended_trees(schedule: Schedule, weights: Sequence[Floats], words: Sequence[str]) -> list[Constituent]:
    """`weights` are (tokens,) for each step: how much the start of a span looks at its tokens."""
    columns = [x.tolist() for x in (schedule.labels, schedule.sources, schedule.positions, schedule.fixed)]
    first, below = 0, list[Constituent]()
    for step, share in zip(schedule.steps, share_out(schedule, weights), strict=True):
        rows = zip(*(column[first : first + step.tokens] for column in columns), strict=True)
        made, spans = iter(below), list[list[Constituent]]()
        heads = list[str]()
        for (label, source, position, fixed), part in zip(rows, share.tokens.tolist(), strict=True):
            if position == 0:
                heads.append(NAMES[label])
                spans.append([])
            elif not fixed:
                spans[-1].append(next(made))
            elif source < len(words):  # and not the end of the span
                spans[-1].append(Constituent(NAMES[label], part, (), words[source]))
        whole = zip(heads, share.spans.tolist(), spans, strict=True)
        below = [Constituent(head, part, tuple(inner)) for head, part, inner in whole]
        first += step.tokens
    return below


class Shares(NamedTuple):
    """Of one step."""

    spans: Floats  # (spans,)
    tokens: Floats  # (tokens,)


def share_out(schedule: Schedule, weights: Sequence[Floats]) -> list[Shares]:
    """From the roots down: a token has what its span has, times how much the span looks at it."""
    found, spans = list[Shares](), np.ones(schedule.steps[-1].spans)
    for step, looks in zip(reversed(schedule.steps), reversed(weights), strict=True):
        tokens = spans[_numbers(step)] * looks
        found.append(Shares(spans, tokens))
        spans = tokens[step.children.cpu().numpy()]
    return found[::-1]


def _numbers(step: Step) -> NDArray[np.int64]:
    numbers: NDArray[np.int64] = step.owners.cpu().numpy()
    return numbers
