"""Files: packed or not, whole or not at all."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from anselm import files
from anselm.errors import FormatError, InputError
from anselm.files import find_file, read_json, read_lines, write_folder_atomically


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
