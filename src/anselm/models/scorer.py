"""What every model is to the rest of the house: something that scores whole lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anselm.data.question import Question

Scores = NDArray[np.float64]


class Scorer(Protocol):
    """One score per candidate, higher is better, each list on its own."""

    name: str
    capacity: int | None  # a list longer than this passes a lexical first pass when documents are asked; None: any
    pairwise: bool  # a score depends on the question and its candidate alone, not on the rest of the list
    language: str | None  # that it reads; None where it was made for none, or nobody knows

    def score(self, questions: Sequence[Question]) -> list[Scores]: ...

    def save(self, folder: Path) -> None:
        """Write what `load` of the model's file needs into a folder that exists."""
        ...
