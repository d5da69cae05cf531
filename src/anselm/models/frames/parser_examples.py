"""Trees as a span parser learns them: the label of every span, the tag of every word, and batches of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from anselm.annotations.piece_rows import Ints, Row, make_row
from anselm.annotations.span_heads import NONE, Inventory
from anselm.annotations.span_parser import unknown_piece
from anselm.annotations.spans import Span, labelled_spans
from anselm.annotations.trees import Tree
from anselm.encoding.tokenizer import PairTokenizer


def take_inventory(trees: Sequence[Tree]) -> Inventory:
    """The labels and tags of the training trees."""
    labels = {label for tree in trees for label in labelled_spans(tree).values()}
    tags = {leaf.label for tree in trees for leaf in tree.leaves()}
    return Inventory((NONE, *sorted(labels)), tuple(sorted(tags)))


@dataclass(frozen=True)
class Example:
    """A sentence with what is right of it."""

    tree: Tree
    row: Row
    spans: dict[Span, int]
    tags: tuple[int, ...]
    states: Tensor | None = None  # (pieces, layers, inner), where the encoder stays as it is

    @property
    def words(self) -> int:
        return len(self.row.first)

    @cached_property
    def all_spans(self) -> tuple[Ints, Ints, Ints]:
        """Start, end and label of every span, most of which are nothing: made once, read in every epoch."""
        starts, ends = np.triu_indices(self.words + 1, k=1)
        labels = np.zeros((self.words + 1, self.words + 1), dtype=np.int64)
        for span, label in self.spans.items():
            labels[span] = label
        return starts, ends, labels[starts, ends]


def make_examples(trees: Sequence[Tree], inventory: Inventory, tokenizer: PairTokenizer) -> list[Example]:
    """A label or tag that training has not seen counts as the first one: it cannot be learned."""
    labels = {label: place for place, label in enumerate(inventory.labels)}
    tags = {tag: place for place, tag in enumerate(inventory.tags)}
    unknown = unknown_piece(tokenizer)
    return [
        Example(
            tree,
            make_row(tree.words(), tokenizer, unknown),
            {span: labels.get(label, 0) for span, label in labelled_spans(tree).items()},
            tuple(tags.get(leaf.label, 0) for leaf in tree.leaves()),
        )
        for tree in trees
    ]


@dataclass(frozen=True)
class Batch:
    """Sentences side by side. Places of pieces are among those of all sentences, padding included."""

    ids: Tensor  # (sentences, pieces)
    mask: Tensor
    shapes: Tensor
    before: Tensor  # (fences,) the piece before each fence
    behind: Tensor  # (fences,) the piece behind it
    starts: Tensor  # (spans,) fences
    ends: Tensor
    labels: Tensor  # (spans,)
    cells: Tensor  # (spans,) their places in the charts of all sentences, (sentences, longest + 1, longest + 1)
    lengths: Tensor  # (sentences,) words
    first: Tensor  # (words,) pieces
    last: Tensor
    tags: Tensor  # (words,)
    states: Tensor | None  # (sentences, pieces, layers, inner)

    def to(self, device: str) -> Batch:
        moved = {name: None if value is None else value.to(device) for name, value in vars(self).items()}
        return Batch(**moved)  # type: ignore[arg-type]


def collate(examples: Sequence[Example]) -> Batch:
    longest = max(len(example.row.ids) for example in examples)
    size = max(example.words for example in examples) + 1  # of a chart
    parts, fences = [], 0
    for place, example in enumerate(examples):
        parts.append(_places(example, place * longest, fences, place * size * size, size))
        fences += example.words + 1
    joined = {name: torch.from_numpy(np.concatenate([part[name] for part in parts])) for name in parts[0]}
    rows = [example.row for example in examples]
    padded = {
        "ids": [torch.from_numpy(row.ids) for row in rows],
        "mask": [torch.ones(len(row.ids), dtype=torch.int64) for row in rows],
        "shapes": [torch.from_numpy(row.shapes) for row in rows],
    }
    kept = [example.states for example in examples if example.states is not None]
    return Batch(
        **{name: pad_sequence(values, batch_first=True) for name, values in padded.items()},
        **joined,
        states=pad_sequence(kept, batch_first=True).float() if kept else None,
    )


def _places(example: Example, shift: int, fences: int, cells: int, size: int) -> dict[str, Any]:
    """What a batch has of one sentence, whose first piece, fence and cell of a chart of that size are these."""
    first, last = example.row.first + shift, example.row.last + shift
    starts, ends, labels = example.all_spans
    return {
        "before": np.append(first[0] - 1, last),
        "behind": np.append(first, last[-1] + 1),
        "starts": starts + fences,
        "ends": ends + fences,
        "labels": labels,
        "cells": cells + starts * size + ends,
        "lengths": np.array([example.words], dtype=np.int64),
        "first": first,
        "last": last,
        "tags": np.array(example.tags, dtype=np.int64),
    }


def batches(examples: Sequence[Example], words: int, random: np.random.Generator | None = None) -> Iterator[list[int]]:
    """Places of examples of about one length, so that little is padded; in random order where there is a generator."""
    noise = random.normal(0, 2, len(examples)) if random else np.zeros(len(examples))
    found: list[list[int]] = [[]]
    for place in np.argsort(np.array([example.words for example in examples]) + noise, kind="stable"):
        if found[-1] and (len(found[-1]) + 1) * (examples[place].words + 3) > words:
            found.append([])
        found[-1].append(int(place))
    if random:
        random.shuffle(found)
    yield from found
