"""An index on disk that is not as it was left, that others use, or that has no room: what is found is right."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from anselm.errors import InputError
from anselm.retrieval import edge_position, indexes
from anselm.retrieval.pool import Pool
from anselm.retrieval.stem_counts import load_counts
from tests.retrieval.engines import WordEncoder, need


@pytest.fixture(autouse=True)
def on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    need("qdrant_edge", "pools")
    monkeypatch.setattr(indexes, "LARGE", 0)


def make(place: Path, word: str = "honey") -> Path:
    """A pool whose index is closed as it should be; no two passages have the same score."""
    with Pool.open(place, WordEncoder()) as pool:
        pool.add({"id": f"i{n}", "text": f"{word} {'wax ' * n}number{n}"} for n in range(30))
        pool.embed()
        pool.flush()
    return place


def look(place: Path, question: str = "honey number3") -> tuple[list[str], str, str]:
    """What is found by words, with which index, and what was noted."""
    with Pool.open(place, WordEncoder()) as pool:
        found, _ = pool.search_apart(question, 5)
        return found, pool.info()["index"], " ".join(pool.notes)


def put_folder(index: Path) -> None:
    (index / "position.json").unlink()
    (index / "position.json").mkdir()


def put_file(index: Path) -> None:
    shutil.rmtree(index / "shard")
    (index / "shard").write_text("mine")


def put_dangling_link(index: Path) -> None:
    shutil.rmtree(index / "shard")
    (index / "shard").symlink_to(index / "nowhere")


def put_position(content: str) -> Callable[[Path], object]:
    return lambda index: (index / "position.json").write_text(content)


HARM: dict[str, Callable[[Path], object]] = {
    "deep": put_position("[" * 200_000),
    "infinite": put_position(json.dumps({"format": edge_position.FORMAT, "width": 24, "change": 1e999, "seal": None})),
    "a list": put_position("[]"),
    "of other fields": put_position(json.dumps({"format": edge_position.FORMAT, "place": 3})),
    "a folder": put_folder,
    "shard is a file": put_file,
    "shard leads nowhere": put_dangling_link,
}


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_whatever_was_put_in_its_place_it_is_made_again_and_said(
    harm: Callable[[Path], object], tmp_path: Path
) -> None:
    place = make(tmp_path / "bees.pool")
    whole, *_ = look(place)
    harm(place / "index")
    found, index, notes = look(place)
    assert (found, index) == (whole, "edge")
    assert "was damaged" in notes
    assert look(place) == (whole, "edge", "")


@pytest.mark.parametrize(
    "table",
    [
        np.zeros((2, 0), dtype=np.int64),
        np.array([["a", "b"], ["c", "d"]]),
        np.zeros((2, 2, 2), dtype=np.int64),
        np.array([[-1.0, 5.0], [30.0, 2.0]]),
        np.array([[-1, 9, 5], [30, 2, 2]]),
        np.array([[-1, 5], [30, -2]]),
    ],
    ids=["empty", "strings", "3d", "floats", "falling", "negative"],
)
def test_counts_that_cannot_be_are_counted_again(table: np.ndarray, tmp_path: Path) -> None:
    place = make(tmp_path / "bees.pool")
    whole, *_ = look(place)
    stems, position = place / "index" / "stems.npy", place / "index" / "position.json"
    np.save(stems, table)
    kept, state = json.loads(position.read_text()), stems.stat()
    seal = [[name, state.st_size, state.st_mtime_ns] if name == stems.name else [name, *_] for name, *_ in kept["seal"]]
    position.write_text(json.dumps(kept | {"seal": seal}))
    assert load_counts(stems) is None
    assert look(place) == (whole, "edge", "")


@pytest.mark.parametrize("k", [2**32 + 1, 2**64, 2**70])
def test_more_than_can_be_is_no_damage(k: int, tmp_path: Path) -> None:
    with Pool.open(make(tmp_path / "bees.pool"), WordEncoder()) as pool:
        assert len(pool.search("honey", k)) == 30
        assert (pool.info()["index"], pool.notes) == ("edge", [])


def test_where_a_full_disk_keeps_it_from_being_used_passages_are_searched_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, content: bytes) -> None:
        raise InputError(f"{path} cannot be written: No space left on device")

    place = make(tmp_path / "bees.pool")
    whole, *_ = look(place)
    with monkeypatch.context() as patch:
        patch.setattr(edge_position, "replace_file", fail)
        found, index, notes = look(place)
        assert (found, index) == (whole, "exact")
        assert "position.json cannot be written: No space left on device" in notes
        assert "searched in memory" in notes
    assert look(place) == (whole, "edge", "")  # it was left as it was


def test_a_disk_that_becomes_full_while_it_is_open_keeps_nobody_from_searching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, content: bytes) -> None:
        raise InputError(f"{path} cannot be written: No space left on device")

    with Pool.open(make(tmp_path / "bees.pool"), WordEncoder()) as pool:
        whole, _ = pool.search_apart("honey number3", 5)
        monkeypatch.setattr(edge_position, "replace_file", fail)
        pool.engine.writing.database.rows("PRAGMA max_page_count = 1")  # type: ignore[attr-defined]
        with pytest.raises(InputError, match="disk is full"):
            pool.add({"id": f"n{n}", "text": "long " * 400} for n in range(500))
        assert pool.search_apart("honey number3", 5)[0] == whole
        assert pool.info()["index"] == "exact"
        assert "searched in memory" in pool.notes[0]


OTHER = "it was made from another pool.db, or from another past of this one"


def test_the_database_of_another_pool_is_not_searched_with_this_index(tmp_path: Path) -> None:
    here, there = make(tmp_path / "here", "smoke"), make(tmp_path / "there")
    right, *_ = look(there)
    shutil.copy(there / "pool.db", here / "pool.db")
    found, index, notes = look(here)
    assert (found, index) == (right, "edge")
    assert OTHER in notes
    assert look(here) == (right, "edge", "")


def change_in_memory(place: Path, monkeypatch: pytest.MonkeyPatch, id: str, text: str) -> None:
    """So that the index on disk does not see it."""
    with monkeypatch.context() as patch, Pool.open(place, WordEncoder()) as pool:
        patch.setattr(indexes, "LARGE", 1_000)
        pool.add([{"id": id, "text": text}])
        pool.embed()


@pytest.mark.parametrize("changed", [False, True])
def test_a_database_that_was_brought_back_is_not_searched_with_what_came_after(
    changed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, kept = make(tmp_path / "bees.pool"), tmp_path / "kept.db"
    shutil.copy(place / "pool.db", kept)
    change_in_memory(place, monkeypatch, "i1", "mead in barrels")
    assert look(place, "mead")[0] == ["i1"]
    shutil.copy(kept, place / "pool.db")
    if changed:
        change_in_memory(place, monkeypatch, "i2", "propolis is glue")
    found, _, notes = look(place, "mead propolis number1")
    assert found == (["i1", "i2"] if changed else ["i1"])
    assert look(place, "mead")[0] == []
    assert OTHER in notes


@pytest.mark.parametrize("large", [0, 1_000], ids=["edge", "exact"])
def test_a_database_that_is_brought_back_under_an_open_pool_is_noticed(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexes, "LARGE", large)
    here, there = make(tmp_path / "here", "smoke"), make(tmp_path / "there")
    with Pool.open(here, WordEncoder()) as pool:
        assert pool.search_apart("smoke", 50)[0]
        with closing(sqlite3.connect(there / "pool.db")) as new, closing(sqlite3.connect(here / "pool.db")) as old:
            new.backup(old)
        assert pool.search_apart("smoke", 50)[0] == []
        assert len(pool.search_apart("honey", 50)[0]) == 30


def test_the_index_of_a_database_of_an_older_version_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its changes have no marks."""
    place = make(tmp_path / "bees.pool")
    shutil.rmtree(place / "index")
    with closing(sqlite3.connect(place / "pool.db")) as database, database:
        assert database.execute("DELETE FROM fact WHERE name LIKE 'mark %'").rowcount == 1
    whole, *_ = look(place)
    monkeypatch.delattr("anselm.retrieval.edge_index.EdgeIndex._create")
    with Pool.open(place, WordEncoder()) as pool:
        pool.add([{"id": "new", "text": "mead in barrels"}])
    assert look(place) == (whole, "edge", "")
    assert look(place, "mead") == (["new"], "edge", "")


