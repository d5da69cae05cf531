"""Metrics by hand and against trec_eval (through ir-measures)."""

from __future__ import annotations

import warnings
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anselm.errors import InputError, UnknownNameError
from anselm.metrics.measures import (
    DEFAULT_METRICS,
    average_precision,
    evaluate_lists,
    ndcg_at,
    parse_metric,
    precision_at,
    recall_at,
    reciprocal_rank,
    success_at,
    summarise,
    worst_per_group,
)

with warnings.catch_warnings():  # its own imports warn on some versions
    warnings.simplefilter("ignore")
    import ir_measures

RANKED = [0, 1, 0, 2, 0, 1]  # relevant at ranks 2, 4 and 6


def test_average_precision():
    assert average_precision(RANKED) == pytest.approx((1 / 2 + 2 / 4 + 3 / 6) / 3)
    assert average_precision([1, 0, 1]) == pytest.approx((1 + 2 / 3) / 2)


def test_average_precision_at():
    """The relevant candidates beyond k stay in the denominator."""
    assert [average_precision(RANKED, k) for k in (1, 2, 4, 9)] == pytest.approx([0, 0.5 / 3, 1 / 3, 0.5])


def test_what_a_list_lacks_of_the_judged_counts():
    judged = [2, 1, 0, 3, -1, 0]
    assert average_precision([0, 1], judged=judged) == pytest.approx(1 / 2 / 3)
    assert recall_at([0, 1], 5, judged) == pytest.approx(1 / 3)
    assert ndcg_at([0, 1], 2, judged) == pytest.approx((1 / log2(3)) / (3 + 2 / log2(3)))
    assert [function([0, 1], 2, judged) for function in (precision_at, success_at, reciprocal_rank)] == [0.5, 1, 0.5]
    assert {parse_metric(name)([], judged=judged) for name in (*DEFAULT_METRICS, "map@3", "mrr@3")} == {0.0}
    values = evaluate_lists([([0, 1], [2, 1])], ["map"], judged=[judged])
    assert values["map"] == pytest.approx([1 / 6])


def test_reciprocal_rank():
    assert reciprocal_rank(RANKED) == 0.5
    assert reciprocal_rank([1, 1]) == 1.0
    assert [reciprocal_rank(RANKED, k) for k in (1, 2, 9)] == [0, 0.5, 0.5]


def test_precision_at():
    assert [precision_at(RANKED, k) for k in (1, 2, 4, 6)] == [0, 1 / 2, 2 / 4, 3 / 6]
    assert precision_at(RANKED, 10) == 3 / 10  # a short list does not make k smaller


def test_recall_at():
    assert [recall_at(RANKED, k) for k in (1, 2, 4, 10)] == pytest.approx([0, 1 / 3, 2 / 3, 1])


def test_success_at():
    assert [success_at(RANKED, k) for k in (1, 2, 3)] == [0, 1, 1]


def test_ndcg_at():
    gained = 1 / log2(3) + 2 / log2(5)
    ideal = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at(RANKED, 4) == pytest.approx(gained / ideal)
    assert ndcg_at([2, 1, 1, 0], 10) == 1.0
    assert ndcg_at([0, 3], 1) == 0.0
    assert ndcg_at([-2, 1], 2) == pytest.approx(1 / log2(3))  # junk is no worse than irrelevant


@pytest.mark.parametrize("name", ["map", "mrr", "p@1", "p@5", "ndcg@10", "recall@10", "success@1"])
@pytest.mark.parametrize("labels", [[], [0, 0, 0]])
def test_a_question_without_a_relevant_candidate_gets_nothing(name, labels):
    assert parse_metric(name)(labels) == 0.0


@pytest.mark.parametrize("name", ["map", "mrr", "p@2", "ndcg@10", "ndcg@1", "recall@2", "success@1"])
def test_the_best_order_gets_one(name):
    assert parse_metric(name)([3, 1, 0, 0]) == 1.0


def test_any_k_can_be_asked_for():
    assert parse_metric("p@17")([1] * 5) == 5 / 17


@pytest.mark.parametrize(
    "name", ["mapp", "p@0", "p@", "p@-1", "p@x", "p", "ndcg", "map@", "map@0", "p@01", "P@1", "p@1 "]
)
def test_an_unknown_metric_names_the_known_ones(name):
    with pytest.raises(UnknownNameError, match="map, map@k, mrr, mrr@k, ndcg@k, p@k, recall@k, success@k"):
        parse_metric(name)


