"""How far a model's probabilities can be trusted on labelled lists: pair by pair, and question by question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anselm.data.question import Question
from anselm.metrics.calibration import Calibration, Verdict
from anselm.metrics.misjudgements import Misjudgements, count_misjudgements
from anselm.metrics.reliability import Reliability, log_loss, reliability
from anselm.metrics.ties import FloatArray
from anselm.metrics.triggering import Tradeoff, Triggering, tradeoff

TRIGGERING = ("threshold", "share_answered", "precision", "recall", "f1")


@dataclass(frozen=True)
class Trust:
    """`reliability` and `log_loss` are about pairs, the others about questions: all thresholds, and the model's own.

    `misjudged` counts at that one how often it was wrong about whether there is an answer; `verdicts` are of each list.
    """

    reliability: Reliability
    log_loss: float
    tradeoff: Tradeoff
    triggering: Triggering
    misjudged: Misjudgements
    verdicts: tuple[Verdict, ...] = field(repr=False)

    @property
    def ece(self) -> float:
        return self.reliability.error

    @property
    def numbers(self) -> dict[str, float]:
        """Those that stand beside each other in a row."""
        return {"ece": self.ece, "log_loss": self.log_loss} | numbers(self.triggering)

    @property
    def right_first(self) -> int:
        """How many of the questions that have an answer have one first; of equal scores the wrong one is first."""
        return int(self.tradeoff.right[-1])

    @property
    def counts(self) -> dict[str, float | None]:
        """What was misjudged, and beside it what stood first."""
        all = self.misjudged.answerable
        first = {"right_first": self.right_first, "share_right_first": self.right_first / all if all else None}
        return self.misjudged.to_dict() | first

    def to_dict(self) -> dict[str, Any]:
        return {**self.numbers, "misjudged": self.counts}


def numbers(row: Triggering) -> dict[str, float]:
    return {name: getattr(row, name) for name in TRIGGERING}


def measure_trust(questions: Sequence[Question], scores: Sequence[FloatArray], calibration: Calibration) -> Trust:
    """What a calibration says of labelled lists, held to the labels."""
    labels = [np.array(question.labels) for question in questions]
    verdicts = [calibration.judge(question, row) for question, row in zip(questions, scores, strict=True)]
    pairs, relevant = np.concatenate([verdict.probabilities for verdict in verdicts]), np.concatenate(labels)
    curve = tradeoff(zip(labels, scores, strict=True), [verdict.answerability for verdict in verdicts])
    wrong = count_misjudgements([np.any(row > 0) for row in labels], [verdict.answerable for verdict in verdicts])
    held, loss, chosen = reliability(pairs, relevant), log_loss(pairs, relevant), curve.at(calibration.threshold)
    return Trust(held, loss, curve, chosen, wrong, tuple(verdicts))
