"""Softened labels against the loss that they stand for, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anselm.data.question import Candidate, Question
from tools.default_model.softening import soften


def ask(*labels: float | None) -> Question:
    return Question("q", "Why?", tuple(Candidate(str(n), f"text {n}", label) for n, label in enumerate(labels)))


def test_labels_and_teacher_are_mixed() -> None:
    [found] = soften([ask(1, 0, 1, None)], [np.array([0.0, math.log(2), 0.0, -math.inf])], 0.6)
    assert found.labels == pytest.approx((0.4 / 2 + 0.6 / 4, 0.6 / 2, 0.4 / 2 + 0.6 / 4, 0.0))
    assert [candidate.text for candidate in found.candidates] == ["text 0", "text 1", "text 2", "text 3"]


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_they_sum_to_one_and_scores_may_be_of_any_size(share: float) -> None:
    given = np.array([700.0, 710.0, -900.0])
    [found] = soften([ask(2, 0, 1)], [given], share)
    assert sum(found.labels) == pytest.approx(1)
    [moved] = soften([ask(2, 0, 1)], [given + 50], share)
    assert moved.labels == pytest.approx(found.labels)


def test_a_list_without_a_relevant_candidate_is_left_alone() -> None:
    unanswered, empty = ask(0, 0), ask()
    assert list(soften([unanswered, empty], [np.zeros(2), np.zeros(0)], 0.5)) == [unanswered, empty]


def test_a_listwise_loss_takes_them_for_the_mixture_of_both_losses() -> None:
    torch = pytest.importorskip("torch")
    from anselm.layers.layout import Layout
    from anselm.train.losses import listwise

    rng = np.random.default_rng(1)
    question, given, scores = ask(1, 0, 0), rng.normal(size=3), torch.tensor(rng.normal(size=3))
    layout = Layout.of(np.array([3]), torch.device("cpu"))
    [softened] = soften([question], [given], 0.7)
    total, _ = listwise(scores, torch.tensor(softened.labels, dtype=torch.float64), layout)
    logs = [score - math.log(sum(math.exp(other) for other in scores.tolist())) for score in scores.tolist()]
    whole = sum(math.exp(other) for other in given)
    expected = -0.3 * logs[0] - 0.7 * sum(math.exp(g) / whole * log for g, log in zip(given, logs, strict=True))
    assert total.item() == pytest.approx(expected)
