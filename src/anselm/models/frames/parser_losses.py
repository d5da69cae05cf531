"""What is wrong with the scores of spans and tags.

local     cross-entropy of each span by itself, "none" being one of its labels
margin    the best tree, where each wrong label counts one more than its score, against the right tree
          (Stern, Andreas and Klein, 2017); the score of "none" is 0
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from anselm.annotations.chart import best_trees
from anselm.models.frames.parser_examples import Batch

LOSSES = ("margin", "local")


def span_loss(kind: str, scores: Tensor, batch: Batch) -> Tensor:
    """(spans, labels) -> the sum over a batch"""
    if kind == "local":
        return functional.cross_entropy(scores, batch.labels, reduction="sum")
    return margin_loss(scores, batch)


def margin_loss(scores: Tensor, batch: Batch) -> Tensor:
    gains = scores - scores[:, :1]
    right = gains.gather(1, batch.labels[:, None])[:, 0]
    raised = (gains + 1).scatter(1, batch.labels[:, None], right[:, None]).amax(1)
    worst = torch.from_numpy(_best_places(raised, batch)).to(scores.device)
    return raised[worst].sum() - right.sum()  # the right tree is one of them, so that no sentence's loss is below 0


def _best_places(values: Tensor, batch: Batch) -> NDArray[np.int64]:
    """Which of the spans the best tree of each sentence has; the chart is filled in numpy, whatever the device."""
    cells, lengths = batch.cells.cpu().numpy(), batch.lengths.tolist()
    size = max(lengths) + 1
    charts, places = np.zeros(len(lengths) * size * size), np.zeros(len(lengths) * size * size, dtype=np.int64)
    charts[cells], places[cells] = values.detach().cpu().numpy(), np.arange(len(cells))
    found = best_trees(charts.reshape(len(lengths), size, size), lengths)
    chosen = [(place * size + start) * size + end for place, spans in enumerate(found) for start, end in spans]
    return places[chosen]


def tag_loss(scores: Tensor, batch: Batch) -> Tensor:
    """(words, tags) -> the mean"""
    return functional.cross_entropy(scores, batch.tags)
