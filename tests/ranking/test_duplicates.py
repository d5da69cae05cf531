"""Near-duplicates against comparing every text with every one that is kept."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anselm.ranking import duplicates
from anselm.ranking.duplicates import representatives
from anselm.text.tokens import words


def near(a: str, b: str, threshold: float) -> bool:
    """By the definition, with nothing shared with the code under test but what a word is."""
    first, second = (["", "", *(words(text) or text.split()), "", ""] for text in (a, b))
    left, right = ({tuple(row[i : i + 3]) for i in range(len(row) - 2)} for row in (first, second))
    return len(left & right) / len(left | right) >= threshold


def naive(texts: list[str], threshold: float) -> list[int]:
    heads: list[int] = []
    for place, text in enumerate(texts):
        kept = [head for head in range(place) if heads[head] == head]
        heads.append(next((head for head in kept if near(texts[head], text, threshold)), place))
    return heads


@settings(deadline=None, max_examples=300)
@given(st.lists(st.lists(st.sampled_from("abcd!"), max_size=8).map(" ".join), max_size=12), st.data())
def test_every_pair_that_a_loop_finds(texts: list[str], data: st.DataObject) -> None:
    threshold = data.draw(st.sampled_from([0.2, 1 / 3, 0.5, 0.6, 0.8, 1.0]))
    assert representatives(texts, threshold) == naive(texts, threshold)


@pytest.mark.parametrize("seed", range(3))
def test_edited_texts(seed: int) -> None:
    """Long enough for a word to be changed, with similarities on both sides of the threshold."""
    rng = random.Random(seed)
    vocabulary = [f"word{i}" for i in range(500)]
    texts = []
    for _ in range(40):
        base = rng.choices(vocabulary, k=rng.randint(10, 60))
        for edits in range(4):
            row = list(base)
            for _ in range(edits):
                row[rng.randrange(len(row))] = rng.choice(vocabulary)
            texts.append(" ".join(row))
    rng.shuffle(texts)
    found = representatives(texts)
    assert found == naive(texts, 0.8)
    assert 20 < sum(head != place for place, head in enumerate(found)) < 120


def test_only_what_is_near_to_what_stands_for_it_is_folded() -> None:
    """The middle is near to both ends, which are not near to each other."""
    row = [f"word{i}" for i in range(30)]
    once = [*row[:10], "new", *row[11:]]
    twice = [*once[:20], "new", *once[21:]]
    texts = list(map(" ".join, (row, once, twice)))
    assert near(texts[0], texts[1], 0.8)
    assert near(texts[1], texts[2], 0.8)
    assert representatives(texts) == [0, 0, 2]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("We open at nine.", "we open at  NINE", True),
        ("We open at nine.", "We open at ten.", False),
        (
            "Kansas is a state of the Midwestern United States.",
            "Ohio is a state of the Midwestern United States.",
            False,
        ),
        ("no", "No!", True),
        ("!!!", "???", False),
        ("!!!", "!!!", True),
        (" ".join("abcdefghijklmnopqrstuvwx"), " ".join("abcdefghijkl0nopqrstuvwx"), False),
        (" ".join("abcdefghijklmnopqrstuvwxy"), " ".join("abcdefghijkl0nopqrstuvwxy"), True),
        (" ".join("abcdefghijklmnopqrst"), " ".join("abcdefghijklmnopqrstu"), True),
        (" ".join("abcdefghijklmnopqrs"), " ".join("abcdefghijklmnopqrst"), False),
    ],
)
def test_what_is_the_same(a: str, b: str, same: bool) -> None:
    assert representatives([a, b]) == [0, 0 if same else 1]


def test_ten_thousand_texts_are_not_compared_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of them are copies, and all share a greeting."""
    rng = random.Random(0)
    vocabulary = [f"word{i}" for i in range(5_000)]
    fresh = ["thank you for your question " + " ".join(rng.choices(vocabulary, k=20)) for _ in range(7_500)]
    texts = fresh + [text.upper() for text in rng.sample(fresh, 2_500)]
    compared = 0

    def count(a: frozenset[int], b: frozenset[int]) -> float:
        nonlocal compared
        compared += 1
        return similarity(a, b)

    similarity = duplicates.similarity
    monkeypatch.setattr(duplicates, "similarity", count)
    found = representatives(texts)
    assert found[:7_500] == list(range(7_500))
    assert [texts[head].upper() for head in found[7_500:]] == texts[7_500:]
    assert compared < 5_000
