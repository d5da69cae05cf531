"""Packing: every list once, within the budget, and with little padding."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.encoding.packing import Indices, by_length, in_order, pack

some_lists = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 9)), max_size=40)


def arrays(lists: list[tuple[int, int]]) -> tuple[Indices, Indices]:
    return np.array([row[0] for row in lists], dtype=np.int64), np.array([row[1] for row in lists], dtype=np.int64)


def cost(batch: Indices, lengths: Indices, sizes: Indices) -> int:
    return int(lengths[batch].max() * sizes[batch].sum())


@given(some_lists, st.integers(1, 500), st.integers(1, 8), st.integers(0, 5))
def test_every_list_once_within_budget(lists: list[tuple[int, int]], budget: int, most: int, seed: int) -> None:
    lengths, sizes = arrays(lists)
    batches = pack(lengths, sizes, budget, most, np.random.default_rng(seed))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lists)))
    assert all(0 < len(batch) <= most for batch in batches)
    assert all(len(batch) == 1 or cost(batch, lengths, sizes) <= budget for batch in batches)


@given(some_lists, st.integers(1, 500))
def test_in_order_is_longest_first_within_budget(lists: list[tuple[int, int]], budget: int) -> None:
    lengths, sizes = arrays(lists)
    batches = in_order(lengths, sizes, budget)
    flat = [int(index) for batch in batches for index in batch]
    assert flat == sorted(range(len(lists)), key=lambda index: -lengths[index])
    assert all(len(batch) == 1 or 0 < cost(batch, lengths, sizes) <= budget for batch in batches)
    for batch, following in pairwise(batches):  # a batch ends only where the next list is too much
        assert cost(np.append(batch, following[0]), lengths, sizes) > budget


@pytest.mark.parametrize(("budget", "each"), [(30, 3), (29, 2), (31, 3), (39, 3), (40, 4)])
def test_a_budget_is_used_to_the_last_token(budget: int, each: int) -> None:
    lengths, sizes = np.full(12, 10), np.ones(12, dtype=np.int64)
    assert {len(batch) for batch in pack(lengths, sizes, budget, 99, np.random.default_rng(0))} == {each}
    assert {len(batch) for batch in in_order(lengths, sizes, budget)} == {each}


@pytest.fixture(scope="module")
def corpus() -> tuple[Indices, Indices]:
    rng = np.random.default_rng(3)
    return rng.lognormal(4, 0.5, 1000).astype(np.int64) + 3, rng.integers(2, 20, 1000)


def plan(corpus: tuple[Indices, Indices], seed: list[int]) -> list[list[int]]:
    return [batch.tolist() for batch in pack(*corpus, 8192, 32, np.random.default_rng(seed))]


def test_a_plan_depends_on_its_seed_alone(corpus: tuple[Indices, Indices]) -> None:
    assert plan(corpus, [1, 0]) == plan(corpus, [1, 0])
    for other in ([1, 1], [2, 0]):  # another epoch, another seed
        assert {frozenset(batch) for batch in plan(corpus, [1, 0])}.isdisjoint(map(frozenset, plan(corpus, other)))


def test_batches_do_not_come_by_length(corpus: tuple[Indices, Indices]) -> None:
    means = [corpus[0][batch].mean() for batch in plan(corpus, [1, 0])]
    assert abs(np.corrcoef(means, np.arange(len(means)))[0, 1]) < 0.3


def test_little_of_a_batch_is_padding(corpus: tuple[Indices, Indices]) -> None:
    """Counted with every candidate as long as its list's longest: what packing can do anything about."""
    lengths, sizes = corpus
    real = int((lengths * sizes).sum())

    def waste(batches: list[Indices]) -> float:
        return 1 - real / sum(cost(batch, lengths, sizes) for batch in batches)

    packed = pack(lengths, sizes, 8192, 32, np.random.default_rng(0))
    at_random = np.array_split(np.random.default_rng(0).permutation(len(lengths)), len(packed))
    assert waste(packed) < 0.12
    assert waste(at_random) > 0.4
    assert waste(in_order(lengths, sizes, 8192)) < 0.12


def test_nothing_is_packed_into_nothing() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert pack(none, none, 10, 2, np.random.default_rng(0)) == in_order(none, none, 10) == []


@given(st.lists(st.integers(1, 400), max_size=200))
def test_rows_are_read_in_groups_of_about_one_length(lengths: list[int]) -> None:
    groups = by_length(np.array(lengths, dtype=np.int64))
    assert sorted(row for group in groups for row in group) == list(range(len(lengths)))
    assert all(max(lengths[i] for i in a) <= min(lengths[i] for i in b) for a, b in pairwise(groups))
    assert len(groups) <= max(4, -(-max(lengths, default=0) * len(lengths) // 8192))


def test_no_group_of_a_long_list_is_large() -> None:
    lengths = np.random.default_rng(0).integers(20, 40, 2000)
    assert 8 <= len(by_length(lengths)) <= 10
    assert max(len(group) * lengths[group].max() for group in by_length(lengths)) <= 8192
    assert len(by_length(lengths, wide=True)) == -(-len(lengths) * lengths.max() // 32_768)
    assert [len(group) for group in by_length(lengths[:4], wide=True)] == [4]


def test_groups_halve_the_padding_of_lists_like_wikiqa() -> None:
    lengths = np.random.default_rng(0).integers(15, 80, 160)
    padded = sum(int(lengths[group].max()) * len(group) for group in by_length(lengths))
    assert padded - lengths.sum() < 0.5 * (lengths.max() * len(lengths) - lengths.sum())
