"""Negative sampling, against what was there before."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.encoding.lists import CONTEXTS, Lists, Texts, running, spread
from anselm.errors import InputError, UnknownNameError
from anselm.train.sampling import Sampling, _random_negatives, sample

Row = tuple[int, int, float]  # a candidate's text, its context's and its label


def make(lists: list[list[Row]], contexts: bool = True) -> Lists:
    flat = [row for rows in lists for row in rows]
    length = np.arange(200) % 17
    sizes = np.array([len(rows) for rows in lists], dtype=np.int64)
    pairs = {
        "candidates": np.array([row[0] for row in flat], dtype=np.int64),
        "labels": np.array([row[2] for row in flat], dtype=np.float32),
        "positions": spread(np.zeros_like(sizes), sizes),
    }
    if contexts:
        pairs[CONTEXTS] = np.array([row[1] for row in flat], dtype=np.int64)
    return Lists(
        Texts(np.zeros(length.sum(), dtype=np.int32), running(length)[:-1], length),
        np.array([150 + i for i in range(len(lists))], dtype=np.int64),
        running(sizes),
        pairs,
    )


def unmake(lists: Lists) -> dict[int, list[Row]]:
    """By question."""
    contexts = lists.pairs.get(CONTEXTS, np.full(len(lists.candidates), -1)).tolist()
    flat = list(zip(lists.candidates.tolist(), contexts, lists.labels.tolist(), strict=True))
    return {int(q): flat[lists.bounds[i] : lists.bounds[i + 1]] for i, q in enumerate(lists.questions)}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@st.composite
def corpora(draw: st.DrawFn, smallest: int = 0) -> list[list[Row]]:
    """Candidates from a small pool, so that lists share some; a candidate's context tells where it came from."""
    rows = st.tuples(st.integers(0, 30), st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.0, -1.0]))
    lists = draw(st.lists(st.lists(rows, min_size=smallest, max_size=6), min_size=1, max_size=6))
    place = iter(range(100))
    return [[(text, 40 + next(place), label) for text, label in rows] for rows in lists]


def check_longest(lists: Lists) -> None:
    """What is packed and padded must know the longest pair of what was sampled, not of what there was."""
    length = lists.texts.lengths
    for i, (question, rows) in enumerate(unmake(lists).items()):
        pairs = [length[question] + length[text] + length[context] for text, context, _ in rows]
        assert lists.longest[i] == max(pairs, default=0)
    assert lists.pick(np.arange(len(lists))).pair_lengths.max(initial=0) == max(lists.longest, default=0)


def is_part_of(rows: list[Row], whole: list[Row]) -> bool:
    """In the same order."""
    rest = iter(whole)
    return all(row in rest for row in rows)


@given(corpora())
def test_all_are_all(corpus: list[list[Row]]) -> None:
    lists = make(corpus)
    assert sample(lists, Sampling("all"), rng()) is lists


@given(corpora(), st.integers(1, 4), st.integers(0, 3), st.booleans())
def test_some_of_the_list(corpus: list[list[Row]], negatives: int, seed: int, mined: bool) -> None:
    lists = make(corpus)
    scores = rng(seed).random(len(lists.labels)) if mined else None
    sampled = sample(lists, Sampling("hard" if mined else "list", negatives), rng(seed), scores)
    before, after = unmake(lists), unmake(sampled)
    for question, rows in before.items():
        found, irrelevant = after.get(question, []), [row for row in rows if row[2] <= 0]
        assert is_part_of(found, rows)
        assert [row for row in found if row[2] > 0] == [row for row in rows if row[2] > 0]
        assert sum(row[2] <= 0 for row in found) == min(negatives, len(irrelevant))
        assert (question in after) == bool(rows)  # none is lost, except one that was empty
    check_longest(sampled)


@pytest.mark.parametrize("kind", ["list", "hard", "pool"])
def test_what_is_sampled_keeps_its_position_in_the_source(kind: str) -> None:
    lists = make([[(10 * i + j, 40, float(j == 5)) for j in range(9)] for i in range(3)])
    sampled = sample(lists, Sampling(kind, 3), rng(1), rng(2).random(27))
    own = np.repeat(np.arange(3), sampled.sizes) == sampled.candidates // 10
    assert sampled.positions[own].tolist() == (sampled.candidates[own] % 10).tolist()
    assert (sampled.positions[~own] == -1).all()  # what was drawn from another list stands nowhere in this one
    assert (~own).any() == (kind == "pool")


@given(corpora(smallest=1), st.integers(1, 4), st.data())
def test_hard_ones_are_those_with_the_highest_scores(
    corpus: list[list[Row]], negatives: int, data: st.DataObject
) -> None:
    lists = make(corpus)
    scores = np.array(data.draw(st.permutations(range(len(lists.labels)))), dtype=np.float64)
    sampled = unmake(sample(lists, Sampling("hard", negatives), rng(), scores))
    place = iter(scores.tolist())
    for rows, question in zip(corpus, lists.questions.tolist(), strict=True):
        scored = [(next(place), row) for row in rows]
        hardest = sorted((pair for pair in scored if pair[1][2] <= 0), reverse=True)[:negatives]
        kept = [row for row in sampled[question] if row[2] <= 0]
        assert sorted(kept) == sorted(row for _, row in hardest)


def test_hard_ones_before_anything_was_scored_are_random() -> None:
    lists = make([[(i, 40 + i, 0.0) for i in range(30)]])
    drawn = {tuple(sample(lists, Sampling("hard", 5), rng(seed)).candidates.tolist()) for seed in range(5)}
    assert len(drawn) == 5


