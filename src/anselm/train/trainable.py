"""What training asks of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch

from anselm.data.question import Question
from anselm.encoding.lists import Indices, Lists
from anselm.scorer import Scores


class Trainable(Protocol):
    """What the loop asks of a model, which is an nn.Module besides: its forward takes a batch and returns scores.

    A batch has `labels`, one per score, and `layout`, how they form lists; what else is in it is the model's business.
    """

    name: str
    capacity: int | None
    pairwise: bool
    language: str | None
    config: Any  # a dataclass
    usual: Mapping[str, Any]  # how it is trained where nobody says how

    def featurize(self, questions: Sequence[Question]) -> Lists: ...
    def widths(self, lists: Lists) -> Indices: ...  # tokens of the longest pair of each list, as the model reads it
    def room(self, lists: Lists) -> Indices: ...  # tokens of each candidate that are read at once
    def place(self, lists: Lists, device: torch.device) -> Any: ...
    def collate(self, placed: Any, picked: Lists) -> Any: ...
    def score(self, questions: Sequence[Question]) -> list[Scores]: ...
    def save(self, folder: Path) -> None: ...