def test_marks_are_as_many_as_openings_and_forgotten_with_what_was_deleted(tmp_path: Path) -> None:
    place = make(tmp_path / "bees.pool")
    marks = "SELECT count(*) FROM fact WHERE name LIKE 'mark %'"
    for opening in range(1, 4):
        with Pool.open(place, WordEncoder()) as pool:
            assert pool.engine.reading.database.one(marks) == opening  # type: ignore[attr-defined]
            pool.add([{"id": "i1", "text": f"mead {opening}"}])
            pool.delete(["i2"])
            pool.add([{"id": "i2", "text": f"mead {opening}"}])
    with Pool.open(place, WordEncoder()) as pool:
        pool.rebuild()
        assert pool.engine.reading.database.one(marks) == 1  # type: ignore[attr-defined]
        assert pool.search_apart("mead", 9)[0] == ["i1", "i2"]
    assert look(place, "mead") == (["i1", "i2"], "edge", "")


def test_an_index_that_another_process_has_open_stays_with_it_when_the_pool_is_rebuilt(tmp_path: Path) -> None:
    place = make(tmp_path / "bees.pool")
    with Pool.open(place, WordEncoder()) as reader, Pool.open(place, WordEncoder()) as writer:
        assert reader.info()["index"] == "edge"
        writer.delete(["i5"])
        writer.rebuild()
        assert writer.info()["index"] == "exact"
        assert "stays with the process that has it open" in writer.notes[0]
        writer.add([{"id": "i3", "text": "propolis is glue"}])
        for pool in (reader, writer):
            assert len(pool.search_apart("honey", 50)[0]) == 28
            assert pool.search_apart("propolis", 9)[0] == ["i3"]
        assert (reader.info()["index"], reader.notes) == ("edge", [])
    assert look(place, "propolis") == (["i3"], "edge", "")


