"""A download is whole and right, or one sentence; what came is not asked for twice."""

from __future__ import annotations

import errno
import hashlib
from pathlib import Path

import numpy as np
import pytest

from anselm.errors import InputError
from anselm.fetch.downloads import UnreachableError, download
from tests.fetch.conftest import Hub

CONTENT = np.random.default_rng(0).bytes(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def get(hub: Hub, path: Path, size: int = len(CONTENT), told: list[tuple[int, int]] | None = None) -> None:
    seen = [] if told is None else told
    download(f"{hub.address}/model", path, size, SHA256, lambda *much: seen.append(much))


@pytest.fixture
def place(hub: Hub, tmp_path: Path) -> Path:
    hub.content = CONTENT
    return tmp_path / "cache" / "model"


def test_a_whole_file(hub: Hub, place: Path) -> None:
    told: list[tuple[int, int]] = []
    get(hub, place, told=told)
    assert place.read_bytes() == CONTENT
    assert [path.name for path in place.parent.iterdir()] == ["model"]
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert hub.asked == [("/model", None)]


def test_what_breaks_off_is_gone_on_with_until_it_is_whole(hub: Hub, place: Path) -> None:
    hub.most = 100_000
    get(hub, place)
    assert place.read_bytes() == CONTENT
    assert [asked for _, asked in hub.asked] == [None, "bytes=100000-", "bytes=200000-"]


def test_what_another_run_left_is_gone_on_with(hub: Hub, place: Path) -> None:
    place.parent.mkdir()
    place.with_name("model.part").write_bytes(CONTENT[:77_777])
    get(hub, place)
    assert place.read_bytes() == CONTENT
    assert hub.asked == [("/model", "bytes=77777-")]


def test_a_server_without_ranges_sends_it_all_again(hub: Hub, place: Path) -> None:
    hub.ranges = False
    place.parent.mkdir()
    place.with_name("model.part").write_bytes(b"x" * 1000)
    get(hub, place)
    assert place.read_bytes() == CONTENT


def test_a_server_without_ranges_that_breaks_off_is_not_asked_for_ever(hub: Hub, place: Path) -> None:
    hub.ranges, hub.most = False, 1000
    with pytest.raises(UnreachableError, match="nothing more after 1,000 of 300,000 bytes"):
        get(hub, place)
    assert not place.exists()
    assert len(hub.asked) == 2


def test_a_truncated_file_is_kept_for_the_next_time(hub: Hub, place: Path) -> None:
    hub.content = CONTENT[:1000]
    with pytest.raises(UnreachableError, match="1,000 of 300,000"):
        get(hub, place)
    assert not place.exists()
    hub.content = CONTENT
    get(hub, place)
    assert place.read_bytes() == CONTENT
    assert hub.asked[-1] == ("/model", "bytes=1000-")


@pytest.mark.parametrize("wrong", [CONTENT[:-1] + b"?", CONTENT + b"more"], ids=["bytes", "length"])
def test_another_file_is_refused_and_removed(wrong: bytes, hub: Hub, place: Path) -> None:
    hub.content = wrong
    with pytest.raises(InputError, match="not the file that was expected"):
        get(hub, place)
    assert list(place.parent.iterdir()) == []


def test_a_part_that_does_not_fit_is_found_out(hub: Hub, place: Path) -> None:
    place.parent.mkdir()
    place.with_name("model.part").write_bytes(b"x" * 1000)
    with pytest.raises(InputError, match="SHA-256"):
        get(hub, place)
    get(hub, place)  # the next attempt begins anew
    assert place.read_bytes() == CONTENT


@pytest.mark.parametrize("status", [404, 403, 503])
def test_what_is_not_there(status: int, hub: Hub, place: Path) -> None:
    hub.status = status
    with pytest.raises(UnreachableError, match=f"/model cannot be fetched: {status} "):
        get(hub, place)
    assert list(place.parent.iterdir()) == []


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="cannot be reached"):
        download("http://127.0.0.1:9/model", tmp_path / "model", 5, SHA256, lambda *_: None)


def test_a_full_disk_leaves_nothing(hub: Hub, place: Path) -> None:
    def full(done: int, total: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InputError, match="No space left on device"):
        download(f"{hub.address}/model", place, len(CONTENT), SHA256, full)
    assert list(place.parent.iterdir()) == []
