"""Answer triggering by hand and against a naive sweep; the published WikiQA run is in test_published.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.errors import InputError
from anselm.metrics.triggering import Triggering, tradeoff
from tests.metrics.naive import triggering

LISTS = [
    ([0, 1], [0.1, 0.9]),  # right from 0.9 down
    ([1, 0], [0.2, 0.8]),  # answerable, but wrong from 0.8 down
    ([0, 0], [0.7, 0.1]),  # no answer: wrong from 0.7 down
    ([2, 0], [0.6, 0.0]),  # right from 0.6 down
]


@pytest.mark.parametrize(
    ("threshold", "answered", "right", "precision", "recall", "f1"),
    [
        (1.0, 0, 0, 0, 0, 0),
        (0.9, 1, 1, 1, 1 / 3, 2 / 4),  # reaching it is enough
        (0.75, 2, 1, 1 / 2, 1 / 3, 2 / 5),
        (0.0, 4, 2, 2 / 4, 2 / 3, 4 / 7),
    ],
)
def test_by_hand(threshold, answered, right, precision, recall, f1):
    found = tradeoff(LISTS).at(threshold)
    assert found == Triggering(threshold, questions=4, answerable=3, answered=answered, right=right)
    assert (found.precision, found.recall, found.f1) == pytest.approx((precision, recall, f1))


def test_of_two_best_candidates_the_irrelevant_one_is_taken():
    assert tradeoff([([1, 0], [0.5, 0.5])]).at(0.5).right == 0


def test_the_score_chooses_the_candidate_and_its_confidence_whether_it_answers():
    """Four lists of which two are right by score; a confidence that is the same for all hides nothing of that."""
    assert tradeoff(LISTS, [0.5] * 4).at(0.5) == Triggering(0.5, 4, 3, answered=4, right=2)
    turned = [-max(scores) for _, scores in LISTS]
    assert tradeoff(LISTS, turned).at(-0.7) == Triggering(-0.7, 4, 3, answered=2, right=1)
    halved = [max(scores) / 2 for _, scores in LISTS]
    assert tradeoff(LISTS, halved).best() == Triggering(0.3, 4, 3, answered=4, right=2)
    assert tradeoff(LISTS, [0.1, 0.2, 0.3, 0.4]).at(0.4) == Triggering(0.4, 4, 3, answered=1, right=1)


def test_a_list_without_candidates_is_never_answered():
    for confidence in (None, [9.0, 0.0]):
        found = tradeoff([([], []), ([1], [0.0])], confidence).at(-np.inf)
        assert found == Triggering(-np.inf, 2, 1, answered=1, right=1)


def test_nothing_to_answer_scores_nothing():
    empty = Triggering(0.5, 0, 0, answered=0, right=0)
    assert (empty.share_answered, empty.precision, empty.recall, empty.f1) == (0, 0, 0, 0)


def test_best_threshold_by_hand():
    assert tradeoff(LISTS).best() == Triggering(0.6, 4, 3, answered=4, right=2)


def test_of_equally_good_thresholds_the_highest():
    # 1 right of 1 answered, or 2 right of 4 answered, with 2 answerable: F1 = 2/3 both times
    lists = [([1], [4.0]), ([0], [3.0]), ([0], [2.0]), ([1], [1.0])]
    assert tradeoff(lists).at(1.0).f1 == tradeoff(lists).at(4.0).f1
    assert tradeoff(lists).best().threshold == 4.0


def test_questions_with_the_same_best_score_are_answered_together():
    lists = [([1], [1.0]), ([0], [1.0]), ([0], [1.0])]
    assert tradeoff(lists).best() == Triggering(1.0, 3, 1, answered=3, right=1)


@pytest.mark.parametrize("lists", [[], [([], [])]])
def test_no_candidates_no_threshold(lists):
    with pytest.raises(InputError, match="at least one question with candidates"):
        tradeoff(lists)


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), max_size=4), min_size=1, max_size=12).filter(
        any
    )
)
def test_the_sweep_finds_what_trying_every_threshold_finds(questions):
    lists = [([label for label, _ in row], [score for _, score in row]) for row in questions]
    tried = [triggering(lists, max(scores)) for _, scores in lists if scores]
    assert tradeoff(lists).best() == max(tried, key=lambda found: (found.f1, found.threshold))
