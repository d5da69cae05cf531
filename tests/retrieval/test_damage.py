"""What can go wrong with a pool in a folder, each in one sentence: damage, full disks, other formats, two writers."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from anselm.errors import AnselmError, FormatError, InputError
from anselm.retrieval import indexes
from anselm.retrieval.item import Item
from anselm.retrieval.pool import Pool
from tests.retrieval.engines import WordEncoder, need

ABOUT = [
    f"Passage {i} is about honey{i % 7} and wax{i % 5}{' again' * (i % 11)}{' and so' * (i // 35)}." for i in range(300)
]
ITEMS = [Item(f"i{i}", text, source="bees.md", start=i) for i, text in enumerate(ABOUT)]  # no two have the same score


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with Pool.open(tmp_path / "bees.pool", WordEncoder()) as pool:
        pool.add(ITEMS)
        pool.embed()
    return tmp_path / "bees.pool"


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    need("qdrant_edge", "pools")
    monkeypatch.setattr(indexes, "LARGE", 0)


def answers(place: Path) -> tuple[list[str], list[str]]:
    """What is found, and what was noted."""
    with Pool.open(place, WordEncoder()) as pool:
        found = pool.search("honey3 and wax2", 20)
        return [one.item.id for one in found], pool.notes


@pytest.mark.parametrize("damage", [b"", b"\x93" * 64], ids=["emptied", "overwritten"])
def test_a_damaged_index_is_made_again_and_said(place: Path, on_disk: None, damage: bytes) -> None:
    whole, notes = answers(place)
    assert notes == []
    names = {
        re.sub("segments/[^/]*", "segments/*", str(path.relative_to(place))) for path in place.glob("index/**/*.*")
    }
    assert len(names) > 10
    for name in sorted(names):
        for file in place.glob(name):  # made again, it is in a folder of another name
            with file.open("r+b") as opened:
                opened.write(damage)
                opened.truncate(os.fstat(opened.fileno()).st_size if damage else 0)
        found, notes = answers_apart(place)
        assert found == whole, name
        assert "was damaged" in notes, name


def answers_apart(place: Path) -> tuple[list[str], str]:
    """In a process of its own: a library in another language may not survive damage."""
    code = f"""
from pathlib import Path
from anselm.retrieval import indexes
from tests.retrieval.test_damage import answers
indexes.LARGE = 0
found, notes = answers(Path({str(place)!r}))
print("found", *found)
print("notes", *notes)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second = (line for line in done.stdout.splitlines() if line.startswith(("found", "notes")))
    return first.split()[1:], second


def test_an_index_that_lacks_passages_is_made_again(place: Path, on_disk: None) -> None:
    import qdrant_edge

    whole, _ = answers(place)
    shard = qdrant_edge.EdgeShard.load(str(place / "index" / "shard"))
    shard.update(qdrant_edge.UpdateOperation.delete_points([3, 4, 5]))
    shard.close()
    found, notes = answers(place)
    assert found == whole
    assert len(notes) == 1
    assert "its files are not as they were left" in notes[0]
    assert answers(place) == (whole, [])


def test_an_index_that_was_not_closed_and_lacks_passages_is_made_again(place: Path, on_disk: None) -> None:
    """As Edge's own log may be cut short by a power failure."""
    import qdrant_edge

    whole, _ = answers(place)
    shard = qdrant_edge.EdgeShard.load(str(place / "index" / "shard"))
    shard.update(qdrant_edge.UpdateOperation.delete_points([3, 4, 5]))
    shard.close()
    position = json.loads((place / "index" / "position.json").read_text())
    (place / "index" / "position.json").write_text(json.dumps(position | {"seal": None}))
    found, notes = answers(place)
    assert found == whole
    assert "297 of 300 passages" in notes[0]


def test_an_index_that_another_process_has_is_done_without(place: Path, on_disk: None) -> None:
    whole, _ = answers(place)
    with Pool.open(place, WordEncoder()) as first:
        assert first.info()["index"] == "edge"
        with Pool.open(place, WordEncoder()) as second:
            assert second.info()["index"] == "exact"
            assert [one.item.id for one in second.search("honey3 and wax2", 20)] == whole


