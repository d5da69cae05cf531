"""OMP_NUM_THREADS is kept to; what a machine has is tested in test_engines.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anselm.machine import usable_cores


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="Linux only")
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3", 3), (" 2 ", 2), ("1", 1), ("4,2,1", 4), ("8", 8),
        ("64", 8),  # more than there are would only stand in each other's way
        ("", 8), ("0", 8), ("-1", 8), ("many", 8), ("2.5", 8), (",2", 8), ("²", 8),
    ],
)  # fmt: skip
def test_so_many_as_people_say(value: str, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert usable_cores(tmp_path) == expected


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="Linux only")
def test_the_least_of_all_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fs" / "cgroup").mkdir(parents=True)
    (tmp_path / "fs" / "cgroup" / "cpu.max").write_text("300000 100000")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    for value, expected in (("2", 2), ("5", 3)):
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert usable_cores(tmp_path) == expected
