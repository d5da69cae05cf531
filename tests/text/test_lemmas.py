"""Lemmas: the dictionary forms of words, and a vocabulary that reads them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from anselm.errors import MissingExtraError
from anselm.text.lemmas import find_lemmatiser, lemma, lemmas, lemmatise
from anselm.text.tokens import words
from anselm.text.vocabulary import UNKNOWN, Vocabulary

FORMS = {"bees": "bee", "ran": "run", "doha": "Doha", "odd": "two words", "empty": ""}


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """What was found with another lemmatiser is not used."""
    find_lemmatiser.cache_clear()
    lemma.cache_clear()
    yield
    find_lemmatiser.cache_clear()
    lemma.cache_clear()


@pytest.fixture
def few_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lemmatiser with a handful of words, in the place of simplemma's."""
    module = SimpleNamespace(lemmatize=lambda word, lang: {"en": FORMS}[lang].get(word, word))
    monkeypatch.setitem(sys.modules, "simplemma", module)


@pytest.mark.usefixtures("few_forms")
def test_a_lemma_is_a_word_as_texts_have_it() -> None:
    assert lemmas(["bees", "ran", "doha", "odd", "empty", "home"]) == ["bee", "run", "doha", "odd", "empty", "home"]
    assert words(lemmatise("Bees ran; Doha's odd!")) == ["bee", "run", "doha", "odd"]


@pytest.mark.usefixtures("few_forms")
def test_a_vocabulary_reads_lemmas_and_then_phrases(tmp_path: Path) -> None:
    vocabulary = Vocabulary.build(["the bees ran", "a bee"], phrases=["bee_run"], lemmas=True)
    assert vocabulary.words == ("a", "bee", "bee_run", "the")
    assert vocabulary(["Bees ran", "ran bees", "run"]) == [[4], [UNKNOWN, 3], [UNKNOWN]]
    vocabulary.save(tmp_path / "vocabulary.txt")
    assert Vocabulary.load(tmp_path / "vocabulary.txt", lemmas=True)(["bees"]) == [[3]]
    assert Vocabulary.load(tmp_path / "vocabulary.txt")(["bees"]) == [[UNKNOWN]]


def test_without_the_lemmatiser_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simplemma", None)
    with pytest.raises(MissingExtraError, match=r"reading words as lemmas .*anselm\[lemmas\]"):
        Vocabulary(("bee",), lemmas=True)
    assert Vocabulary(("bee",))(["bee"]) == [[2]]


@pytest.mark.parametrize(
    ("word", "expected"),
    [("bees", "bee"), ("children", "child"), ("ran", "run"), ("policies", "policy"), ("is", "be"), ("news", "news"),
     ("don't", "don't"), ("us", "us"), ("3.14", "3.14"), ("doha", "doha"), ("日", "日")],
)  # fmt: skip
def test_the_lemmas_of_simplemma(word: str, expected: str) -> None:
    pytest.importorskip("simplemma")
    assert lemma(word) == expected
