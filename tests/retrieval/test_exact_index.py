"""The index in memory: what it has taken in piece by piece is what one that begins anew reads at once."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from anselm.retrieval import exact_index
from anselm.retrieval.pool import Pool
from anselm.retrieval.postings import Postings
from tests.retrieval.engines import WordEncoder

WORDS = ["oak", "elm", "ash", "yew", "fir", "larch", "beech", "birch"]


def test_postings_are_those_of_a_plain_search() -> None:
    rng, postings, plain = np.random.default_rng(3), Postings(), list[tuple[int, int, float]]()
    for size in (50, 3, 0, 200, 7):
        terms = rng.integers(0, 12, size).astype(np.uint32)
        rows, weights = rng.integers(0, 99, size).astype(np.int32), rng.random(size).astype(np.float32)
        postings.append(terms, rows, weights)
        plain += zip(terms.tolist(), rows.tolist(), weights.tolist(), strict=True)
        for term in range(14):
            found = sorted(zip(*(column.tolist() for column in postings.find(term)), strict=True))
            assert found == sorted((row, weight) for one, row, weight in plain if one == term)


def test_what_comes_piece_by_piece_is_found_as_if_it_came_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_index, "BLOCK", 3)
    rng, place = random.Random(5), tmp_path / "a.pool"
    with Pool.open(place, WordEncoder()) as pool:
        for step in range(25):
            ids = [str(rng.randrange(30)) for _ in range(rng.randint(1, 8))]
            pool.add({"id": id, "text": " ".join(rng.choices(WORDS, k=rng.randint(1, 9)))} for id in ids)
            if step % 3:
                pool.embed()
            if step % 4 == 3:
                pool.delete(ids[:2])
            with Pool.open(place, WordEncoder()) as fresh:
                for question in ("oak", "elm yew", "larch"):
                    assert pool.search_apart(question, 10) == fresh.search_apart(question, 10)


def test_all_vectors_are_filled_in_whichever_were_lost(tmp_path: Path) -> None:
    with Pool.open(tmp_path / "a.pool", WordEncoder()) as pool:
        pool.add({"id": str(number), "text": f"oak {number}"} for number in range(20))
        assert len(pool.engine.pending(5)) == 5
        assert pool.embed() == 20
        pool.add([{"id": "3", "text": "an elm"}, {"id": "new", "text": "a fir"}])
        assert [one.id for one in pool.engine.pending(5)] == ["3", "new"]
        assert pool.embed() == 2
        pool.rebuild(vectors=True)
        assert pool.embed() == 21
        assert pool.info()["without_vector"] == 0


def test_equal_vectors_are_equally_near_wherever_their_rows_are(tmp_path: Path) -> None:
    """A product of matrices does not compute all rows alike: of as many as seven, the last three come out otherwise."""
    rng = np.random.default_rng(1)
    for count in (7, 10, 401):
        with Pool.open(tmp_path / f"{count}.pool") as pool:
            pool.add({"id": f"i{n}", "text": "oak"} for n in range(count))
            for _ in range(5):
                vector, asked = (rng.normal(size=384).astype(np.float32) / 20 for _ in range(2))
                pool.engine.rebuild(vectors=True)
                pool.engine.set_vectors("v", pool.engine.pending(count), np.tile(vector, (count, 1)))
                assert pool.engine.by_vector(asked, 5) == [f"i{n}" for n in range(5)]