def test_a_rebuilt_index_keeps_its_lock_and_nothing_else(tmp_path: Path) -> None:
    place = make(tmp_path / "bees.pool")
    (place / "index" / "left over").mkdir()
    lock = (place / "index" / "lock").stat().st_ino
    with Pool.open(place, WordEncoder()) as pool:
        pool.rebuild()
        assert (pool.info()["index"], pool.notes) == ("edge", [])
        assert sorted(path.name for path in (place / "index").iterdir()) == ["lock", "position.json", "shard"]
    assert (place / "index" / "lock").stat().st_ino == lock


def test_files_may_go_while_they_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = make(tmp_path / "bees.pool")
    (place / "index" / "gone").symlink_to(tmp_path / "nowhere")
    with Pool.open(place, WordEncoder()) as pool:
        pool.search("honey")
        monkeypatch.setattr(Path, "is_file", lambda path: True)  # as it was when it was listed
        assert pool.info()["bytes"] >= (place / "pool.db").stat().st_size


def test_what_is_written_while_an_index_is_opened_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from anselm.retrieval.edge_index import EdgeIndex

    place, check = make(tmp_path / "bees.pool"), EdgeIndex._check

    def write_first(index: EdgeIndex) -> None:
        monkeypatch.setattr(EdgeIndex, "_check", check)
        writer.add([{"id": "new", "text": "propolis is glue"}])
        check(index)

    monkeypatch.setattr(EdgeIndex, "_check", write_first)
    with Pool.open(place, WordEncoder()) as writer:
        assert look(place, "propolis") == (["new"], "edge", "")


@pytest.mark.parametrize("large", [0, 10_000], ids=["edge", "exact"])
def test_of_equal_passages_the_older_come_first(large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "LARGE", large)
    with Pool.open(tmp_path / "bees.pool", WordEncoder()) as pool:
        pool.add({"id": f"i{n}", "text": f"wax n{n}" if n % 3 else "honey and wax"} for n in range(1_200))
        pool.embed()
        for k in (1, 100, 399):
            for found in pool.search_apart("honey and wax", k):
                assert found == [f"i{3 * n}" for n in range(k)]