def test_every_negative_of_a_list_gets_its_turn() -> None:
    lists = make([[(i, 40 + i, float(i == 3)) for i in range(8)]])
    counts = np.zeros(8)
    for seed in range(400):
        counts[sample(lists, Sampling("list", 2), rng(seed)).candidates] += 1
    assert counts[3] == 400
    others = np.delete(counts, 3)
    assert others.sum() == 800
    assert abs(others - 800 / 7).max() < 50  # five standard deviations


@given(corpora(), st.integers(1, 9), st.integers(0, 3), st.booleans())
def test_negatives_from_the_pool(corpus: list[list[Row]], negatives: int, seed: int, contexts: bool) -> None:
    lists = make(corpus, contexts)
    if not len(lists.candidates):
        return
    before, after = unmake(lists), unmake(sample(lists, Sampling("pool", negatives), rng(seed)))
    everywhere = {(text, context) for rows in before.values() for text, context, _ in rows}
    assert after.keys() == before.keys()
    for question, rows in before.items():
        own = {row[0] for row in rows}
        found = [row for row in after[question] if row[0] in own]
        drawn = [row for row in after[question] if row[0] not in own]
        assert found == rows  # in their order
        assert len(drawn) <= negatives
        assert all(label == 0 for _, _, label in drawn)
        assert not own & {row[0] for row in drawn}
        assert len({row[0] for row in drawn}) == len(drawn)
        assert {row[:2] for row in drawn} <= everywhere  # a candidate brings its own context
    if contexts:
        check_longest(sample(lists, Sampling("pool", negatives), rng(seed)))


def test_a_large_pool_gives_nearly_all_that_are_asked_for() -> None:
    lists = make([[(10 * i + j, 40, float(j == 0)) for j in range(4)] for i in range(14)])
    sampled = sample(lists, Sampling("pool", 6), rng())
    assert (sampled.sizes <= 10).all()
    assert sampled.sizes.mean() > 4 + 6 * 0.75
    assert len(set(sampled.candidates.tolist())) > 50  # from all over the pool


def test_candidates_of_other_lists_stand_anywhere() -> None:
    """As often before the first candidate as behind the last, so that no place tells what is irrelevant."""
    lists = make([[(10 * i + j, 40, float(j == 0)) for j in range(3)] for i in range(14)])
    before = Counter[int]()
    for seed in range(100):
        sampled = sample(lists, Sampling("pool", 2), rng(seed))
        owner = np.repeat(np.arange(len(sampled)), sampled.sizes)
        for place in np.flatnonzero(sampled.positions < 0):
            mine = (owner == owner[place]) & (sampled.positions >= 0)
            before[int((np.flatnonzero(mine) < place).sum())] += 1
    shares = np.array([before[count] for count in range(4)]) / before.total()
    np.testing.assert_allclose(shares, [1 / 6, 1 / 3, 1 / 3, 1 / 6], atol=0.04)


@pytest.mark.parametrize("kind", ["list", "pool", "hard"])
def test_a_choice_depends_on_the_seed_alone(kind: str) -> None:
    lists = make([[(10 * i + j, 40 + j, float(j == 0)) for j in range(9)] for i in range(8)])
    first, again, other = (unmake(sample(lists, Sampling(kind, 3), rng(seed))) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("holes", [[0], [2], [4], [0, 1, 4]])
def test_lists_without_candidates_do_not_disturb_the_others(holes: list[int]) -> None:
    corpus = [[(10 * i + j, 40 + 5 * i + j, float(j == 1)) for j in range(3)] for i in range(5)]
    holed = make([[] if i in holes else rows for i, rows in enumerate(corpus)])
    kept = unmake(holed.keep(holed.labels <= 0))
    assert kept == {150 + i: [rows[0], rows[2]] for i, rows in enumerate(corpus) if i not in holes}


def test_unknown_kinds_and_impossible_numbers_are_named() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown negative sampling 'hart'; there is all, hard, list, pool"):
        Sampling("hart")
    with pytest.raises(InputError, match="0 negatives; at least one is needed"):
        Sampling("list", 0)


def test_every_choice_of_negatives_is_as_likely_as_another() -> None:
    """Of 6 irrelevant ones 3 can be chosen in 20 ways: all of them come, about as often (chi-square)."""
    stats = pytest.importorskip("scipy.stats")
    row = [(i, 40, float(i in (0, 4))) for i in range(8)]
    lists = make([[(i, 40, 0.0) for i in range(2)], *[row] * 6_000, []])  # lists of other sizes stand around them
    keep = _random_negatives(lists, 3, rng(7))
    assert keep[:2].all()  # fewer than asked for
    chosen = Counter(map(tuple, np.nonzero(keep[2:].reshape(6_000, 8))[1].reshape(6_000, 5).tolist()))
    assert len(chosen) == math.comb(6, 3)
    assert all({0, 4} <= set(places) for places in chosen)  # what is relevant stays
    assert stats.chisquare(list(chosen.values())).pvalue > 0.01


@pytest.mark.parametrize("negatives", [1, 2, 5, 6, 7, 100])
def test_as_many_negatives_as_there_are_or_as_are_asked_for(negatives: int) -> None:
    sizes, relevant = [6, 0, 1, 9, 6], [1, 0, 1, 0, 6]
    lists = make([[(i, 40, float(i < r)) for i in range(n)] for n, r in zip(sizes, relevant, strict=True)])
    keep = np.split(_random_negatives(lists, negatives, rng()), lists.bounds[1:-1])
    for row, n, r in zip(keep, sizes, relevant, strict=True):
        assert row[:r].all()
        assert row[r:].sum() == min(negatives, n - r)  # distinct, since each place is marked once
    again, other = (_random_negatives(lists, negatives, rng(seed)) for seed in (0, 1))
    assert (np.concatenate(keep) == again).all()
    assert (again == other).all() == (negatives > 8)  # another seed is another choice, where there is one