@pytest.mark.parametrize("damage", ["header", "middle", "cut", "other"])
def test_a_damaged_database_is_refused(place: Path, damage: str) -> None:
    file = place / "pool.db"
    raw = file.read_bytes()
    half = len(raw) // 2
    content = {
        "header": b"\x93" * 100 + raw[100:],
        "middle": raw[:4096] + b"\x93" * (len(raw) - 4096),
        "cut": raw[:half],
        "other": b"a table of something\n" * 100,
    }[damage]
    file.write_bytes(content)
    with pytest.raises(FormatError, match=r"pool\.db: (the database is damaged|not the database of a pool)"):
        answers(place)


def test_the_database_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    database = sqlite3.connect(tmp_path / "other" / "pool.db")
    database.execute("CREATE TABLE mine (a)")
    database.close()
    for use in (lambda: answers(tmp_path / "other"), lambda: Pool.open(tmp_path / "other").add(["x"])):
        with pytest.raises(FormatError, match="not the database of a pool"):
            use()


def test_a_newer_format_is_refused(place: Path) -> None:
    database = sqlite3.connect(place / "pool.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(FormatError, match=r"newer Anselm: its format is 99, and this one reads 1; upgrade"):
        answers(place)


def test_one_writes_and_others_read(place: Path) -> None:
    with Pool.open(place, WordEncoder()) as first, Pool.open(place, WordEncoder()) as second:
        assert second.search("zeppelin")[0].words is None
        first.add([Item("new", "A zeppelin."), Item("i3", "Another text.")])
        first.delete(["i4"])
        with pytest.raises(InputError, match=r"another process is writing .*bees\.pool; wait for it, or only read"):
            second.add(["x"])
        assert second.search("zeppelin")[0].item.id == "new"
        assert second.count() == 300
        first.rebuild()
        assert {one.item.id for one in second.search("passage", 500)} == {item.id for item in first.items()} - {
            "new",
            "i3",
        }
    with Pool.open(place) as third:
        third.add(["x"])


def test_a_full_disk_leaves_the_pool_as_it_was(place: Path) -> None:
    with Pool.open(place, WordEncoder()) as pool:
        store = pool.engine.writing  # type: ignore[attr-defined]
        pages = store.database.one("PRAGMA page_count")
        store.database.rows(f"PRAGMA max_page_count = {pages + 5}")
        with pytest.raises(InputError, match=r"pool\.db cannot be read or written: database or disk is full"):
            pool.add([Item(f"new{i}", "A long passage. " * 200) for i in range(50)])
        assert pool.count() == 300
        assert pool.search("honey3")
        assert pool.delete(["i1"]) == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_only_be_read_is_read(place: Path) -> None:
    place.chmod(0o500)
    try:
        assert answers(place)[0]
        with Pool.open(place) as pool, pytest.raises(InputError, match="cannot be written: Permission denied"):
            pool.add(["x"])
    finally:
        place.chmod(0o700)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="is a folder of something else"):
        Pool.open(tmp_path).add(["x"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt"]
    (tmp_path / "file.pool").write_text("mine")
    with pytest.raises(InputError, match=r"file\.pool cannot be written: File exists"):
        Pool.open(tmp_path / "file.pool").add(["x"])


@pytest.mark.parametrize("place", ["", "redis://host/pool", "qdrant://host", "postgresql://host/db#No Name"])
def test_an_address_that_is_none_is_refused(place: str) -> None:
    with pytest.raises(AnselmError, match=r"a pool is|is no pool|needs an extra|the name of a pool"):
        Pool.open(place)


def test_where_an_index_has_no_room_passages_are_searched_in_memory(
    place: Path, on_disk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from anselm.retrieval import edge_index

    whole, _ = answers(place)
    with Pool.open(place, WordEncoder()) as pool:
        assert pool.info()["index"] == "edge"
        monkeypatch.setattr(edge_index, "ROOM", 10**18)
        pool.add([Item("new", "A zeppelin.")])
        assert pool.search("zeppelin")[0].item.id == "new"
        assert [one.item.id for one in pool.search("honey3 and wax2", 20)] == whole
        assert pool.info()["index"] == "exact"
        assert "MB are free on the disk" in pool.notes[0]
    monkeypatch.undo()
    assert answers(place)[0] == whole
