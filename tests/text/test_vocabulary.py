"""Vocabularies: the order of the words, every word back from its number, files that are none."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.errors import FormatError, InputError
from anselm.text.tokens import words
from anselm.text.vocabulary import PAD, UNKNOWN, Vocabulary

TEXTS = ["The bee, the hive!", "A hive is a home.", "Bees"]


def test_frequent_words_come_first_and_ties_are_alphabetical() -> None:
    assert Vocabulary.build(TEXTS).words == ("a", "hive", "the", "bee", "bees", "home", "is")
    assert Vocabulary.build(TEXTS, min_count=2).words == ("a", "hive", "the")


def test_extra_words_follow_in_their_order_and_once() -> None:
    extra = ["wax", "the", "bee", "wax", "New York", "", "odd\u00a0one", "\ufeff", "u.s."]
    assert Vocabulary.build(TEXTS, min_count=2, extra=extra).words == ("a", "hive", "the", "wax", "bee", "u.s.")


def test_numbers_begin_after_padding_and_unknown() -> None:
    vocabulary = Vocabulary(("bee", "hive"))
    assert (PAD, UNKNOWN, len(vocabulary)) == (0, 1, 4)
    assert vocabulary(["Hive: bee, bear", "", "?!"]) == [[3, 2, UNKNOWN], [UNKNOWN], [UNKNOWN]]
    assert vocabulary([]) == []


@given(st.lists(st.text(), min_size=1).filter(lambda texts: any(map(words, texts))))
def test_every_word_comes_back_from_its_number(texts: list[str]) -> None:
    vocabulary = Vocabulary.build(texts)
    for text, numbers in zip(texts, vocabulary(texts), strict=True):
        back = [vocabulary.words[number - 2] for number in numbers if number != UNKNOWN]
        assert back == words(text)
        assert numbers == [UNKNOWN] or UNKNOWN not in numbers


@given(st.lists(st.text(), min_size=1).filter(lambda texts: any(map(words, texts))))
def test_saved_and_loaded_it_is_the_same(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path, vocabulary = tmp_path_factory.mktemp("words") / "vocabulary.txt", Vocabulary.build(texts)
    vocabulary.save(path)
    assert Vocabulary.load(path) == vocabulary


def test_the_file_is_one_word_per_line_and_the_fingerprint_is_its_checksum(tmp_path: Path) -> None:
    vocabulary = Vocabulary(("café", "日"))
    vocabulary.save(tmp_path / "vocabulary.txt")
    written = (tmp_path / "vocabulary.txt").read_bytes()
    assert written == "café\n日\n".encode()
    assert vocabulary.fingerprint == hashlib.sha256(written.removesuffix(b"\n")).hexdigest()
    assert vocabulary.fingerprint != Vocabulary(("日", "café")).fingerprint
    assert [path.name for path in tmp_path.iterdir()] == ["vocabulary.txt"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "line 1: there is none; at least one word is needed"),
        ("bee\nhive\nbee\n", "line 3: 'bee' is there already as word 1"),
        ("bee\nbee hive\n", "line 2: 'bee hive' is not one word"),
        ("bee\n\nhive\n", "line 2: '' is not one word"),
        ("bee\u2003\n", "line 1: .* is not one word"),
    ],
)
def test_what_is_no_vocabulary_is_refused(content: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "vocabulary.txt").write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=rf"vocabulary\.txt, {problem}"):
        Vocabulary.load(tmp_path / "vocabulary.txt")


def test_words_given_directly_are_checked_too() -> None:
    with pytest.raises(InputError, match="word 2 of a vocabulary: 'a' is there already as word 1"):
        Vocabulary(("a", "a"))
    with pytest.raises(InputError, match="no word occurs 3 times or more"):
        Vocabulary.build(TEXTS, min_count=3)
