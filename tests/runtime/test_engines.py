"""Which engine runs a model, and on how many cores."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from time import sleep

import numpy as np
import pytest

import anselm
from anselm.errors import FormatError, MissingExtraError, UnknownNameError
from anselm.machine import usable_cores
from anselm.runtime import engines
from anselm.runtime.engines import (
    VARIABLE,
    AloneAtFirst,
    check_names,
    choose_engine,
    multiplies_int8,
    usual_engine,
)
from tests.exported_checkpoints import LISTS, load_pairs


@pytest.fixture
def fresh() -> Iterator[None]:
    """The usual engine is found out once; here anew, before and after."""
    usual_engine.cache_clear()
    yield
    usual_engine.cache_clear()


def test_openvino_is_taken_where_it_is_installed(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(engines, "find_spec", lambda name: object())
    monkeypatch.setattr(engines, "import_module", lambda name: object())
    assert choose_engine() == "openvino"
    usual_engine.cache_clear()
    monkeypatch.setattr(engines, "find_spec", lambda name: None if name == "openvino" else object())
    assert choose_engine() == "onnxruntime"


@pytest.fixture
def broken_openvino(tmp_path: Path) -> dict[str, str]:
    """An environment in which openvino is found, and fails at its start."""
    (tmp_path / "openvino.py").write_text("raise ImportError('libtbb.so.12:\\n  cannot open shared object file')\n")
    here = [str(tmp_path), str(Path(anselm.__file__).parents[1])]
    kept = {key: value for key, value in os.environ.items() if key != VARIABLE}
    return kept | {"PYTHONPATH": os.pathsep.join(here)}


def rank_twice(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """With the shipped model and a long answer, so that both of its graphs are opened."""
    code = (
        "import anselm; ranker = anselm.Ranker.load('default');"
        "print([ranker.rank('Who?', ['She. ' * 99, 'He.']).results[0].text[:3] for _ in range(2)])"
    )
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)


def test_an_openvino_that_cannot_be_imported_is_said_once(broken_openvino: dict[str, str]) -> None:
    done = rank_twice(broken_openvino)
    problem = "openvino cannot be imported (libtbb.so.12: cannot open shared object file)"
    assert done.stderr == f"anselm: {problem}; ONNX Runtime is used, and is slower on long lists\n"
    assert done.returncode == 0
    assert done.stdout


def test_an_engine_that_was_asked_for_must_work(broken_openvino: dict[str, str]) -> None:
    done = rank_twice(broken_openvino | {VARIABLE: "openvino"})
    assert "ANSELM_ENGINE=openvino, but openvino cannot be imported: libtbb.so.12: cannot open" in done.stderr


def test_several_threads_may_use_one_scorer(int8: Path, engine: str) -> None:
    """Each gets the scores of its own lists, as if it were alone."""
    model = load_pairs(int8, threads=1)
    expected = [model.score([question])[0] for question in LISTS]

    def work(number: int) -> None:
        for _ in range(20):
            place = number % len(LISTS)
            np.testing.assert_array_equal(model.score([LISTS[place]])[0], expected[place])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(16)))  # raises what a thread raised


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="Linux only")
def test_no_core_is_taken_for_oneself(int8: Path, engine: str) -> None:
    """Several processes would take the same ones: while a model computes, its threads may be on all cores."""
    model, allowed, seen = load_pairs(int8, threads=1), os.sched_getaffinity(0), set[frozenset[int]]()
    with ThreadPoolExecutor(1) as pool:
        for _ in range(20):
            done = pool.submit(model.score, LISTS)
            while not done.done():
                tasks = [cores_of(int(task.name)) for task in Path("/proc/self/task").iterdir()]
                seen |= {frozenset(cores) for cores in tasks if cores}
    assert seen == {frozenset(allowed)}


def cores_of(task: int) -> set[int] | None:
    try:
        return os.sched_getaffinity(task)
    except ProcessLookupError:  # it has ended
        return None


def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "onnxruntime")
    assert choose_engine() == "onnxruntime"
    monkeypatch.setenv(VARIABLE, "onxruntime")
    with pytest.raises(UnknownNameError, match=r"unknown engine in .* ANSELM_ENGINE: 'onxruntime'.*mean 'onnxruntime'"):
        choose_engine()
    monkeypatch.setenv(VARIABLE, "openvino")
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"ANSELM_ENGINE=openvino needs .*anselm\[openvino\]"):
        choose_engine()


def test_an_encoder_may_do_without_token_types() -> None:
    assert check_names(Path("m"), ["ids", "mask"], ["signals"]) == ["ids", "mask"]


@pytest.mark.parametrize(("inputs", "outputs"), [(["ids"], ["signals"]), (["ids", "mask"], ["logits"])])
def test_another_model_is_named(inputs: list[str], outputs: list[str]) -> None:
    with pytest.raises(FormatError, match=f"it takes {', '.join(inputs)} and gives {outputs[0]}"):
        check_names(Path("m"), inputs, outputs)


def machine(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="Linux only")
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 8),
        ({"fs/cgroup/cpu.max": "max 100000"}, 8),
        ({"fs/cgroup/cpu.max": "250000 100000"}, 3),
        ({"fs/cgroup/cpu.max": "5000 100000"}, 1),
        ({"fs/cgroup/cpu/cpu.cfs_quota_us": "200000", "fs/cgroup/cpu/cpu.cfs_period_us": "100000"}, 2),
        ({"fs/cgroup/cpu/cpu.cfs_quota_us": "-1", "fs/cgroup/cpu/cpu.cfs_period_us": "100000"}, 8),
        ({f"devices/system/cpu/cpu{i}/topology/thread_siblings_list": f"{i % 4},{i % 4 + 4}" for i in range(8)}, 4),
    ],
)
def test_cores_of_a_machine(
    files: dict[str, str], expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert usable_cores(machine(tmp_path, files)) == expected


def test_cores_of_this_machine() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)


def test_what_the_processor_can_do_is_read_or_not_assumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    processor = tmp_path / "cpuinfo"
    processor.write_text("flags\t\t: fpu avx2 avx512_vnni\n")
    assert multiplies_int8(processor)
    processor.write_text("flags\t\t: fpu avx2\n")
    assert not multiplies_int8(processor)
    for known in (True, False):  # where there is no such file, as on Windows and macOS, numpy is asked
        monkeypatch.setattr(engines, "known_features", lambda known=known: {"AVX512VNNI": known, "AVX2": True})
        assert multiplies_int8(tmp_path / "nowhere") is known


def test_the_first_to_do_something_does_it_alone_and_the_others_together() -> None:
    """Three threads at once: one is inside until all have come, then the two others, who wait for each other there."""
    alone, together, inside, seen = AloneAtFirst(), Barrier(2), list[int](), list[int]()

    def work(number: int) -> None:
        with alone:
            inside.append(number)
            seen.append(len(inside))
            if not alone.done.is_set():
                sleep(0.05)  # the others come, and must not get in
                seen.append(len(inside))
                inside.remove(number)

    def later(number: int) -> None:
        with alone:
            together.wait(10)  # it would break if only one could be inside

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(work, range(3)))
    assert seen[:2] == [1, 1]
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(later, range(2)))
    with pytest.raises(ZeroDivisionError), AloneAtFirst() as _:
        1 / 0  # noqa: B018
