"""Files, folders and patterns as parts; large ones in pieces that hold each list once."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm import files
from anselm.errors import FormatError, InputError
from anselm.scale.input_parts import Part, byte_bounds, cut, find_parts, numbered, row_group_bounds
from anselm.scale.list_files import STEP, find_line, read_lists
from anselm.scale.places import File, find_files
from tests.scale.lists import line, lists, write


def test_a_pattern_a_folder_and_a_file(tmp_path: Path) -> None:
    for name in ("in/a.jsonl", "in/b.jsonl.gz", "in/more/c.jsonl", "in/_own/d.jsonl", "in/.e.jsonl"):
        write(tmp_path / name, [line(one) for one in lists(2)])
    folder = tmp_path / "in"
    assert [file.name for file in find_files(str(folder))] == ["a.jsonl", "b.jsonl.gz", "more/c.jsonl"]
    assert [file.name for file in find_files(f"{folder}/*.jsonl")] == ["a.jsonl"]
    assert [file.name for file in find_files(f"{tmp_path}/*/*.jsonl*")] == ["in/a.jsonl", "in/b.jsonl.gz"]
    (alone,) = find_files(str(folder / "a.jsonl"))
    about = (folder / "a.jsonl").stat()
    version = f"{about.st_size} {about.st_mtime_ns}"
    assert alone == File(str(folder / "a.jsonl"), "a.jsonl", about.st_size, version)
    with pytest.raises(InputError, match=r"\*\.parquet names no file"):
        find_files(f"{folder}/*.parquet")
    write(folder / "notes.txt", ["?"])
    with pytest.raises(InputError, match=r"notes\.txt is not of a kind"):
        find_parts(find_files(str(folder)), None)


@pytest.mark.parametrize("most", [1, 40, 150, 151, 1000, 10_000])
def test_each_line_is_in_one_piece(most: int, tmp_path: Path) -> None:
    questions = lists(25)
    path = write(tmp_path / "big.jsonl", [line(one) for one in questions])
    parts = find_parts(find_files(str(path)), most)
    found = [one for part in parts for one in read_lists(part)]
    assert found == questions
    size = path.stat().st_size
    assert len(parts) == (1 if size <= most else -(-size // most))
    if len(parts) > 1:
        assert parts[1].name == f"big.00001-of-{len(parts):05d}.jsonl"


@given(st.integers(1, 10_000), st.integers(1, 500))
def test_byte_bounds_cover_a_file(size: int, most: int) -> None:
    bounds = byte_bounds(size, most)
    assert (bounds[0], bounds[-1]) == (0, size)
    assert all(0 <= b - a <= most for a, b in pairwise(bounds))


def test_row_groups_stay_together_as_long_as_they_fit() -> None:
    assert row_group_bounds([5, 5, 5, 20, 1, 1], 10) == [0, 2, 3, 4, 6]
    assert row_group_bounds([5], 10) == [0, 1]
    assert row_group_bounds([20, 1], 10) == [0, 1, 2]  # one that is too large is a piece by itself


def test_what_is_packed_stays_whole() -> None:
    assert cut(File("x/a.jsonl.gz", "a.jsonl.gz", 10**9), 10) == [Part("x/a.jsonl.gz", "a.jsonl.gz", 10**9)]
    assert numbered("more/a.b.jsonl", 3, 17) == "more/a.b.00003-of-00017.jsonl"


class Counting(io.BytesIO):
    """Knows how much was read of it at most at once, and in all."""

    most = total = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        found = super().readline(-1 if size is None else size)
        self.most, self.total = max(self.most, len(found)), self.total + len(found)
        return found


def test_the_end_of_a_long_line_is_looked_for_in_steps_and_not_beyond_the_piece() -> None:
    file = Counting(b"0" * 10 * STEP + b"\nlast\n")
    assert find_line(file, 0, STEP) == 0
    assert find_line(file, 5, 3 * STEP) >= 3 * STEP
    assert (file.most, file.total) == (STEP, 3 * STEP)
    assert find_line(file, 5, 20 * STEP) == 10 * STEP + 1
    assert file.readline() == b"last\n"


def test_a_piece_with_a_line_that_is_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [line(one) for one in lists(8)]
    monkeypatch.setattr(files, "LONGEST", 300)
    path = write(tmp_path / "big.jsonl", [*rows[:4], "0" * 1000 + "\n", *rows[4:]])
    found, refused = list[str](), list[str]()
    for part in find_parts(find_files(str(path)), 200):
        try:
            found += [one.id for one in read_lists(part, lambda error: None)]
        except FormatError as error:
            refused.append(str(error))
    assert len(refused) == 1
    assert "longer than 300 bytes" in refused[0]
    assert found == [f"q{number}" for number in range(8)]


def test_lists_of_a_piece_without_ids_have_ids_of_their_own(tmp_path: Path) -> None:
    text = '{"question": "oak?", "candidates": ["elm", "oak"]}\n'
    path = write(tmp_path / "big.jsonl", [text] * 9)
    ids = [one.id for part in find_parts(find_files(str(path)), 120) for one in read_lists(part)]
    assert len(set(ids)) == 9
    assert ids[0] == "0:1"  # from byte 0, line 1
    assert [one.id for one in read_lists(Part(str(path), "big.jsonl", 1))] == [str(n) for n in range(1, 10)]


def test_a_bad_record_is_named_by_its_place(tmp_path: Path) -> None:
    text = '{"question": "oak?", "candidates": ["elm", "oak"]}\n'
    path = write(tmp_path / "big.jsonl", [text] * 5 + ["{broken\n"] + [text] * 3)
    skipped: list[str] = []
    parts = find_parts(find_files(str(path)), 120)
    assert sum(1 for part in parts for _ in read_lists(part, lambda error: skipped.append(str(error)))) == 8
    (named,) = skipped
    first, number = int(named.split("from byte ")[1].split(",")[0]), int(named.split(", line ")[1].split(":")[0])
    assert path.read_bytes()[first:].decode().splitlines()[number - 1] == "{broken"
