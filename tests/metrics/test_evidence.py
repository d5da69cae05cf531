"""What a list's scores say about it, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anselm.metrics.evidence import (
    OF_CANDIDATE,
    OF_KINDS,
    OF_LIST,
    candidate_evidence,
    kinds_evidence,
    list_evidence,
    stack,
)
from anselm.metrics.logistic import Evidence


def only(evidence: Evidence) -> dict[str, float]:
    """The numbers of one list."""
    return {name: float(value) for name, [value] in evidence.items()}


def test_of_a_candidate() -> None:
    """The others of the first: 4, -2 and the background of -1, so 1/3 on the average."""
    found = candidate_evidence([1.0, 4.0, -2.0], "When do you open?", background=-1.0)
    assert found["score"].tolist() == [1.0, 4.0, -2.0]
    assert found["below_best"].tolist() == [-3.0, 0.0, -6.0]
    assert found["lift"] == pytest.approx([1 - 1 / 3, 4 + 2 / 3, -2 - 4 / 3])
    assert found["candidates"] == pytest.approx([math.log(3)] * 3)
    assert found["question_words"] == pytest.approx([math.log(5)] * 3)
    assert tuple(found) == OF_CANDIDATE


def test_of_a_candidate_by_itself() -> None:
    found = candidate_evidence([4.0], "Who?", background=-1.0)
    assert [found[name].tolist() for name in ("score", "below_best", "lift", "candidates")] == [
        [4.0],
        [0.0],
        [5.0],
        [0.0],
    ]
    assert all(not values.size for values in candidate_evidence([], "Who?").values())


def test_the_best_one_s_lift_is_that_of_its_list() -> None:
    scores = np.random.default_rng(1).normal(size=9)
    lifts = candidate_evidence(scores, "Who?", 0.7)["lift"]
    assert lifts[scores.argmax()] == pytest.approx(only(list_evidence(scores, "Who?", 0.7))["lift"])
    assert lifts.argsort().tolist() == scores.argsort().tolist()


def test_of_a_list() -> None:
    """The rest: 1, -2 and one at the background of -1, so -2 / 3 on the average."""
    found = only(list_evidence([1.0, 4.0, -2.0], "Who?", background=-1.0))
    assert found == pytest.approx(
        {"best": 4.0, "lift": 4 + 2 / 3, "margin": 3.0, "topic": 1 / 3, "candidates": math.log(3),
         "question_words": math.log(2)}
    )  # fmt: skip
    assert tuple(found) == OF_LIST


def test_below_the_background_there_is_no_topic() -> None:
    assert only(list_evidence([4.0, -3.0, -9.0], "Who?", background=-1.0))["topic"] == 0.0


def test_of_one_candidate_the_rest_is_the_background() -> None:
    found = only(list_evidence([4.0], "Who?", background=-1.0))
    assert (found["lift"], found["margin"], found["topic"], found["candidates"]) == (5.0, 5.0, 0.0, 0.0)


def test_of_two_candidates() -> None:
    found = only(list_evidence([2.0, 4.0], "Who?", background=-1.0))
    assert (found["lift"], found["margin"]) == (4 - (2 - 1) / 2, 2.0)
    assert found["candidates"] == math.log(2)


@pytest.mark.parametrize("scores", [[-np.inf, 4.0, 1.0], [4.0, 1.0, -np.inf, -np.inf]])
def test_an_empty_candidate_is_no_evidence(scores: list[float]) -> None:
    assert only(list_evidence(scores, "Who?", 0.5)) == only(list_evidence([4.0, 1.0], "Who?", 0.5))


def test_the_order_of_candidates_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=12)
    for _ in range(5):
        assert only(list_evidence(rng.permutation(scores), "Who?", 0.0)) == pytest.approx(
            only(list_evidence(scores, "Who?", 0.0))
        )


def test_moving_scores_and_background_moves_the_best_alone() -> None:
    here, there = (only(list_evidence(np.array([3.0, 1.0, 0.5]) + by, "Who?", -1.0 + by)) for by in (0.0, 7.0))
    assert there.pop("best") == here.pop("best") + 7.0
    assert there == pytest.approx(here)


def test_several_are_stacked() -> None:
    found = stack([candidate_evidence([1.0, 2.0], "a b"), candidate_evidence([5.0], "a")])
    assert found["below_best"].tolist() == [-1.0, 0.0, 0.0]
    assert found["question_words"] == pytest.approx([math.log(3)] * 2 + [math.log(2)])


def test_of_two_kinds() -> None:
    assert only(kinds_evidence([0.2, 0.75])) == pytest.approx({"higher": math.log(3), "lower": -math.log(4)})
    assert only(kinds_evidence([1.0, 0.0])) == pytest.approx({"higher": math.log(999), "lower": -math.log(999)})
    assert tuple(kinds_evidence([0.5, 0.5])) == OF_KINDS