def test_the_defaults_are_known():
    assert all(parse_metric(name)([1] * 5) == 1.0 for name in DEFAULT_METRICS)


def test_evaluate_lists_keeps_one_value_per_question():
    lists = [([0, 1], [0.3, 0.1]), ([0, 0], [1, 2]), ([1, 0], [5, 4])]
    values = evaluate_lists(lists, ["map", "p@1"])
    assert {name: array.tolist() for name, array in values.items()} == {"map": [0.5, 0, 1], "p@1": [0, 0, 1]}
    assert summarise(values) == {"map": 0.5, "p@1": pytest.approx(1 / 3)}


def test_no_questions_have_no_mean():
    values = evaluate_lists([], ["map", "mrr"])
    assert {name: array.shape for name, array in values.items()} == {"map": (0,), "mrr": (0,)}
    with pytest.raises(InputError, match="no question to average map over"):
        summarise(values)


def test_worst_per_group():
    assert worst_per_group([0.5, 1.0, 0.25, 0.75], ["b", "a", "b", "a"]).tolist() == [0.25, 0.75]
    assert worst_per_group([], []).tolist() == []
    with pytest.raises(InputError, match="2 values, 1 groups"):
        worst_per_group([1, 2], ["a"])


OURS_AND_TREC = {
    "map": ir_measures.AP,
    "mrr": ir_measures.RR,
    "p@1": ir_measures.P @ 1,
    "p@3": ir_measures.P @ 3,
    "p@10": ir_measures.P @ 10,
    "ndcg@2": ir_measures.nDCG @ 2,
    "ndcg@5": ir_measures.nDCG @ 5,
    "ndcg@10": ir_measures.nDCG @ 10,
    "recall@1": ir_measures.R @ 1,
    "recall@5": ir_measures.R @ 5,
    "success@1": ir_measures.Success @ 1,
    "success@3": ir_measures.Success @ 3,
}
# Few distinct scores make ties the rule; the free ones add pairs that are equal only in single precision.
SCORE = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-1e3, 1e3), st.floats(0.5, 0.5 + 1e-7))
CANDIDATE = st.tuples(st.integers(-1, 3), SCORE)
QUESTIONS = st.lists(st.lists(CANDIDATE, min_size=1, max_size=14), min_size=1, max_size=4)


def trec_eval(labels: list[list[int]], scores: list[list[float]]) -> dict[str, list[float]]:
    """The same metrics from trec_eval, whose ids are d0, d1, ... d10: not in numeric order as strings."""
    qrels = {str(q): {f"d{d}": label for d, label in enumerate(row)} for q, row in enumerate(labels)}
    run = {str(q): {f"d{d}": score for d, score in enumerate(row)} for q, row in enumerate(scores)}
    found = {}
    for value in ir_measures.pytrec_eval.iter_calc(list(OURS_AND_TREC.values()), qrels, run):
        found[value.measure, int(value.query_id)] = value.value
    return {name: [found[measure, q] for q in range(len(labels))] for name, measure in OURS_AND_TREC.items()}


@settings(max_examples=150, deadline=None)
@given(QUESTIONS)
def test_trec_ties_give_trec_eval_numbers(questions):
    labels = [[label for label, _ in row] for row in questions]
    scores = [[score for _, score in row] for row in questions]
    ids = [[f"d{d}" for d in range(len(row))] for row in questions]
    ours = evaluate_lists(zip(labels, scores, ids, strict=True), list(OURS_AND_TREC), ties="trec")
    for name, theirs in trec_eval(labels, scores).items():
        assert ours[name] == pytest.approx(theirs, abs=1e-9), name


@settings(max_examples=150, deadline=None)
@given(QUESTIONS)
def test_no_tie_rule_is_below_the_pessimistic_one(questions):
    lists = [
        ([label for label, _ in row], [np.float32(score) for _, score in row], [f"d{d}" for d in range(len(row))])
        for row in questions
    ]
    names = ["map", "mrr", "p@3", "ndcg@5"]
    worst = evaluate_lists(lists, names)
    for ties in ("source", "trec"):
        other = evaluate_lists(lists, names, ties=ties)
        for name in names:
            assert (other[name] >= worst[name] - 1e-12).all()
