"""Paired tests against scipy and against naive loops."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from anselm.errors import InputError
from anselm.metrics import significance
from anselm.metrics.significance import (
    bootstrap_difference,
    bootstrap_mean,
    compare,
    holm,
    randomisation_test,
    t_test,
    welch_test,
)

RNG = np.random.default_rng(7)
A, B = RNG.random(40), RNG.random(40) * 0.9


def naive_randomisation(a: list[float], b: list[float]) -> float:
    """Every way of swapping, one after the other, in whole tenths so that sums are exact."""
    differences = [round(10 * (x - y)) for x, y in zip(a, b, strict=True)]
    observed, ways = abs(sum(differences)), list(itertools.product((1, -1), repeat=len(differences)))
    extreme = sum(abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= observed for signs in ways)
    return extreme / len(ways)


TENTHS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=8)


@settings(deadline=None)
@given(TENTHS)
def test_few_questions_give_the_exact_probability(pairs):
    a, b = [x / 10 for x, _ in pairs], [y / 10 for _, y in pairs]
    assert randomisation_test(a, b) == pytest.approx(naive_randomisation(a, b), abs=1e-15)


def test_by_hand():
    # Differences 1, 1, 1: of 8 sign patterns only +++ and --- reach 3.
    assert randomisation_test([1, 1, 1], [0, 0, 0]) == 2 / 8
    # One question differs, so both patterns reach it.
    assert randomisation_test([1, 0.5, 0.5], [0, 0.5, 0.5]) == 1.0


def test_questions_without_a_difference_do_not_hide_an_exact_answer():
    a, b = np.full(500, 0.5), np.full(500, 0.5)
    a[:3] += 0.25  # as three questions: 2^3 swaps instead of 2^500
    assert randomisation_test(a, b) == 2 / 8


def test_all_swaps_are_tried_once_also_in_several_chunks():
    assert randomisation_test(np.ones(17), np.zeros(17), resamples=2**17) == 2 / 2**17


def test_many_questions_are_sampled_and_agree_with_scipy():
    ours = randomisation_test(A, B, resamples=20_000)
    theirs = stats.permutation_test((A - B,), np.mean, permutation_type="samples", n_resamples=20_000, rng=1).pvalue
    assert ours == pytest.approx(theirs, abs=0.015)  # both are estimates with an error of about 0.003
    assert ours != 0


def test_a_sampled_probability_is_never_zero():
    assert randomisation_test(np.ones(30), np.zeros(30), resamples=999) == 1 / 1000


def test_exact_and_sampled_agree():
    a, b = A[:12], B[:12]
    assert randomisation_test(a, b, 2**12) == pytest.approx(randomisation_test(a, b, 2**12 - 1), abs=0.04)


def test_the_seed_decides_the_sample():
    assert randomisation_test(A, B, seed=3) == randomisation_test(A, B, seed=3)
    assert bootstrap_mean(A, seed=3) == bootstrap_mean(A, seed=3)
    assert bootstrap_mean(A, seed=3) != bootstrap_mean(A, seed=4)


@settings(deadline=None)
@given(st.integers(2, 300), st.floats(0, 3), st.integers(0, 1000))
def test_t_test_is_scipys(n, effect, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.normal(size=n) + effect
    expected = stats.ttest_rel(a, b).pvalue
    assert t_test(a, b) == pytest.approx(expected, abs=1e-10)
    assert t_test(a, b) == pytest.approx(expected, rel=1e-8)  # small ones too


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(2, 12), st.floats(0, 3), st.floats(0.01, 10), st.integers(0, 1000))
def test_welchs_test_is_scipys(m, n, effect, wider, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=m), wider * rng.normal(size=n) + effect
    assert welch_test(a, b) == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue, rel=1e-8, abs=1e-12)


def test_welchs_test_without_variance():
    assert welch_test([1, 1], [1, 1, 1]) == 1.0
    assert welch_test([1, 1], [2, 2]) == 0.0
    with pytest.raises(InputError, match="at least 2 values of each, not 3 and 1"):
        welch_test([1, 2, 3], [1])


@pytest.mark.parametrize("freedom", [1, 2, 7, 30, 1_000, 20_000])
@pytest.mark.parametrize("t", [1e-6, 0.1, 0.7, 1.0, 1.96, 3.3, 10.0, 40.0])
def test_students_tail_is_scipys(freedom, t):
    x, y = freedom / (freedom + t * t), t * t / (freedom + t * t)
    ours = significance._incomplete_beta(freedom / 2, 0.5, x, y)
    assert ours == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("loss", [0.5, 0.3, 0.25, 1 / 3, 2 / 3, 0.7, 1.0])
def test_one_of_two_questions_is_lost(loss):
    """There the fraction and its mirror image are equally good, but for the last bit."""
    assert t_test([1.0, 1.0], [1.0, 1.0 - loss]) == pytest.approx(0.5, rel=1e-12)


def test_identical_systems_do_not_differ():
    assert t_test(A, A) == 1.0
    assert randomisation_test(A, A) == 1.0
    assert compare(A, A).interval == (0.0, 0.0)


def test_a_constant_difference_is_certain():
    assert t_test([2, 3, 4], [1, 2, 3]) == 0.0


def test_bootstrap_interval_is_scipys():
    ours = bootstrap_mean(A, resamples=20_000)
    theirs = stats.bootstrap((A,), np.mean, n_resamples=20_000, method="percentile", rng=2).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.005)
    assert bootstrap_mean([0.25] * 9) == (0.25, 0.25)


def test_a_wider_confidence_gives_a_wider_interval():
    (low, high), (lower, higher) = bootstrap_mean(A, confidence=0.9), bootstrap_mean(A, confidence=0.99)
    assert lower < low < A.mean() < high < higher


def test_the_difference_is_drawn_on_the_same_questions():
    # Paired, a shift has no spread at all, however much the questions differ.
    assert bootstrap_difference(A + 0.5, A) == pytest.approx((0.5, 0.5))


def test_comparison():
    found = compare(A, B)
    assert (found.mean_a, found.mean_b, found.n) == (A.mean(), B.mean(), 40)
    assert found.difference == pytest.approx(A.mean() - B.mean())
    assert found.interval == bootstrap_difference(A, B)
    assert found.interval[0] < found.difference < found.interval[1]
    assert found.p_randomisation == randomisation_test(A, B)
    assert found.p_t == pytest.approx(stats.ttest_rel(A, B).pvalue, abs=1e-10)


def test_memory_stays_bounded():
    a, b = RNG.random(20_000), RNG.random(20_000)
    tracemalloc.start()
    compare(a, b, resamples=500)  # at once: 500 x 20,000 numbers, 80 MB each time
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


@pytest.mark.parametrize("test", [compare, t_test, randomisation_test, bootstrap_difference])
def test_unequal_numbers_of_questions_are_named(test):
    with pytest.raises(InputError, match="3 values against 2"):
        test([1, 2, 3], [1, 2])


@pytest.mark.parametrize(
    ("values", "message"), [([], r"shape \(0,\)"), ([1, np.nan], "value 1 of 2 is nan"), ([[1.0]], r"shape \(1, 1\)")]
)
def test_what_is_not_a_value_per_question_is_named(values, message):
    with pytest.raises(InputError, match=message):
        bootstrap_mean(values)


def test_one_question_has_no_t_test():
    with pytest.raises(InputError, match="at least 2 questions, not 1"):
        t_test([1.0], [0.0])


def naive_holm(chances: list[float]) -> list[float]:
    """From the definition, one by one: rejected at level p where all smaller ones are, each at level / (m - k + 1)."""
    ranked = sorted(chances)
    m = len(ranked)
    return [min(1.0, max((m - k) * ranked[k] for k in range(m) if ranked[k] <= p)) for p in chances]


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_holm_is_its_definition(count: int) -> None:
    rng = np.random.default_rng(count)
    chances = (rng.random(count) ** 4).tolist()
    chances[-1] = chances[0]  # a tie
    assert holm(chances) == pytest.approx(naive_holm(chances))


def test_holm_by_hand() -> None:
    """m = 4: 4 x 0.005, 3 x 0.01, 2 x 0.03, and 0.04, which may not be below 0.06."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_holm_rejects_what_stepping_down_rejects() -> None:
    """Holm's own procedure: test the smallest at level / m, the next at level / (m - 1), until one is not rejected."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        chances, level = rng.random(8) ** 3, 0.05
        rejected = np.zeros(8, dtype=bool)
        for left, place in zip(range(8, 0, -1), np.argsort(chances), strict=True):
            if chances[place] > level / left:
                break
            rejected[place] = True
        assert [p <= level for p in holm(chances)] == rejected.tolist()
