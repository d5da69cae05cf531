"""Phrases: found, joined, and read alike in training and by the vocabulary."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.text.phrases import find_phrases, join_phrases, known_phrases
from anselm.text.vocabulary import UNKNOWN, Vocabulary

PHRASES = {"new_york", "new_york_city", "ice_cream"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the new york city hall", ["the", "new_york_city", "hall"]),
        ("new york", ["new_york"]),
        ("a new york", ["a", "new_york"]),
        ("new ice cream york", ["new", "ice_cream", "york"]),
        ("city", ["city"]),
        ("", []),
    ],
)
def test_the_longest_phrase_is_joined(text: str, expected: list[str]) -> None:
    assert join_phrases(text.split(), PHRASES) == expected


@given(st.lists(st.sampled_from(["new", "york", "city", "ice", "cream", "a"]), max_size=12))
def test_joining_loses_no_word(sentence: list[str]) -> None:
    joined = join_phrases(sentence, PHRASES)
    assert "_".join(joined).split("_") == (sentence or [""])
    assert all(word in PHRASES for word in joined if "_" in word)


def test_a_vocabulary_reads_its_phrases_as_one_word(tmp_path: Path) -> None:
    vocabulary = Vocabulary.build(["New York is large", "new york"], phrases=["new_york"])
    assert vocabulary.words == ("new_york", "is", "large")
    assert vocabulary(["Is New York new?"]) == [[3, 2, UNKNOWN]]
    vocabulary.save(tmp_path / "vocabulary.txt")
    assert Vocabulary.load(tmp_path / "vocabulary.txt")(["in new york"]) == [[UNKNOWN, 2]]


def test_words_that_always_come_together_are_found() -> None:
    pytest.importorskip("gensim")
    others = [f"word{i} and word{i + 1} with word{i + 2}" for i in range(60)]
    texts = [f"word{i} in new york city word{i + 3}" for i in range(30)] + others
    found = find_phrases(texts, min_count=5, threshold=5.0)
    assert {"new_york", "new_york_city"} & set(found)
    assert not any(phrase.startswith("word") for phrase in found)
    assert find_phrases(texts[::-1], min_count=5, threshold=5.0) == found


def test_vectors_are_trained_for_phrases_too() -> None:
    pytest.importorskip("gensim")
    from anselm.text.word2vec import train_vectors

    vectors = train_vectors(["we live in new york", "new york is large"] * 5, width=8, phrases=["new_york"])
    assert "new_york" in vectors.words
    assert "york" not in vectors.words


def test_without_gensim_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from anselm.errors import MissingExtraError

    monkeypatch.setitem(sys.modules, "gensim.models.phrases", None)
    with pytest.raises(MissingExtraError, match=r"anselm\[vectors\]"):
        find_phrases(["a b"])


def test_phrases_of_a_file_of_vectors() -> None:
    """Those that words of a text can be joined to: folded, of two or three words."""
    words = ["york", "new_york", "New_York", "new_york_city", "a_b_c_d", "_", "new_", "don't_know", "c++_is"]
    assert known_phrases(words) == ("don't_know", "new_york", "new_york_city")
