"""The log of a run: lines of JSON, cut back when a run is resumed."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from anselm.errors import InputError
from anselm.train.log import add_line, cut_after


def test_lines_are_added_and_cut(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for step in (1, 2, 2, 3, 4):
        add_line(path, {"step": step, "loss": step / 10, "dev": None})
    with path.open("a") as file:
        file.write('{"step": 5, "lo')  # killed while it wrote
    cut_after(path, 9)
    assert [json.loads(line)["step"] for line in path.read_text().splitlines()] == [1, 2, 2, 3, 4]
    cut_after(path, 2)
    assert path.read_text().splitlines()[1:] == ['{"step": 2, "loss": 0.2, "dev": null}'] * 2
    cut_after(path, 0)
    assert path.read_text() == ""


def test_what_is_not_there_or_no_log_is_cut_to_nothing(tmp_path: Path) -> None:
    cut_after(tmp_path / "none", 3)
    assert not (tmp_path / "none").exists()
    for text in ("\xff\n", "[1]\n", '{"loss": 1}\n'):
        (tmp_path / "other").write_text(text, encoding="latin-1")
        cut_after(tmp_path / "other", 3)
        assert (tmp_path / "other").read_text() == ""


def test_a_full_disk_is_named() -> None:
    with pytest.raises(InputError, match="/dev/full cannot be written: No space left on device"):
        add_line(Path("/dev/full"), {"step": 1})


def test_only_json_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        add_line(tmp_path / "log", {"loss": math.nan})
