"""How probable it must be that a list holds an answer for its question to count as answered.

0.5             this one: an answer is more likely than not, were both equally likely beforehand
best-f1         the threshold with the highest answer-triggering F1
precision=0.9   the lowest whose precision is at least that: it answers as much as it may
recall=0.8      the highest whose recall is at least that: it answers no more than it must
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anselm.errors import InputError
from anselm.metrics.triggering import Tradeoff, Triggering

BEST_F1, PRECISION, RECALL, FIXED = "best-f1", "precision", "recall", "fixed"
SHARES = tuple(tenths / 10 for tenths in range(10, 0, -1))  # of the questions answered: the rows of a small table


@dataclass(frozen=True)
class Rule:
    """How a threshold is set; `value` is the precision, the recall or the threshold itself."""

    kind: str = FIXED
    value: float = 0.5

    def choose(self, curve: Tradeoff) -> Triggering:
        if self.kind == BEST_F1:
            return curve.best()
        if self.kind == FIXED:
            return curve.at(self.value)
        values = curve.precision if self.kind == PRECISION else curve.recall
        enough = np.flatnonzero(values >= self.value)
        if not enough.size:
            best = curve[int(np.argmax(values))]
            most = f"the most is {values.max():.4f}, at a threshold of {best.threshold:.4f}"
            raise InputError(f"no threshold reaches a {self.kind} of {self.value:g} on these lists; {most}")
        return curve[int(enough[-1] if self.kind == PRECISION else enough[0])]


def parse_rule(text: str) -> Rule:
    """As it is typed; see the top of the file."""
    kind, equals, number = text.partition("=")
    if text == BEST_F1:
        return Rule(BEST_F1)
    wrong = f"the threshold {text!r} must be {BEST_F1}, {PRECISION}=P, {RECALL}=R or a number, all from 0 to 1"
    if equals and kind not in (PRECISION, RECALL):
        raise InputError(wrong)
    try:
        value = float(number if equals else text)
    except ValueError:
        raise InputError(wrong) from None
    if not 0 <= value <= 1:
        raise InputError(wrong)
    return Rule(kind if equals else FIXED, value)


def outline(curve: Tradeoff, chosen: Triggering, shares: Sequence[float] = SHARES) -> list[Triggering]:
    """A few rows of the trade-off, lowest threshold first: one for each share of questions answered, and the chosen.

    A share that no threshold meets is rounded down to one that does.
    """
    rows = {chosen.answered: chosen}
    for share in shares:
        place = int(np.sum(curve.answered <= share * curve.questions)) - 1
        if place >= 0:
            row = curve[place]
            rows.setdefault(row.answered, row)
    return sorted(rows.values(), key=lambda row: row.threshold)
