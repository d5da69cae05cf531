"""What would harm a pool is refused, and what is written together is written whole."""

from __future__ import annotations

import json
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anselm.errors import FormatError, InputError
from anselm.retrieval import database
from anselm.retrieval.feedback import BLOCK, FILE, check_beside, record_feedback
from anselm.retrieval.item import Item
from anselm.retrieval.pool import Pool
from anselm.retrieval.store import Store
from anselm.scale.input_parts import Part
from anselm.scale.list_files import read_span
from tests.retrieval.engines import WordEncoder


def make_pool(folder: Path) -> Pool:
    pool = Pool.open(folder / "bees.pool", WordEncoder())
    pool.replace("page", [Item(f"i{n}", f"Bees hum {n}.", source="page") for n in range(3)])
    return pool


def test_a_source_that_is_not_replaced_whole_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> int:
        raise KeyboardInterrupt

    with make_pool(tmp_path) as pool:
        before = list(pool.items())
        with monkeypatch.context() as patch:
            patch.setattr(Store, "delete", stop)
            with pytest.raises(KeyboardInterrupt):
                pool.replace("page", [Item("i0", "Wasps sting.", source="page"), Item("new", "So.", source="page")])
        assert list(pool.items()) == before
        assert pool.replace("page", [Item("i0", "Wasps sting.", source="page")]) == 3
        assert [item.text for item in pool.items()] == ["Wasps sting."]
        assert [found.item.id for found in pool.search("wasps")] == ["i0"]


@pytest.mark.parametrize("name", ["pool.db", "out.jsonl", "linked"])
def test_nothing_is_written_over_a_pool(name: str, tmp_path: Path) -> None:
    with make_pool(tmp_path) as pool:
        output = tmp_path / "bees.pool" / name
        if name == "linked":
            output = tmp_path / name
            os.link(tmp_path / "bees.pool" / "pool.db", output)
        with pytest.raises(InputError, match=r"within the pool|would be lost"):
            check_beside(pool, output)
        with pytest.raises(InputError, match="within the pool"):  # `export` would write over all judgements
            check_beside(pool, tmp_path / "bees.pool" / FILE)
        check_beside(pool, tmp_path / "bees.pool" / FILE, gathers=True)
        with Pool.open(tmp_path / "wasps.pool", WordEncoder()) as other:
            other.add(["wax"])
        for file in ("pool.db", FILE):
            with pytest.raises(InputError, match="within the pool"):
                check_beside(pool, tmp_path / "wasps.pool" / file)
        check_beside(pool, tmp_path / "out.jsonl")
        check_beside(pool, Path("-"))


LIST = b'{"question": "Why?", "candidates": [{"text": "So."}]}'


@pytest.mark.parametrize(
    ("there", "kept"),
    [
        (b"", b""),
        (LIST + b"\n", LIST + b"\n"),
        (LIST, LIST + b"\n"),  # edited by hand: a whole list without an end
        (LIST + b"\n" + LIST[:20], LIST + b"\n"),  # what a kill left
        (LIST[:-1] + b"x" * BLOCK, b""),
        (LIST + b"\n" + LIST[:-1] + b', "x": "' + b"x" * 3 * BLOCK + b'"}\n', None),
    ],
)  # fmt: skip
def test_feedback_goes_behind_what_is_there(there: bytes, kept: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "lists.jsonl"
    file.write_bytes(there)
    record_feedback(file, "Who?", [Item("a", "One.")], ["a"])
    *before, last = file.read_bytes().splitlines(keepends=True)
    assert b"".join(before) == (there if kept is None else kept)
    assert json.loads(last)["question"] == "Who?"
    aside, torn = tmp_path / "lists.jsonl.torn", b"" if kept is None else there[len(kept) :]
    assert (aside.read_bytes() if aside.exists() else b"") == (torn and torn + b"\n")


def test_feedback_is_not_added_to_what_is_no_file_of_lists(tmp_path: Path) -> None:
    for there in (b"precious without newline", b"precious\n", b'{"x": 1}\n', b'{"x": "{"question"'):
        (tmp_path / "notes.txt").write_bytes(there)
        with pytest.raises(FormatError, match="no list with a question"):
            record_feedback(tmp_path / "notes.txt", "Who?", [Item("a", "One.")], ["a"])
        assert (tmp_path / "notes.txt").read_bytes() == there
    for name in ("-", "/dev/full"):
        with pytest.raises(InputError, match="is no file"):
            record_feedback(Path(name), "Who?", [Item("a", "One.")], ["a"])


def test_lists_are_not_gathered_in_a_packed_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"give a name without \.gz"):
        record_feedback(tmp_path / "lists.jsonl.gz", "Who?", [Item("a", "One.")], ["a"])
    assert not list(tmp_path.iterdir())


