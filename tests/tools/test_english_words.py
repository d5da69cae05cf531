"""The list of words by which questions are respelled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anselm.text.spelling import Words
from tools.english_words import OFTEN, WORDS, frequent_words, is_misspelling, read_pieces, read_scowl


def test_lists_up_to_a_size_are_read(tmp_path: Path) -> None:
    lists = {"english-words.10": "the often", "american-words.35": "color's Gray", "british-words.35": "colour",
             "american-proper-names.50": "Paris", "english-words.95": "zzyzx", "german-words.10": "immer"}  # fmt: skip
    for name, words in lists.items():
        (tmp_path / name).write_text("\n".join(words.split()), encoding="latin-1")
    assert read_scowl(tmp_path, 35) == {"often", "gray", "colour"}
    assert read_scowl(tmp_path, 70) == {"often", "gray", "colour", "paris"}
    assert "paris" not in read_scowl(tmp_path, 70, WORDS)


def test_what_manuals_say_often_is_read(tmp_path: Path) -> None:
    texts = ["chroot Often"] * OFTEN + ["rarely"]
    records = [{"question": "", "candidates": [{"text": text}]} for text in texts]
    (tmp_path / "entries.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert frequent_words(tmp_path / "entries.jsonl") == {"chroot", "often"}


@pytest.mark.parametrize(
    ("word", "share", "wrong"),
    [
        ("adress", 2.4, True),  # single for double, 300 times rarer
        ("adress", 4.0, False),
        ("seperete", 2.8, True),  # a vowel
        ("libary", 1.5, True),  # a letter too few
        ("sonos", 2.4, False),  # in a short word
        ("addresses", 1.5, False),  # of many
        ("tunnek", 1.5, False),  # a consonant
        ("zzyzzx", 1.5, False),
    ],
)
def test_a_misspelling_is_much_rarer_than_what_is_meant(word: str, share: float, wrong: bool) -> None:
    common = ["address", "separete", "library", "sons", "tunnel"]
    words = Words({one: place for place, one in enumerate(common, start=1)}, frozenset())
    web = {**dict.fromkeys(common, 4.9), word: share}
    assert is_misspelling(word, web, words) == wrong


def test_what_manuals_say_often_may_have_a_letter_more() -> None:
    words = Words({"system": 1}, frozenset())
    web = {"system": 5.8, "systemt": 2.2, "systemd": 2.2}
    assert is_misspelling("systemt", web, words)
    assert not is_misspelling("systemt", web, words, said_often=True)
    assert not is_misspelling("systemd", web, words)  # what runs beside it


def test_pieces_are_whole_words_and_the_frequent_ones_first() -> None:
    pieces = read_pieces()
    assert pieces.index("the") < pieces.index("often") < pieces.index("tunnel")
    assert not any("#" in piece or "[" in piece for piece in pieces)
