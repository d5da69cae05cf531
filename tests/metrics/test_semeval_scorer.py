"""The SemEval scorer's definitions by hand; its published score files are in test_published.py."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.errors import InputError
from anselm.metrics.measures import evaluate_lists
from anselm.metrics.semeval_scorer import semeval_scores

# Ranked by score: true false true | false true
TWO = [
    ([True, True, False], [3.0, 1.0, 2.0], [True, False, True]),
    ([True, False], [1.0, 2.0], [False, False]),
]


def test_two_questions_by_hand():
    scores = semeval_scores(TWO)
    assert scores.map == pytest.approx(((1 + 2 / 3) / 2 + 1 / 2) / 2)
    assert scores.mrr == pytest.approx(100 * (1 + 1 / 2) / 2)
    assert scores.ac2 == (1, 2, *[3] * 8)
    assert scores.ac1 == pytest.approx((1 / 2, 2 / 3, *[1] * 8))
    assert scores.average_recall == pytest.approx((1 / 2 + 2 / 3 + 8) / 10)
    assert scores.rec1 == (50, *[100] * 9)
    assert scores.acc == pytest.approx([100 * found / (k * 2) for k, found in enumerate(scores.ac2, start=1)])
    # 1 of 2 said true is true; 1 of 3 true was said; right: the first of list one, the second of list two
    assert (scores.precision, scores.recall, scores.accuracy) == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    assert scores.f1 == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))


def test_only_ten_candidates_count():
    gold = [True] + [False] * 10 + [True]  # the second relevant one at rank 12
    scores = semeval_scores([(gold, range(12, 0, -1), gold)])
    assert scores.map == 1.0  # divided by the one found, not by two
    assert evaluate_lists([(gold, range(12, 0, -1))], ["map"])["map"] == pytest.approx((1 + 2 / 12) / 2)
    assert scores.ac1[-1] == 1 / 2
    late = semeval_scores([(gold[1:], range(11, 0, -1), gold[1:])])  # the only one at rank 11
    assert (late.map, late.mrr, late.ac2[-1]) == (0, 0, 0)


def test_ties_keep_the_source_order():
    assert semeval_scores([([True, False], [0, 0], [True, False])]).mrr == 100
    assert semeval_scores([([False, True], [0, 0], [True, False])]).mrr == 50


def test_nothing_relevant_and_nothing_predicted_is_zero():
    scores = semeval_scores([([False, False], [1, 2], [False, False])])
    assert scores.accuracy == 1.0
    others = dataclasses.replace(scores, accuracy=0.0)
    assert np.all(np.concatenate([np.ravel(value) for value in dataclasses.astuple(others)]) == 0)


def lists_of(size: int) -> st.SearchStrategy[list[list[tuple[bool, int]]]]:
    return st.lists(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=size), min_size=1)


@given(lists_of(size=13))
def test_every_number_agrees_with_plain_loops(questions):
    orders = [[gold for gold, _ in sorted(row, key=lambda pair: -pair[1])] for row in questions]
    found = [[sum(order[:k]) for k in range(1, 11)] for order in orders]
    possible = [[min(k, sum(order)) for k in range(1, 11)] for order in orders]
    precisions = [[sum(order[:i]) / i for i in range(1, 11) if order[i - 1 : i] == [True]] for order in orders]
    first = [(order[:10].index(True) + 1) if True in order[:10] else np.inf for order in orders]
    ac1 = [sum(row[k] for row in found) / (sum(row[k] for row in possible) or 1) for k in range(10)]
    scores = semeval_scores([([g for g, _ in row], [s for _, s in row], [False] * len(row)) for row in questions])
    assert scores.map == pytest.approx(np.mean([sum(row) / (len(row) or 1) for row in precisions]))
    assert scores.mrr == pytest.approx(100 * np.mean([1 / rank for rank in first]))
    assert scores.ac2 == tuple(sum(row[k] for row in found) for k in range(10))
    assert scores.ac1 == pytest.approx(ac1)
    assert scores.average_recall == pytest.approx(np.mean(ac1))
    assert scores.rec1 == pytest.approx([100 * np.mean([rank <= k for rank in first]) for k in range(1, 11)])


@given(lists_of(size=10))
def test_lists_of_ten_have_our_map_and_mrr(questions):
    lists = [([gold for gold, _ in row], [score for _, score in row]) for row in questions]
    scores = semeval_scores([(gold, values, gold) for gold, values in lists])
    ours = evaluate_lists(lists, ["map", "mrr"], ties="source")
    assert scores.map == pytest.approx(ours["map"].mean())
    assert scores.mrr == pytest.approx(100 * ours["mrr"].mean())


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ([], "no candidate to score in 0 lists"),
        ([([], [], [])], "no candidate to score in 1 lists"),
        ([([True], [1.0], [True, False])], "list 0: 1 gold labels, 2 predictions"),
        ([TWO[0], ([True], [1.0, 2.0], [True])], "list 1: a list needs one score per label; 2 scores, 1 labels"),
        ([TWO[0], ([True], [np.nan], [True])], "list 1: score 0 of 1 is NaN"),
    ],
)
def test_what_does_not_fit_is_named(questions, message):
    with pytest.raises(InputError, match=message):
        semeval_scores(questions)
