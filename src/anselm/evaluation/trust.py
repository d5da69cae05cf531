"""How far a model's probabilities can be trusted on labelled lists: pair by pair, and question by question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anselm.evaluation.calibration import Calibration, Reliability, log_loss, reliability
from anselm.evaluation.ties import FloatArray
from anselm.evaluation.triggering import Tradeoff, Triggering, tradeoff

TRIGGERING = ("threshold", "share_answered", "precision", "recall", "f1")


@dataclass(frozen=True)
class Trust:
    """`reliability` and `log_loss` are about pairs; the other two about questions: all thresholds, and the model's."""

    reliability: Reliability
    log_loss: float
    tradeoff: Tradeoff
    triggering: Triggering

    @property
    def ece(self) -> float:
        return self.reliability.error

    def to_dict(self) -> dict[str, Any]:
        return {"ece": self.ece, "log_loss": self.log_loss} | numbers(self.triggering)


def numbers(row: Triggering) -> dict[str, float]:
    return {name: getattr(row, name) for name in TRIGGERING}


def measure_trust(labels: Sequence[FloatArray], scores: Sequence[FloatArray], calibration: Calibration) -> Trust:
    """One array of labels and one of scores per question."""
    probability = calibration.platt.probability
    pairs, relevant = probability(np.concatenate(scores)), np.concatenate(labels)
    curve = tradeoff(zip(labels, scores, strict=True), probability)
    return Trust(reliability(pairs, relevant), log_loss(pairs, relevant), curve, curve.at(calibration.threshold))