def test_feedback_waits_for_who_is_writing(tmp_path: Path) -> None:
    path, threads = tmp_path / FILE, 8
    with ThreadPoolExecutor(threads) as pool:
        made = [pool.submit(record_feedback, path, f"Who {n}?", [Item("a", "One.")], ["a"]) for n in range(threads)]
    assert [one.result() for one in made] == [None] * threads
    asked = {json.loads(line)["question"] for line in path.read_text().splitlines()}
    assert asked == {f"Who {n}?" for n in range(threads)}


def without_permission(patch: pytest.MonkeyPatch) -> None:
    """As SQLite is where the folder may not be written and nobody writes: only what does not change can be read."""
    connect = database._connect

    def refuse(address: str) -> sqlite3.Connection:
        if "immutable" not in address:
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error
        return connect(address)

    patch.setattr(database, "_connect", refuse)


def test_who_may_not_write_sees_what_is_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_pool(tmp_path).close()
    without_permission(monkeypatch)
    with Pool.open(tmp_path / "bees.pool", WordEncoder()) as reader:
        assert reader.count() == 3
        listing = reader.items()
        next(listing)
        with Pool.open(tmp_path / "bees.pool", WordEncoder()) as writer:
            writer.add([Item(f"n{n}", f"Wasps sting {n}.") for n in range(2000)])
        assert reader.count() == 2003
        assert len(list(listing)) >= 2  # what was being read is read to its end
        assert reader.search("sting 1999")[0].item.id == "n1999"


def test_who_may_not_write_is_told_of_changes_that_a_kill_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_pool(tmp_path).close()
    (tmp_path / "bees.pool" / "pool.db-wal").write_bytes(b"left by a kill")
    without_permission(monkeypatch)
    with Pool.open(tmp_path / "bees.pool") as pool, pytest.raises(InputError, match="not in the database yet"):
        pool.count()


def test_the_database_of_another_program_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with closing(sqlite3.connect(tmp_path / "other" / "pool.db")) as connection:
        connection.execute("CREATE TABLE theirs (value)")
        connection.commit()
    before = (tmp_path / "other" / "pool.db").read_bytes()
    with Pool.open(tmp_path / "other") as pool, pytest.raises(FormatError, match="not the database of a pool"):
        pool.add(["Bees hum."])
    assert (tmp_path / "other" / "pool.db").read_bytes() == before


@pytest.mark.parametrize("items", ["abc", {"text": "a"}, None])
def test_one_passage_is_no_list_of_them(items: Any, tmp_path: Path) -> None:
    with make_pool(tmp_path) as pool, pytest.raises(InputError, match="passages must be a list"):
        pool.add(items)


@pytest.mark.parametrize("value", [2**63, -(2**70), "\udcff"])
def test_what_no_database_keeps_is_not_asked_for(value: Any, tmp_path: Path) -> None:
    with make_pool(tmp_path) as pool, pytest.raises(InputError, match="where takes"):
        pool.count({"year": value})


def test_a_bad_line_where_a_file_is_cut_is_skipped_alone(tmp_path: Path) -> None:
    """It begins as UTF-16 does, but a piece is no file."""
    good = [json.dumps({"id": f"q{n}", "question": "Who?", "candidates": ["x", "y"]}).encode() for n in range(4)]
    lines = [*good[:2], b"\xff\xfe{", *good[2:]]
    path = tmp_path / "lists.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    cut = len(b"\n".join(good[:2])) + 1
    skipped: list[object] = []
    parts = [Part(str(path), "a", 9, 0, cut), Part(str(path), "b", 9, cut, path.stat().st_size)]
    found = [question.id for part in parts for question in read_span(part, skipped.append)]
    assert found == ["q0", "q1", "q2", "q3"]
    assert len(skipped) == 1
