"""Widened lists against what they must hold."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from anselm.data.question import Candidate, Question
from tools.default_model.widening import draw, widen


def paragraph(title: str, number: int, questions: int = 2) -> list[Question]:
    """Questions about a paragraph of three sentences, one of which every paragraph has."""
    rows = [f"{title} {number} a.", f"{title} {number} b.", "It ends."]
    candidates = tuple(
        Candidate(f"{title}{number}-{place}", text, float(place == 1)) for place, text in enumerate(rows)
    )
    meta = {"title": title} if title else {}
    return [Question(f"{title}{number}{letter}", "What?", candidates, meta) for letter in "abc"[:questions]]


LARGE = [question for number in range(30) for question in paragraph("Bees", number)]
OTHER = [question for number in range(30) for question in paragraph("Milk", number)]
SMALL, SINGLE = [*paragraph("Tea", 1), *paragraph("Tea", 2)], paragraph("Wood", 1)
NAMELESS = [question for number in range(9) for question in paragraph("", number)]
SOURCE = [*LARGE, *OTHER, *SMALL, *SINGLE, *NAMELESS]


def test_five_wrong_sentences_join_each_list() -> None:
    every = {candidate.text for question in SOURCE for candidate in question.candidates}
    found = list(widen(SOURCE, random.Random(1)))
    assert [question.id for question in found] == [question.id for question in SOURCE]
    for before, after in zip(SOURCE, found, strict=True):
        assert (after.text, after.meta) == (before.text, before.meta)
        assert all(candidate in after.candidates for candidate in before.candidates)
        added = [candidate for candidate in after.candidates if candidate not in before.candidates]
        texts = {candidate.text for candidate in added}
        assert len(added) == len(texts) == 5
        assert texts <= every - {candidate.text for candidate in before.candidates}
        assert {candidate.label for candidate in added} == {0.0}
        assert len({candidate.id for candidate in after.candidates}) == 8


def test_at_least_three_are_of_the_same_article_as_far_as_it_has_any() -> None:
    near: dict[str, Counter[int]] = {title: Counter() for title in ("Bees", "Milk", "Tea", "Wood")}
    for question in widen(SOURCE, random.Random(1)):
        added = [candidate.text for candidate in question.candidates if candidate.id.startswith("x")]
        if title := question.meta.get("title"):
            near[title][sum(text.startswith(title) for text in added)] += 1
    assert min(near["Bees"]) == min(near["Milk"]) == 3
    assert min(near["Bees"] + near["Milk"]) < max(near["Bees"] + near["Milk"])  # the other two are of anywhere
    assert set(near["Tea"]) == {2}
    assert set(near["Wood"]) == {0}


def test_lists_follow_from_the_seed_and_places_tell_nothing() -> None:
    found = list(widen(SOURCE, random.Random(1)))
    assert list(widen(SOURCE, random.Random(1))) == found
    assert list(widen(SOURCE, random.Random(2))) != found
    assert {question.labels.index(1.0) for question in found} == set(range(8))


def test_a_source_of_one_list_stays_as_it_is() -> None:
    [found] = widen(SINGLE[:1], random.Random(1))
    assert sorted(found.candidates, key=lambda one: one.id) == list(SINGLE[0].candidates)


@pytest.mark.parametrize(("count", "expected"), [(0, 0), (3, 3), (6, 6), (9, 6)])
def test_as_many_are_drawn_as_there_are(count: int, expected: int) -> None:
    texts, taken = list("abcdefgh"), {"a", "b", "z"}
    found = draw(texts, count, taken, random.Random(1))
    assert len(set(found)) == len(found) == expected
    assert set(found) <= set("cdefgh")


def test_all_are_alike_likely() -> None:
    rng = random.Random(1)
    drawn = Counter(text for _ in range(6000) for text in draw("abcdefgh", 2, {"a", "b"}, rng))
    assert set(drawn) == set("cdefgh")
    assert all(abs(times - 2000) < 180 for times in drawn.values())  # about five standard deviations
