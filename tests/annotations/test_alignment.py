"""Words and pieces meet by their characters, whatever the punctuation, the case, the accents and the emoji."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from anselm.annotations.alignment import locate_words, pieces_of_words
from anselm.encoding.tokenizer import PairTokenizer

TEXTS = [
    "Don't   stop — the café's naïve façade!!",
    "emoji 😀👩‍👩‍👧 and 🇫🇷flags, e\u0301 combining",
    'He said: "1/2 (half) of [it]"...',
    "日本語の文。 Привет, мир! مرحبا",
    "ALL CAPS mixedCase ﬁne Straße\u00a0x\u200by",
    "",
    "   ",
]


def shown(words: list[str], text: str) -> list[str]:
    return [text[start:end] for start, end in locate_words(words, text)]


@pytest.mark.parametrize("text", TEXTS)
def test_words_of_the_text_are_found_where_they_stand(text: str) -> None:
    """Whichever way it is cut into words."""
    chance = random.Random(1)
    for _ in range(20):
        words = [piece for word in text.split() for piece in cut(word, chance)]
        assert shown(words, text) == words


def cut(word: str, chance: random.Random) -> list[str]:
    places = [0, *sorted(chance.sample(range(1, len(word)), chance.randint(0, min(2, len(word) - 1)))), len(word)]
    return [word[start:end] for start, end in pairwise(places)]


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (["``", "Go", "''", "he", "said"], '"Go" he said', ['"', "Go", '"', "he", "said"]),
        (["``", "Go", "''"], "“Go”", ["“", "Go", "”"]),
        (["(", "a", ")"], "-LRB- a -RRB-", ["-LRB-", "a", "-RRB-"]),
        (["ca", "n't"], "CA N’T", ["CA", "N’T"]),
        (["cannot"], "can not", ["can not"]),
        (["wait", "...", "now"], "wait… now", ["wait", "…", "now"]),
        (["a", "b"], "a *** b", ["a", "b"]),  # left out
        (["a", "zzz", "b"], "a b", ["a", "", "b"]),  # not there
    ],
)
def test_words_that_a_parser_writes_otherwise(words: list[str], text: str, found: list[str]) -> None:
    assert shown(words, text) == found


@pytest.mark.parametrize("encoder", ["tiny_encoder", "tiny_roberta"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_word_has_the_pieces_that_hold_a_character_of_it(
    encoder: str, text: str, request: pytest.FixtureRequest
) -> None:
    """Against a loop over all words and pieces."""
    folder: Path = request.getfixturevalue(encoder)
    offsets = PairTokenizer.load(folder / "tokenizer.json", 0).offsets([text])[0]
    chance = random.Random(2)
    words = locate_words([piece for word in text.split() for piece in cut(word, chance)], text)
    found = pieces_of_words(words, offsets)
    assert len(found) == len(words)
    for (start, end), (first, last) in zip(words, found, strict=True):
        expected = [i for i, (begin, stop) in enumerate(offsets) if begin < end and stop > start]
        assert list(range(first, last)) == expected


def test_one_piece_may_be_of_two_words() -> None:
    pieces = np.array([[0, 6], [7, 9]])
    np.testing.assert_array_equal(pieces_of_words([(0, 3), (3, 6), (7, 9)], pieces), [[0, 1], [0, 1], [1, 2]])
    assert pieces_of_words([], pieces).shape == (0, 2)
    np.testing.assert_array_equal(pieces_of_words([(0, 1)], np.empty((0, 2), dtype=np.int64)), [[0, 0]])


def test_a_text_that_matches_nothing_takes_no_longer() -> None:
    assert locate_words(["q"] * 20_000, "x" * 20_000)[-1] == (0, 0)
