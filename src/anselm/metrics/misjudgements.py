"""The two ways to be wrong about whether a list holds an answer, in the words of docs/verdict.md.

    refused, though answerable = refused questions with a relevant candidate    / questions with one
    answered, though not       = answered questions without a relevant candidate / questions without one

Which candidate stands first does not matter here; answer triggering asks for that, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from anselm.errors import InputError


@dataclass(frozen=True)
class Misjudgements:
    """How many questions had an answer and how many of these were refused; how many had none and got one anyway."""

    answerable: int
    refused: int
    unanswerable: int
    answered_anyway: int

    @property
    def share_refused(self) -> float | None:
        """None where no question had an answer."""
        return self.refused / self.answerable if self.answerable else None

    @property
    def share_answered_anyway(self) -> float | None:
        """None where every question had an answer."""
        return self.answered_anyway / self.unanswerable if self.unanswerable else None

    def to_dict(self) -> dict[str, float | None]:
        shares = {"share_refused": self.share_refused, "share_answered_anyway": self.share_answered_anyway}
        return vars(self) | shares


def count_misjudgements(answerable: ArrayLike, answered: ArrayLike) -> Misjudgements:
    """From a yes or no for each question: whether its list holds an answer, and whether it was given one."""
    held, given = np.asarray(answerable, dtype=bool), np.asarray(answered, dtype=bool)
    if held.shape != given.shape or held.ndim != 1:
        raise InputError(f"one verdict per question; {given.size} verdicts, {held.size} questions")
    counts = (held, held & ~given, ~held, ~held & given)
    return Misjudgements(*(int(np.count_nonzero(one)) for one in counts))
