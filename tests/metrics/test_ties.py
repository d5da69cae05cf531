"""Three tie rules, by hand; trec_eval's own order is compared in test_metrics.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.errors import InputError, UnknownNameError
from anselm.metrics.measures import average_precision
from anselm.metrics.ties import rank, rank_lists

SCORES = [1.0, 2.0, 2.0, 2.0, 3.0]
LABELS = [1, 1, 0, 2, 0]
IDS = ["e", "a10", "a9", "b", "d"]


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("pessimistic", [4, 2, 1, 3, 0]),  # grades 0, 1, 2 of the three in the middle
        ("source", [4, 1, 2, 3, 0]),
        ("trec", [4, 3, 2, 1, 0]),  # b, a9, a10: as strings, descending
    ],
)
def test_each_rule_orders_equals_its_own_way(ties, expected):
    assert rank(SCORES, LABELS, IDS, ties).tolist() == expected


def test_pessimistic_is_the_default():
    assert rank([0.0, 0.0], [1, 0]).tolist() == [1, 0]


@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_a_constant_scorer_gets_the_worst_order(labels):
    ranked = np.array(labels)[rank(np.zeros(len(labels)), labels)]
    worst = sorted(labels)
    assert ranked.tolist() == worst
    assert average_precision(ranked) <= average_precision(labels)


def test_what_the_rule_is_worth_to_a_constant_scorer():
    labels = [1, 0, 0, 0]  # the first sentence of a page often answers
    assert average_precision(np.array(labels)[rank([0] * 4, labels, ties="source")]) == 1.0
    assert average_precision(np.array(labels)[rank([0] * 4, labels, ties="pessimistic")]) == 0.25


def test_trec_compares_scores_in_single_precision():
    close = [0.1, 0.1 + 1e-12]
    assert rank(close, [0, 1], ["b", "a"], "trec").tolist() == [0, 1]  # equal there, so by id
    assert rank(close, [0, 1]).tolist() == [1, 0]
    assert rank([1e300, 1e301], [0, 0], ["b", "a"], "trec").tolist() == [0, 1]  # both infinite there


def test_infinite_scores_have_a_place():
    assert rank([0.0, -np.inf, np.inf], [0, 0, 0]).tolist() == [2, 0, 1]


def test_an_empty_list_has_an_empty_order():
    assert rank([], []).tolist() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, np.nan], [0, 1]), "score 1 of 2 is NaN"),
        (([1.0, 2.0], [np.nan, 1]), "label 0 of 2 is NaN"),
        (([1.0, 2.0, 3.0], [0, 1]), "3 scores, 2 labels"),
        (([[1.0]], [0]), "one dimension, not 2"),
        (([1.0, 2.0], [0, 1], None, "trec"), "2 scores, 0 ids"),
        (([1.0, 2.0], [0, 1], ["a"], "trec"), "2 scores, 1 ids"),
    ],
)
def test_what_cannot_be_ordered_is_named(arguments, message):
    with pytest.raises(InputError, match=message):
        rank(*arguments)


def test_an_unknown_rule_names_the_known_ones():
    with pytest.raises(UnknownNameError, match="'optimistic'; there is pessimistic, source, trec"):
        rank([1.0], [1], ties="optimistic")


def test_an_unknown_rule_is_not_blamed_on_a_list():
    with pytest.raises(UnknownNameError, match=r"^unknown tie rule"):
        list(rank_lists([([1], [1.0])], ties="optimistic"))


def test_lists_come_back_best_first():
    lists = [([0, 1], [0.1, 0.2]), ([2, 0], [1, 1], ["a", "b"])]
    ranked = [(labels.tolist(), scores.tolist()) for labels, scores in rank_lists(lists)]
    assert ranked == [([1, 0], [0.2, 0.1]), ([0, 2], [1, 1])]


def test_an_error_says_which_list():
    with pytest.raises(InputError, match="list 1: score 0 of 1 is NaN"):
        list(rank_lists([([0], [0.0]), ([0], [np.nan])]))
