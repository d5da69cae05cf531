"""How many threads compute: as many as are asked for, by the argument, by OMP_NUM_THREADS or by the process's cores."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anselm.abilities import computes_on
from anselm.machine import usable_cores
from anselm.ranking.ranker import Ranker
from anselm.runtime import engines
from anselm.runtime.engines import Run, onnx_runtime


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of threads that engines are opened with."""
    found: list[int] = []

    def spy(path: Path, threads: int) -> Run:
        found.append(threads)
        return onnx_runtime(path, threads)

    monkeypatch.setenv("ANSELM_ENGINE", "onnxruntime")
    monkeypatch.setitem(engines.ENGINES, "onnxruntime", spy)
    return found


def test_threads_are_those_that_are_asked_for(opened: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    Ranker.load("default", threads=3).rank("When do you open?", ["We open at nine.", "Parking is free."])
    assert opened
    assert set(opened) == {3}
    opened.clear()
    Ranker.load("default").rank("When do you open?", ["We open at nine.", "Parking is free."])
    assert set(opened) == {1}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a process is not bound to cores here")
def test_a_process_that_is_bound_to_one_core_computes_with_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, before)


@pytest.mark.parametrize("threads", [1, 3])
def test_what_computes_is_told_as_it_was_asked_for(opened: list[int], threads: int) -> None:
    assert computes_on(Ranker.load("default", threads=threads).scorer) == ("onnxruntime", threads)
    assert computes_on(Ranker.load("bm25", threads=threads).scorer) == ("python", 1)
