"""An index on disk that is not as it was left, that others use, or that has no room: what is found is right."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
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
