"""What a span parser computes behind its encoder, in numpy: scores of spans and tags, and the best tree.

f_i = [first half of h before fence i; second half of h behind it]       fence i is between words i-1 and i
s(i, j, label) = W2 relu(norm(W1 f_j - W1 f_i))
tag of a word = the best of V2 relu(V1 [h at its first piece; h at its last piece])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from anselm.annotations.chart import best_spans
from anselm.annotations.piece_rows import Row
from anselm.annotations.spans import build_tree
from anselm.annotations.trees import Tree

Floats = NDArray[np.float32]
NONE = ""  # the first label: of a span that is no constituent
EPSILON = 1e-5
AT_ONCE = 8_192  # spans; a long sentence has a hundred thousand


@dataclass(frozen=True)
class Inventory:
    """What a parser can say."""

    labels: tuple[str, ...]  # the first is NONE
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Heads:
    """Weights, as torch keeps them: (outputs, inputs)."""

    fence: Floats
    norm: Floats
    norm_bias: Floats
    label: Floats
    label_bias: Floats
    tag_hidden: Floats
    tag_hidden_bias: Floats
    tag: Floats
    tag_bias: Floats

    def fits(self, width: int, inventory: Inventory) -> bool:
        """Whether the shapes are those of a parser of that width and those labels."""
        hidden = self.fence.shape[0]
        wanted = [
            (hidden, width), (hidden,), (hidden,), (len(inventory.labels), hidden), (len(inventory.labels),),
            (hidden, 2 * width), (hidden,), (len(inventory.tags), hidden), (len(inventory.tags),),
        ]  # fmt: skip
        return [getattr(self, one.name).shape for one in fields(self)] == wanted

    def parse(self, h: Floats, row: Row, words: Sequence[str], inventory: Inventory) -> Tree:
        """The best tree over the words of a sentence with these states: (pieces, width)."""
        gain, label = self.best_labels(h, row)
        found = {span: inventory.labels[label[span]] for span in best_spans(np.maximum(gain, 0))}
        tags = [inventory.tags[tag] for tag in self.best_tags(h, row)]
        return build_tree(words, tags, found)

    def best_labels(self, h: Floats, row: Row) -> tuple[Floats, NDArray[np.int64]]:
        """How much better than none the best label of each span is, and which: (words + 1, words + 1)."""
        half, count = h.shape[1] // 2, len(row.first)
        before, behind = np.append(row.first[0] - 1, row.last), np.append(row.first, row.last[-1] + 1)
        fences = np.concatenate([h[before, :half], h[behind, half:]], axis=1) @ self.fence.T
        gain = np.zeros((count + 1, count + 1), dtype=np.float32)
        label = np.zeros((count + 1, count + 1), dtype=np.int64)
        starts, ends = np.triu_indices(count + 1, k=1)
        for some in np.array_split(np.arange(len(starts)), 1 + len(starts) // AT_ONCE):
            start, end = starts[some], ends[some]
            scores = self._label_scores(fences[end] - fences[start])
            label[start, end] = scores[:, 1:].argmax(axis=1) + 1
            gain[start, end] = scores[:, 1:].max(axis=1) - scores[:, 0]
        whole = label[0, count]  # is always something
        label[gain <= 0] = 0
        label[0, count] = whole
        return gain, label

    def _label_scores(self, spans: Floats) -> Floats:
        """(spans, hidden) -> (spans, labels)"""
        centred = spans - spans.mean(axis=1, keepdims=True)
        normal = centred / np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + EPSILON)
        found: Floats = np.maximum(normal * self.norm + self.norm_bias, 0) @ self.label.T + self.label_bias
        return found

    def best_tags(self, h: Floats, row: Row) -> NDArray[np.int64]:
        both = np.concatenate([h[row.first], h[row.last]], axis=1)
        hidden = np.maximum(both @ self.tag_hidden.T + self.tag_hidden_bias, 0)
        found: NDArray[np.int64] = (hidden @ self.tag.T + self.tag_bias).argmax(axis=1)
        return found
