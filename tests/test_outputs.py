"""Where output goes: links, permissions, devices, pipes, and what fails on the way."""

from __future__ import annotations

import errno
import gzip
import os
import stat
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest

from anselm.errors import InputError
from anselm.files import replace_file, write_atomically, write_bytes_atomically
from anselm.outputs import check_apart, hold, is_stream

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, modes and pipes of POSIX")


def write(path: Path, text: str = "new") -> None:
    with write_atomically(path) as file:
        file.write(text)


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    real, link, second = tmp_path / "there" / "real.txt", tmp_path / "link.txt", tmp_path / "second.txt"
    real.write_text("old")
    link.symlink_to(real)
    second.symlink_to("link.txt")
    write(second)
    assert real.read_text() == "new"
    assert second.readlink() == Path("link.txt")
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["link.txt", "real.txt", "second.txt", "there"]


def test_a_link_to_nothing_gets_its_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("new")
    write(tmp_path / "link")
    assert (tmp_path / "new").read_text() == "new"
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "self").symlink_to("self")
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path / "self")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o444])
def test_permissions_stay(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    path.chmod(mode)
    write(path)
    replace_file(path, path.read_bytes() + b"er")
    assert path.read_text() == "newer"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_device_is_written_to(tmp_path: Path) -> None:
    before = os.stat("/dev/null")  # noqa: PTH116
    (tmp_path / "null").symlink_to("/dev/null")
    write(tmp_path / "null")
    write(Path("/dev/null"))
    assert os.path.samestat(before, os.stat("/dev/null"))  # noqa: PTH116
    assert (tmp_path / "null").is_symlink()
    with pytest.raises(InputError, match="/dev/full cannot be written: No space left"):
        write(Path("/dev/full"))


@pytest.mark.parametrize("name", ["pipe", "pipe.gz"])
def test_a_pipe_is_written_into(name: str, tmp_path: Path) -> None:
    path, got = tmp_path / name, []
    os.mkfifo(path)
    reader = Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    write(path, "new\n" * 100)
    reader.join(timeout=10)
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert (gzip.decompress(got[0]) if name.endswith(".gz") else got[0]) == b"new\n" * 100


def test_an_open_descriptor_goes_on_where_it_is(tmp_path: Path) -> None:
    """As `>> file` leaves it: opening /dev/stdout anew would empty the file."""
    code = (
        "from pathlib import Path; from anselm.files import write_atomically\n"
        "for name in ('/dev/stdout', '-', '/dev/fd/1'):\n"
        "    with write_atomically(Path(name)) as file: file.write(name + ' ')\n"
    )
    path = tmp_path / "all.txt"
    path.write_text("before ")
    with path.open("ab") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert path.read_text() == "before /dev/stdout - /dev/fd/1 "
    assert is_stream(Path("-"))
    assert not is_stream(path)
    assert not is_stream(tmp_path)
    assert not is_stream(tmp_path / "nowhere")


def fail(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.chmod"])
def test_a_full_disk_leaves_the_old_file(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    monkeypatch.setattr(step, fail)
    with pytest.raises(InputError, match=r"file\.txt cannot be written: No space left on device"):
        write(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_fills_up_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")

    def fill() -> None:
        with write_bytes_atomically(path) as file:
            file.write(b"some")
            fail()

    with pytest.raises(InputError, match="No space left on device"):
        fill()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(InputError, match="cannot be written: Permission denied"):
            write(path)
    finally:
        tmp_path.chmod(0o755)
    assert path.read_text() == "old"


def test_an_input_is_known_by_every_name(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    path.write_text("x")
    (tmp_path / "soft").symlink_to(path)
    (tmp_path / "hard").hardlink_to(path)
    for name in ("lists.jsonl", "soft", "hard", "../" + tmp_path.name + "/soft"):
        with pytest.raises(InputError, match="is what is read, which would be lost"):
            check_apart(tmp_path / name, "wikiqa", path)
    check_apart(tmp_path / "other", path)
    check_apart(Path("/dev/null"), "/dev/null")


def test_a_held_file_is_held_once(tmp_path: Path) -> None:
    path = tmp_path / "file.partial"
    with hold(path) as file:
        file.write(b"mine")
        with pytest.raises(InputError, match=r"another run is writing .*file\.partial"), hold(path):
            pass
        path.rename(tmp_path / "file")
        with hold(path) as other:  # the name is free again
            assert other.read() == b""
    with hold(path):
        pass
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_who_is_patient_gets_a_held_file_when_it_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import anselm.outputs

    path = tmp_path / "file"
    with ExitStack() as mine:
        mine.enter_context(hold(path)).write(b"mine")
        monkeypatch.setattr(anselm.outputs, "sleep", lambda _: mine.close())
        with hold(path, patience=60) as file:
            assert file.read() == b"mine"
    with hold(path), pytest.raises(InputError, match="another run is writing"), hold(path, patience=0):
        pass


def test_a_file_that_was_moved_while_waiting_is_not_taken_for_the_partial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other run ends between our opening the file and our locking it."""
    import anselm.outputs

    path, done = tmp_path / "file.partial", tmp_path / "file"
    path.write_bytes(b"theirs")
    real = anselm.outputs._lock

    def late(file: object) -> None:
        monkeypatch.setattr(anselm.outputs, "_lock", real)
        path.rename(done)
        real(file)  # type: ignore[arg-type]

    monkeypatch.setattr(anselm.outputs, "_lock", late)
    with hold(path) as file:
        file.write(b"mine")
    assert (done.read_bytes(), path.read_bytes()) == (b"theirs", b"mine")
