"""The list of words by which questions are respelled."""

from __future__ import annotations

import json
from pathlib import Path

from anselm.text.spelling import Words
from tools.english_words import OFTEN, WORDS, frequent_words, is_slip, read_pieces, read_scowl


def test_lists_up_to_a_size_are_read(tmp_path: Path) -> None:
    lists = {"english-words.10": "the often", "american-words.35": "color's Gray", "british-words.35": "colour",
             "american-proper-names.50": "Paris", "english-words.95": "zzyzx", "german-words.10": "immer"}  # fmt: skip
    for name, words in lists.items():
        (tmp_path / name).write_text("\n".join(words.split()), encoding="latin-1")
    assert read_scowl(tmp_path, 35) == {"often", "gray", "colour"}
    assert read_scowl(tmp_path, 70) == {"often", "gray", "colour", "paris"}
    assert "paris" not in read_scowl(tmp_path, 70, WORDS)


def test_words_that_are_often_misspelt_are_not_known(tmp_path: Path) -> None:
    texts = ["chroot adress often"] * OFTEN + ["rarely"]
    records = [{"question": "", "candidates": [{"text": text}]} for text in texts]
    (tmp_path / "entries.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    words = Words({"often": 1, "address": 2}, frozenset({"often", "address"}))
    assert frequent_words(tmp_path / "entries.jsonl", words) == {"chroot", "often"}
    assert is_slip("adress", words)
    assert not is_slip("addresss"[:-1] + "es", words)


def test_pieces_are_whole_words_and_the_frequent_ones_first() -> None:
    pieces = read_pieces()
    assert pieces.index("the") < pieces.index("often") < pieces.index("tunnel")
    assert not any("#" in piece or "[" in piece for piece in pieces)
