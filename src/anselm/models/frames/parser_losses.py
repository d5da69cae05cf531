"""What is wrong with the scores of spans and tags.

local     cross-entropy of each span by itself, "none" being one of its labels
margin    the best tree, where each wrong label counts one more than its score, against the right tree
          (Stern, Andreas and Klein, 2017); the score of "none" is 0
"""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

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
    size = int(batch.lengths.max()) + 1
    best = best_trees(_charts(raised, batch.cells, len(batch.lengths), size), batch.lengths)
    return best.sum() - right.sum()  # the right tree is one of them, so that no sentence's loss is below 0


def _charts(values: Tensor, cells: Tensor, sentences: int, size: int) -> Tensor:
    return values.new_zeros(sentences * size * size).index_copy(0, cells, values).view(sentences, size, size)


def best_trees(scores: Tensor, lengths: Tensor) -> Tensor:
    """The highest sum of scores that a binary tree has; annotations/chart.py says which spans. -> (sentences,)

    `scores[s, i, j]` is that of the words from i to before j of a sentence.
    """
    count = scores.shape[1] - 1
    left = scores.new_zeros(len(scores), count + 1, count + 1)  # [i, length] best of the span that begins at i
    right = scores.new_zeros(len(scores), count + 1, count + 1)  # [j, length] best of the span that ends at j
    for length in range(1, count + 1):
        best = scores.diagonal(length, 1, 2)  # (sentences, count - length + 1)
        if length > 1:
            joined = left[:, : count - length + 1, 1:length] + right[:, length:, 1:length].flip(2)
            best = best + joined.amax(2)
        left[:, : count - length + 1, length] = best
        right[:, length:, length] = best
    return left[:, 0].gather(1, lengths[:, None])[:, 0]


def tag_loss(scores: Tensor, batch: Batch) -> Tensor:
    """(words, tags) -> the mean"""
    return functional.cross_entropy(scores, batch.tags)
