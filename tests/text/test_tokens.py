"""Words: the examples of the module's own docstring, other scripts, and inputs meant to hurt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.text.tokens import STOPWORDS, cased_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don’t stop, don't!", ["don't", "stop", "don't"]),
        ("Rowling's dogs' tails", ["rowling", "dogs", "tails"]),
        ("What's it's", ["what", "it"]),
        ("we'll 'quoted' rock'n'roll", ["we'll", "quoted", "rock'n'roll"]),
        ("U.S. US U.S.A. e.g. at 5 p.m.", ["us", "us", "usa", "eg", "at", "5", "pm"]),
        ("the U.S.'s army", ["the", "us", "army"]),
        ("3.14 v3.11.2 3.5mm 10th", ["3.14", "v3.11.2", "3.5mm", "10th"]),
        ("1,000,000 1,5 in 2001,200", ["1000000", "1", "5", "in", "2001200"]),
        ("ended in 1990. Then", ["ended", "in", "1990", "then"]),
        ("well-known snake_case a/b", ["well", "known", "snake", "case", "a", "b"]),
        ("ﬁne Straße ＡＢＣ x²", ["fine", "strasse", "abc", "x2"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("exam\u00adple", ["example"]),
        ("日本のカナ語", ["日", "本", "の", "カ", "ナ", "語"]),
        ("in 東京, yes", ["in", "東", "京", "yes"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("हिन्दी भाषा है।", ["हिन्दी", "भाषा", "है"]),
        ("ไทย ที่", ["ไ", "ท", "ย", "ที่"]),
        ("Привет, МИР", ["привет", "мир"]),
        ("", []),
        ("... !? — “”", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text())
def test_words_are_never_empty_and_hold_no_space(text: str) -> None:
    for word in words(text):
        assert word
        assert not any(character.isspace() for character in word)


@given(st.text(alphabet="abc XYZ'.,-_1"))
def test_words_ignore_case(text: str) -> None:
    assert words(text.upper()) == words(text.lower())


@given(st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True)))
def test_plain_words_come_back_as_they_are(expected: list[str]) -> None:
    assert words(" ".join(expected)) == expected


@pytest.mark.parametrize("unit", [".", "'", "a.", "a'", "1,", "1.", "'s", "_", "é", "\u0301", "日"])
def test_long_runs_finish(unit: str) -> None:
    assert sum(map(len, words(unit * 300_000))) <= len(unit) * 300_000


def test_stopwords_are_words_as_we_write_them() -> None:
    assert 100 <= len(STOPWORDS) <= 150
    assert all(words(word) == [word] for word in STOPWORDS)
    assert "us" not in STOPWORDS  # it is also the United States


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don’t stop THE U.S.'s Army", ["Don't", "stop", "THE", "US", "Army"]),
        ("ROWLING'S Dogs' 1,000", ["ROWLING", "Dogs", "1000"]),
        ("Straße in 日本", ["Straße", "in", "日", "本"]),
        ("", []),
    ],
)
def test_words_with_their_case(text: str, expected: list[str]) -> None:
    assert cased_words(text) == expected


@given(st.text(alphabet=st.characters() | st.sampled_from("aAßİŉ'’.s,_ S1½日")))
def test_each_word_has_one_with_its_case(text: str) -> None:
    assert len(cased_words(text)) == len(words(text))
