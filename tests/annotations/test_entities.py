"""Names by rule against sentences read by hand; sharing against a naive loop; sources that are not there."""

from __future__ import annotations

import numpy as np
import pytest

from anselm.annotations.entities import RuleEntities, find_entities, shared_entities
from anselm.errors import InputError, UnknownNameError

FIGURE_1 = (
    "The film series was rebooted in 2013 with Man of Steel, directed by Zack Snyder with Henry Cavill starring as "
    "Superman.",
    "Cavill is the first British and non-American actor to play the character.",
    "Man of Steel was released in theaters on June 14, 2013",
)


def names(text: str) -> set[str]:
    return set(find_entities([text])[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FIGURE_1[0], {"2013", "man of steel", "zack snyder", "henry cavill", "superman"}),
        (FIGURE_1[1], {"cavill", "british", "non-american"}),
        (FIGURE_1[2], {"man of steel", "june 14 2013"}),
        ("It was Obama’s Cabinet, and Rowling's.", {"obama", "cabinet", "rowling"}),
        ("We met J. K. Rowling and Mr. O'Brien of AT&T.", {"j k rowling", "o'brien of at&t"}),
        ("He studied at the University of California in the U.S. for years.", {"university of california", "us"}),
        ("Films were shown. Zebras ran, and however Paris slept.", {"zebras", "paris"}),
        ("However, Otto von Bismarck left.", {"otto von bismarck"}),
        ("Former chancellor Angela Merkel spoke.", {"angela merkel"}),
        ("Wealthy Rome fell.", {"wealthy rome", "rome"}),
        ("HOW TO INSTALL FIREFOX IN PARIS", {"firefox", "paris"}),
        ("what is the capital of france", set()),
        ("I think that A is B.", set()),
        ("東京は2013年に", set()),
        ("東京 2013", {"2013"}),
        ("", set()),
    ],
)
def test_names_of_a_sentence(text: str, expected: set[str]) -> None:
    assert names(text) == expected


def test_a_text_has_the_same_names_in_whatever_company() -> None:
    alone = [find_entities([text])[0] for text in FIGURE_1]
    assert find_entities([*FIGURE_1, "The cavill was a superman.", *FIGURE_1])[:3] == alone
    assert RuleEntities().annotate(FIGURE_1) == [tuple(sorted(own)) for own in alone]


def test_which_sentences_share_what() -> None:
    found = find_entities(FIGURE_1)
    assert shared_entities(found).tolist() == [[True], [False], [True]]  # Man of Steel
    partial = shared_entities(found, partial=True)  # Henry Cavill, June 14 2013, Man of Steel
    assert partial.tolist() == [[True, True, True], [True, False, False], [False, True, True]]


def test_sharing_against_a_naive_loop() -> None:
    random = np.random.default_rng(7)
    words = ["ann", "bo", "cy", "14", "2013"]
    lists = [
        frozenset(" ".join(random.choice(words, random.integers(1, 4))) for _ in range(random.integers(0, 4)))
        for _ in range(30)
    ]
    for partial in (False, True):
        table = shared_entities(lists, partial)
        assert table.dtype == np.bool_
        assert (table.sum(axis=0) >= 2).all()
        linked = table.astype(int) @ table.T.astype(int) > 0
        for i, one in enumerate(lists):
            for j, other in enumerate(lists):
                if i != j:
                    assert linked[i, j] == naive_link(one, other, lists if partial else None), (one, other)


def naive_link(one: frozenset[str], other: frozenset[str], pool: list[frozenset[str]] | None) -> bool:
    if one & other:
        return True
    if pool is None:
        return False
    return any(counts_as(one, name) and counts_as(other, name) for own in pool for name in own)


def counts_as(own: frozenset[str], name: str) -> bool:
    return any(part == name or (f" {part} " in f" {name} " and (not part.isdigit() or len(part) == 4)) for part in own)


@pytest.mark.parametrize("lists", [[], [frozenset()], [frozenset({"a"})], [frozenset({"a"}), frozenset({"b"})]])
def test_nothing_shared_is_an_empty_table(lists: list[frozenset[str]]) -> None:
    assert shared_entities(lists, partial=True).shape == (len(lists), 0)


def test_a_source_that_does_not_exist() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown source of entities 'spcay'.*'spacy'"):
        find_entities(["a"], "spcay")
    with pytest.raises(UnknownNameError, match="rules:md"):
        find_entities(["a"], "rules:md")


@pytest.mark.parametrize("source", ["spacy", "stanza"])
def test_a_source_that_is_not_installed(source: str) -> None:
    try:
        __import__(source)
    except ImportError:
        with pytest.raises(InputError, match=f"which is not installed: pip install {source}"):
            find_entities(["a"], source)
    else:
        pytest.skip("it is installed here")
