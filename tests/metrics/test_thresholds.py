"""Choosing a threshold, by hand and against trying them all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.errors import InputError
from anselm.metrics.thresholds import Rule, outline, parse_rule
from anselm.metrics.triggering import Triggering, tradeoff
from tests.metrics.naive import triggering

LISTS = [
    ([0, 1], [0.1, 0.9]),  # right from 0.9 down
    ([1, 0], [0.2, 0.8]),  # answerable, but wrong from 0.8 down
    ([0, 0], [0.7, 0.1]),  # no answer: wrong from 0.7 down
    ([2, 0], [0.6, 0.0]),  # right from 0.6 down
]
QUESTIONS = st.lists(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6).map(lambda sixth: sixth / 6)), max_size=4), max_size=12
).filter(any)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("best-f1", Rule("best-f1")),
        ("precision=0.9", Rule("precision", 0.9)),
        ("recall=1", Rule("recall", 1.0)),
        ("0.35", Rule("fixed", 0.35)),
        ("0", Rule("fixed", 0.0)),
        ("0.5", Rule()),
    ],
)
def test_as_it_is_typed(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize("text", ["", "best", "f1=0.5", "precision", "precision=", "recall=2", "-0.1", "1.5", "nan"])
def test_what_is_no_rule_is_named(text: str) -> None:
    with pytest.raises(InputError, match=f"the threshold '{text}' must be best-f1, precision=P, recall=R or a number"):
        parse_rule(text)


@pytest.mark.parametrize(
    ("rule", "threshold"),
    [
        ("best-f1", 0.6),
        ("precision=1", 0.9),
        ("precision=0.5", 0.6),  # also at 0.8, but here two are right
        ("recall=0.3", 0.9),
        ("recall=0.6", 0.6),
        ("0.75", 0.75),
    ],
)
def test_by_hand(rule: str, threshold: float) -> None:
    assert parse_rule(rule).choose(tradeoff(LISTS)) == triggering(LISTS, threshold)


def test_what_cannot_be_reached_is_said() -> None:
    lists = [([0], [0.9]), ([1], [0.5]), ([0], [0.4])]
    with pytest.raises(
        InputError, match=r"no threshold reaches a precision of 0\.9 .* the most is 0\.5000, at .* 0\.5000"
    ):
        parse_rule("precision=0.9").choose(tradeoff(lists))


@given(QUESTIONS, st.sampled_from([0.25, 0.5, 1.0]), st.sampled_from(["precision", "recall"]))
def test_the_rule_finds_what_trying_every_threshold_finds(questions, value, kind):
    lists = [([label for label, _ in row], [score for _, score in row]) for row in questions]
    tried = {threshold: triggering(lists, threshold) for _, scores in lists if scores for threshold in [max(scores)]}
    good = [threshold for threshold, found in tried.items() if getattr(found, kind) >= value]
    if not good:
        with pytest.raises(InputError):
            Rule(kind, value).choose(tradeoff(lists))
    else:
        expected = min(good) if kind == "precision" else max(good)
        assert Rule(kind, value).choose(tradeoff(lists)) == tried[expected]


@given(QUESTIONS)
def test_the_tradeoff_is_what_every_threshold_gives(questions):
    lists = [([label for label, _ in row], [score for _, score in row]) for row in questions]
    curve = tradeoff(lists)
    tops = sorted({max(scores) for _, scores in lists if scores}, reverse=True)
    assert [curve[place] for place in range(len(curve))] == [triggering(lists, threshold) for threshold in tops]
    for name in ("precision", "recall", "f1"):
        assert getattr(curve, name).tolist() == [getattr(curve[place], name) for place in range(len(curve))]
    for threshold in (-1.0, 0.0, 0.1, 0.5, 2.0):
        assert curve.at(threshold) == triggering(lists, threshold)


def test_the_outline_has_a_row_for_each_share_and_the_chosen_one() -> None:
    lists = [([1], [place / 100]) for place in range(100)]
    curve = tradeoff(lists)
    rows = outline(curve, curve.at(0.155), shares=(1.0, 0.5, 0.1))
    assert [row.answered for row in rows] == [100, 84, 50, 10]
    assert [row.threshold for row in rows] == [0.0, 0.155, 0.5, 0.9]
    assert rows[1] == Triggering(0.155, 100, 100, answered=84, right=84)


def test_shares_that_no_threshold_meets_are_rounded_down_and_said_once() -> None:
    lists = [([1], [0.9]), ([1], [0.9]), ([1], [0.1])]
    curve = tradeoff(lists)
    assert [row.answered for row in outline(curve, curve.best())] == [3, 2]
