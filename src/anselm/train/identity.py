"""What makes two runs one and the same: a state is not resumed with other data, another model or other choices."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from torch import Tensor

from anselm.encoding.lists import CONTEXTS, Lists
from anselm.train.hyperparameters import WITHOUT_EFFECT, Training


def identity(
    training: Training, lists: Lists, weights: Mapping[str, Tensor], processes: int, about: Mapping[str, Any]
) -> dict[str, Any]:
    """As JSON gives it back."""
    choices = {name: value for name, value in asdict(training).items() if name not in WITHOUT_EFFECT}
    record = {
        "training": choices,
        "about": about,
        "data": describe_data(lists),
        "weights": describe_weights(weights),
        "processes": processes,
    }
    return dict(json.loads(json.dumps(record, default=str)))


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    """learning_rate is 0.1 there and 0.2 here"""
    for name in [*there, *(name for name in here if name not in there)]:
        old, new = there.get(name), here.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new)
        elif old != new:
            yield f"{name} is {old!r} there and {new!r} here"


def describe_data(lists: Lists) -> str:
    """By its tokens; what a model adds to them follows from its settings."""
    digest = hashlib.sha256()
    texts, contexts = lists.texts, lists.pairs.get(CONTEXTS, np.empty(0, dtype=np.int64))
    for array in (
        texts.ids, texts.starts, texts.lengths,
        lists.questions, lists.candidates, contexts, lists.labels, lists.bounds,
    ):  # fmt: skip
        digest.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return f"{len(lists):,} lists, {len(lists.labels):,} candidates, sha256 {digest.hexdigest()[:16]}"


def describe_weights(weights: Mapping[str, Tensor]) -> str:
    shapes = json.dumps({name: list(tensor.shape) for name, tensor in weights.items()})
    numbers = sum(tensor.numel() for tensor in weights.values())
    return f"{len(weights)} tensors, {numbers:,} numbers, sha256 {hashlib.sha256(shapes.encode()).hexdigest()[:16]}"
