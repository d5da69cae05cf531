"""Files: packed or not, whole or not at all."""

from __future__ import annotations

import errno
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread, active_count
from time import monotonic, sleep

import pytest

from anselm import files
from anselm.data.datasets import load_dataset
from anselm.data.formats.faqs import read_entries
from anselm.errors import FormatError, InputError
from anselm.files import find_file, read_json, read_lines, write_folder_atomically
from anselm.text.documents import read_document


def test_a_packed_or_unpacked_twin_stands_in_for_a_missing_file(tmp_path: Path) -> None:
    packed, plain = tmp_path / "a.tsv.gz", tmp_path / "b.json"
    packed.write_bytes(gzip.compress(b"one\ntwo\n"))
    plain.write_text("[1]")
    assert list(read_lines(tmp_path / "a.tsv")) == [(1, "one"), (2, "two")]
    assert read_json(tmp_path / "b.json.gz") == [1]
    (tmp_path / "a.tsv").write_text("itself\n")
    assert list(read_lines(tmp_path / "a.tsv")) == [(1, "itself")]
    assert find_file(tmp_path / "c.tsv") == tmp_path / "c.tsv"


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz"])
def test_a_line_without_end_is_not_read_to_its_end(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST", 10)
    content = b"123456789\n" + b"0" * 1000
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    lines = read_lines(tmp_path / name)
    assert next(lines) == (1, "123456789")
    with pytest.raises(FormatError, match=rf"{name}, line 2: longer than 10 bytes, the most that is read as one line"):
        next(lines)


def test_zeros_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/dev/zero").is_char_device():
        pytest.skip("no such device")
    monkeypatch.setattr(files, "LONGEST", 1 << 20)
    with pytest.raises(FormatError, match="/dev/zero, line 1: longer than 1,048,576 bytes"):
        list(read_lines(Path("/dev/zero")))


def test_a_cut_twin_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(b"one\n" * 1000)[:-12])
    with pytest.raises(FormatError, match=r"a\.tsv\.gz: cannot be unpacked"):
        list(read_lines(tmp_path / "a.tsv"))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nowhere", "nowhere does not exist"),
        (".", "is a folder"),
        ("x" * 5000, "cannot be read"),
        ("a\0b", "cannot be"),
    ],
)
def test_what_cannot_be_opened_is_one_sentence(tmp_path: Path, name: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        list(read_lines(tmp_path / name))


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    with write_folder_atomically(tmp_path / "new" / "set") as folder:
        (folder / "part").write_text("x")
        assert not (tmp_path / "new" / "set").exists()
    assert (tmp_path / "new" / "set" / "part").read_text() == "x"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["set"]
    with pytest.raises(InputError, match="exists already"), write_folder_atomically(tmp_path / "new"):
        pass


def test_or_not_at_all(tmp_path: Path) -> None:
    def fill(error: Exception) -> None:
        with write_folder_atomically(tmp_path / "set") as folder:
            (folder / "part").write_text("x")
            raise error

    with pytest.raises(KeyError):
        fill(KeyError("a bug"))
    with pytest.raises(InputError, match=r"set cannot be written: No space"):
        fill(OSError(28, "No space left on device"))
    assert list(tmp_path.iterdir()) == []


def lines_of(path: Path) -> list[str]:
    return [line for _, line in read_lines(path)]


def document_of(path: Path) -> list[str]:
    return read_document(path).text.splitlines()


def entries_of(path: Path) -> list[str]:
    return [entry.text for entry in read_entries(path)]


def questions_of(path: Path) -> list[str]:
    return [question.text for question in load_dataset(path).questions]


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")


@needs_pipes
@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("read", [lines_of, document_of, entries_of])
def test_a_pipe_with_a_writer_is_read_and_one_without_is_named(
    read: Callable[[Path], list[str]], suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"a.txt{suffix}"
    os.mkfifo(path)
    monkeypatch.setattr(files, "PATIENCE", 0.1)
    with pytest.raises(InputError, match=rf"{path} is a pipe, and nothing opened it for writing within 0\.1 seconds"):
        read(path)
    monkeypatch.setattr(files, "PATIENCE", 10.0)
    content = gzip.compress(b"one\ntwo\n") if suffix else b"one\ntwo\n"
    writer = Thread(target=path.write_bytes, args=(content,))
    writer.start()
    assert read(path) == ["one", "two"]
    writer.join()


@needs_pipes
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"id": "1", "question": "When?", "candidates": [{"text": "At nine.", "label": 1}]}\n'),
        ("a.csv", "qid,question,answer,label\n1,When?,At nine.,1\n"),
    ],
)
def test_data_may_come_through_a_pipe(name: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is opened once: there is no writer for a second look."""
    path = tmp_path / name
    os.mkfifo(path)
    monkeypatch.setattr(files, "PATIENCE", 2.0)
    writer = Thread(target=path.write_text, args=(content,))
    writer.start()
    assert questions_of(path) == ["When?"]
    writer.join()
    monkeypatch.setattr(files, "PATIENCE", 0.1)
    with pytest.raises(InputError, match=f"{path} is a pipe"):
        questions_of(path)


@needs_pipes
def test_a_writer_may_be_silent_for_longer_than_one_must_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    os.mkfifo(path)
    monkeypatch.setattr(files, "PATIENCE", 0.5)

    def write() -> None:
        with path.open("wb") as file:
            sleep(1)
            file.write(b"one")

    writer = Thread(target=write)
    writer.start()
    assert document_of(path) == ["one"]
    writer.join()


@needs_pipes
def test_nobody_goes_on_waiting_for_a_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    os.mkfifo(path)
    monkeypatch.setattr(files, "PATIENCE", 0.1)
    before = active_count()
    with pytest.raises(InputError):
        lines_of(path)
    until = monotonic() + 10
    while active_count() > before and monotonic() < until:
        sleep(0.01)
    assert active_count() == before
    with pytest.raises(OSError, match=os.strerror(errno.ENXIO)):  # who would write finds no reader
        os.open(path, os.O_WRONLY | os.O_NONBLOCK)
