"""Vectors that a thread fills in, while passages are added and found by their words."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import numpy as np
import pytest
from numpy.typing import NDArray

from anselm.errors import InputError
from anselm.retrieval.pool import Pool

COUNT = 60


class SlowEncoder:
    """Vectors from the letters of a text; it goes on when it is told to."""

    text_fingerprint = "letters"
    texts_at_once = 8

    def __init__(self) -> None:
        self.may, self.begun = Event(), Event()
        self.lengths: list[list[int]] = []

    def text_vectors(self, texts: list[str]) -> NDArray[np.float64]:
        if len(texts) > 1:
            self.begun.set()
            assert self.may.wait(20)
            self.lengths.append([len(text) for text in texts])
        rows = np.array([[text.count(letter) + 0.1 for letter in "aeiou"] for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def test_words_are_found_while_vectors_are_filled_in(tmp_path: Path) -> None:
    encoder = SlowEncoder()
    with Pool.open(tmp_path / "a.pool", encoder) as pool:
        pool.add({"id": str(i), "text": f"oak number{i} " + "elm " * (i % 7)} for i in range(COUNT))
        filling = pool.embed_behind()
        assert encoder.begun.wait(20)
        (found, *_) = pool.search("number17")
        assert (found.item.id, found.words, found.meaning) == ("17", 1, None)
        pool.add([{"id": "late", "text": "a beech came late"}])
        assert pool.search("beech")[0].item.id == "late"
        with Pool.open(tmp_path / "a.pool", encoder) as other:  # as another process has it
            assert [found.item.id for found in other.search("beech number17")] == ["late", "17"]
            assert other.info()["without_vector"] == COUNT + 1
        encoder.may.set()
        assert filling.wait(20) == COUNT + 1
        assert pool.info()["without_vector"] == 0
        assert pool.search("number17")[0].meaning is not None
    assert all(len(lengths) <= encoder.texts_at_once for lengths in encoder.lengths)


def test_closing_a_pool_ends_it_after_a_step_and_the_rest_is_filled_in_later(tmp_path: Path) -> None:
    encoder = SlowEncoder()
    encoder.may.set()
    pool = Pool.open(tmp_path / "a.pool", encoder)
    pool.add(f"oak {i}" for i in range(COUNT))
    filling = pool.embed_behind()
    pool.close()
    assert not filling.running
    with Pool.open(tmp_path / "a.pool", encoder) as again:
        assert again.info()["without_vector"] == COUNT - filling.filled - (-filling.filled % encoder.texts_at_once)
        again.embed()
        assert again.info()["without_vector"] == 0


def test_what_goes_wrong_is_raised_where_it_is_waited_for(tmp_path: Path) -> None:
    with Pool.open(tmp_path / "a.pool", SlowEncoder()) as pool:
        pool.add(["oak"])
        pool.embed()
        pool.add(["elm"])
        other = SlowEncoder()
        other.text_fingerprint = "others"
        pool._encoder = other
        filling = pool.embed_behind()
        with pytest.raises(InputError, match="of another model"):
            filling.wait(20)
