"""The columns that a featurizer added to lists (encoding/lists.py), for one batch.

Numbers become tensors on the device. What is no number, such as a tree, stays an array of objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from anselm.encoding.lists import CANDIDATES, CONTEXTS, LABELS, Indices, Lists

Column = Tensor | NDArray[Any]


@dataclass(frozen=True)
class BatchColumns:
    questions: Mapping[str, Any] = field(default_factory=dict)  # of each question's text, (lists, ...)
    candidates: Mapping[str, Any] = field(default_factory=dict)  # of each candidate's text, (pairs, ...)
    pairs: Mapping[str, Any] = field(default_factory=dict)  # (pairs, ...); positions are always there


def place_columns(lists: Lists, device: torch.device) -> dict[str, Column]:
    """Those of the texts."""
    return {name: move(column, device) for name, column in lists.texts.columns.items()}


def collate_columns(texts: Mapping[str, Column], picked: Lists, device: torch.device) -> BatchColumns:
    def of(numbers: Indices) -> dict[str, Column]:
        return {
            name: column[move(numbers, device) if isinstance(column, Tensor) else numbers]
            for name, column in texts.items()
        }

    own = {name: column for name, column in picked.pairs.items() if name not in (CANDIDATES, LABELS, CONTEXTS)}
    pairs = {name: move(column, device) for name, column in own.items()}
    return BatchColumns(of(picked.questions), of(picked.candidates), pairs)


def move(column: NDArray[Any], device: torch.device) -> Column:
    if column.dtype.kind not in "biuf":
        return column
    return torch.from_numpy(np.ascontiguousarray(column)).to(device, non_blocking=True)
