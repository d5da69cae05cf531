"""A pool in a folder: what is read while it is written, what is used after it was closed, and locks that are none."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from anselm.errors import InputError
from anselm.retrieval.item import Item
from anselm.retrieval.pool import Pool
from tests.retrieval.engines import WordEncoder


def make(place: Path, count: int) -> Pool:
    """It has written, so that what it reads it reads with the same connection."""
    pool = Pool.open(place, WordEncoder())
    pool.add(Item(f"i{n}", f"honey {n}", source="old") for n in range(count))
    return pool


@pytest.mark.parametrize("where", [None, {"source": "old"}])
def test_what_is_added_while_passages_are_read_is_not_read(where: dict[str, str] | None, tmp_path: Path) -> None:
    with make(tmp_path / "bees.pool", 1_500) as pool:
        copies = ({"id": f"{item.id}x", "text": item.text, "source": "old"} for item in pool.items(where))
        assert pool.add(islice(copies, 9_000)) == 1_500
        assert pool.count() == 3_000


def test_passages_may_be_replaced_and_deleted_while_they_are_read(tmp_path: Path) -> None:
    with make(tmp_path / "bees.pool", 2_500) as pool:
        seen = []
        for item in islice(pool.engine.items(), 9_000):
            seen.append(item.id)
            pool.add([Item(item.id, f"wax {item.text}"), Item(f"new{item.id}", "wax")])
            if item.id == "i7":
                pool.delete(f"i{n}" for n in range(5, 2_490))
                pool.add([Item("i20", "again")])  # it has another place now
        assert [id for id in seen if id != "i8"] == [  # which may have been on its way
            f"i{n}" for n in (*range(8), *range(2_490, 2_500))
        ]


def test_a_source_that_is_replaced_as_it_begins_to_be_read_is_read_whole(tmp_path: Path) -> None:
    with make(tmp_path / "bees.pool", 30) as writer, Pool.open(tmp_path / "bees.pool") as reader:
        listing = reader.items({"source": "old"})
        writer.replace("old", [Item(f"n{n}", "wax", source="old") for n in range(30)])
        assert len(list(listing)) == 30


def test_passages_are_read_one_after_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with make(tmp_path / "bees.pool", 100) as pool:
        store = pool.engine.reading  # type: ignore[attr-defined]
        made, item = [], store._item
        monkeypatch.setattr(store, "_item", lambda row: made.append(row) or item(row))
        assert len(list(islice(pool.engine.items(), 3))) == 3
        assert len(made) == 3


def test_a_pool_without_passages_has_none_to_read(tmp_path: Path) -> None:
    with make(tmp_path / "bees.pool", 1) as pool:
        pool.delete(["i0"])
        assert list(pool.items()) == []


def test_a_closed_pool_is_not_used_and_keeps_no_lock(tmp_path: Path) -> None:
    pool = make(tmp_path / "bees.pool", 150)  # more than are read at once
    pool.embed()
    listing = pool.items()
    next(listing)
    pool.close()
    uses = [
        lambda: pool.add(["wax"]),
        lambda: pool.delete(["i0"]),
        lambda: pool.search("honey"),
        lambda: pool.embed(),
        lambda: pool.rebuild(),
        lambda: pool.info(),
        lambda: pool.flush(),
        lambda: list(pool.items()),
        lambda: list(listing),
    ]
    for use in uses:
        with pytest.raises(InputError, match=r"bees\.pool is closed|closed database"):
            use()
    pool.close()
    with Pool.open(tmp_path / "bees.pool", WordEncoder()) as other:
        assert other.add(["wax"]) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such system")
@pytest.mark.parametrize("name", ["lock", "pool.db"])
def test_a_pipe_in_the_place_of_a_file_is_refused(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    code = f"from anselm.retrieval.pool import Pool; Pool.open({str(tmp_path)!r}).add(['honey'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert f"InputError: {tmp_path / name} " in done.stderr


def test_a_database_that_is_refused_is_refused_again(tmp_path: Path) -> None:
    (tmp_path / "pool.db").write_bytes(b"a table of something\n" * 100)
    pool = Pool.open(tmp_path, WordEncoder())
    for _ in range(2):
        with pytest.raises(InputError, match="damaged"):
            pool.add(["honey"])


def test_a_folder_in_the_place_of_the_lock_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(InputError, match="lock is no file, and cannot be locked; remove it"):
        Pool.open(tmp_path).add(["honey"])
