"""What is said about probabilities agrees with what each part says by itself."""

from __future__ import annotations

import numpy as np
import pytest

from anselm.evaluation.calibration import Calibration, Platt, log_loss, reliability
from anselm.evaluation.trust import measure_trust
from tests.evaluation.naive import triggering


def test_pairs_and_questions() -> None:
    rng = np.random.default_rng(0)
    scores = [rng.normal(size=size) for size in (3, 1, 5, 2)]
    labels = [(rng.random(len(row)) < 0.4).astype(float) for row in scores]
    calibration = Calibration(Platt(2.0, -1.0), 0.4)
    found = measure_trust(labels, scores, calibration)
    probabilities = 1 / (1 + np.exp(1.0 - 2.0 * np.concatenate(scores)))
    assert found.ece == pytest.approx(reliability(probabilities, np.concatenate(labels)).error)
    assert found.log_loss == pytest.approx(log_loss(probabilities, np.concatenate(labels)))
    at = np.log(0.4 / 0.6) / 2 + 0.5  # the score whose probability is the threshold
    expected = triggering(zip(labels, scores, strict=True), at)
    assert (found.triggering.answered, found.triggering.right) == (expected.answered, expected.right)
    assert found.to_dict() == {
        "ece": found.ece, "log_loss": found.log_loss, "threshold": 0.4, "share_answered": expected.answered / 4,
        "precision": expected.precision, "recall": expected.recall, "f1": expected.f1,
    }  # fmt: skip
