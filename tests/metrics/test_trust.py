"""What is said about probabilities agrees with what each part says by itself."""

from __future__ import annotations

import numpy as np
import pytest

from anselm.data.question import Candidate, Question
from anselm.metrics.calibration import Beliefs, Calibration
from anselm.metrics.logistic import Logistic
from anselm.metrics.misjudgements import Misjudgements
from anselm.metrics.reliability import log_loss, reliability
from anselm.metrics.trust import measure_trust
from tests.metrics.naive import triggering


def labelled(labels: np.ndarray) -> Question:
    return Question("q", "Who?", tuple(Candidate(str(i), "text", float(label)) for i, label in enumerate(labels)))


def test_pairs_and_questions() -> None:
    rng = np.random.default_rng(0)
    scores = [rng.normal(size=size) for size in (3, 1, 5, 2)]
    labels = [(rng.random(len(row)) < 0.4).astype(float) for row in scores]
    calibration = Calibration(Beliefs(Logistic(-1.0, {"score": 2.0})), 0.4)
    found = measure_trust([labelled(row) for row in labels], scores, calibration)
    probabilities = 1 / (1 + np.exp(1.0 - 2.0 * np.concatenate(scores)))
    assert found.ece == pytest.approx(reliability(probabilities, np.concatenate(labels)).error)
    assert found.log_loss == pytest.approx(log_loss(probabilities, np.concatenate(labels)))
    at = np.log(0.4 / 0.6) / 2 + 0.5  # the score whose probability is the threshold
    expected = triggering(zip(labels, scores, strict=True), at)
    assert (found.triggering.answered, found.triggering.right) == (expected.answered, expected.right)
    assert found.to_dict() == {
        "ece": found.ece, "log_loss": found.log_loss, "threshold": 0.4, "share_answered": expected.answered / 4,
        "precision": expected.precision, "recall": expected.recall, "f1": expected.f1,
        "misjudged": found.counts,
    }  # fmt: skip


def test_questions_are_answered_by_the_verdict_and_the_candidate_is_chosen_by_its_score() -> None:
    """A margin of 2 or more reaches the threshold, however low the scores are."""
    scores = [np.array(row) for row in ([9.0, 8.5], [0.0, -3.0], [-1.0, 1.0], [5.0, 1.0])]
    labels = [np.array(row) for row in ([1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0])]
    beliefs = Beliefs(Logistic(0.0, {"score": 1.0}), Logistic(-2.0, {"margin": 1.0}))
    whole = measure_trust([labelled(row) for row in labels], scores, Calibration(beliefs, 0.5))
    found = whole.triggering
    assert (found.questions, found.answerable, found.answered, found.right) == (4, 3, 3, 1)
    assert whole.misjudged == Misjudgements(answerable=3, refused=1, unanswerable=1, answered_anyway=1)
    assert whole.counts == whole.misjudged.to_dict() | {"right_first": 2, "share_right_first": 2 / 3}
    assert [verdict.answerable for verdict in whole.verdicts] == [False, True, True, True]
