"""Words as the treebank has them, and rows of pieces."""

from __future__ import annotations

import itertools

import pytest

from anselm.annotations.penn_words import penn_words
from anselm.annotations.piece_rows import LOWER, shape


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("I don't think it's the dogs' home.", "I do n't think it 's the dogs ' home ."),
        ('Cannot he say "so" (today)?', "Can not he say `` so '' ( today ) ?"),
        ("$1,000 or 3.5% of the U.S. at 9:30", "$ 1,000 or 3.5 % of the U.S. at 9:30"),
        ("Mr. Smith waits... so.", "Mr. Smith waits ... so ."),
        ("He said “yes.”", "He said `` yes . ''"),
        ("well-known and/or AT&T", "well-known and/or AT&T"),
        ("何ですか。", "何 で す か 。"),
        ("ok 😀", "ok 😀"),
        ("  ", ""),
    ],
)
def test_words_are_the_treebanks(sentence: str, words: str) -> None:
    assert [found.word for found in penn_words(sentence)] == words.split()


def test_words_stand_where_they_say_and_nothing_is_lost() -> None:
    sentence = "Isn't  it\tthe “U.S.” (a/b), 3.5%?"
    found = penn_words(sentence)
    assert "".join(sentence[one.start : one.end] for one in found) == "".join(sentence.split())
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))


def test_what_looks_like_an_address_takes_no_longer() -> None:
    assert len(penn_words("+" * 20_000)) == 20_000


def test_a_capital_says_less_at_the_beginning() -> None:
    assert shape("cave", False) == LOWER
    assert len({shape("Cave", True), shape("Cave", False), shape("CAVE", False), shape("iPad", False), LOWER}) == 5
    assert shape("1980s", False) != shape("--", False)
