"""Processes on this machine: the same lists as one process ranks, whoever is killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anselm.scale.bulk_run import BulkReport, Order, rank_parts
from anselm.scale.crew import Outcome, dispatch
from anselm.scale.local_crew import LocalCrew
from anselm.scale.tasks import score_tasks
from tests.scale.lists import line, lists, ranked_at_once, read_all, write

ROOT = Path(__file__).parents[2]
MANY = 400  # lists of a part: a while, for bm25


@pytest.fixture
def order(tmp_path: Path) -> Order:
    for number in range(6):
        write(tmp_path / "in" / f"{number}.jsonl", [line(one) for one in lists(MANY, MANY * number)])
    return Order(str(tmp_path / "in"), str(tmp_path / "out"), "bm25")


def test_two_workers_rank_each_list_once_as_one_process_does(order: Order, tmp_path: Path) -> None:
    report = rank_parts(order, lambda parts: LocalCrew(2, order.model))
    assert (report.parts, report.lists, report.failed) == (6, 6 * MANY, ())
    assert read_all(tmp_path / "out") == ranked_at_once(lists(6 * MANY), tmp_path)


def test_the_default_scores_as_in_one_process(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", [line(one) for one in lists(12)])
    write(tmp_path / "in" / "b.jsonl", [line(one) for one in lists(12, 12)])
    rank_parts(Order(str(tmp_path / "in"), str(tmp_path / "out")), lambda parts: LocalCrew(2, "default"))
    found, expected = read_all(tmp_path / "out"), ranked_at_once(lists(24), tmp_path, "default")
    assert found.keys() == expected.keys()
    for id, record in expected.items():
        scores = {one["id"]: one["score"] for one in record["results"]}
        assert {one["id"]: one["score"] for one in found[id]["results"]} == pytest.approx(scores, abs=0.02)


class Killing:
    """A crew of processes, one of which is killed when it has told that it is at work."""

    def __init__(self, crew: LocalCrew) -> None:
        self.crew, self.size, self.killed = crew, crew.size, 0

    def wait(self) -> list[tuple[int, Any]]:
        found = self.crew.wait()
        if not self.killed and found:
            worker = found[0][0]
            self.killed = self.crew._processes[worker].pid
            os.kill(self.killed, signal.SIGKILL)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.crew, name)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal")
def test_a_worker_that_is_killed_in_the_middle_is_replaced(order: Order, tmp_path: Path) -> None:
    crew = Killing(LocalCrew(2, order.model))
    report = rank_parts(order, lambda parts: crew)
    assert crew.killed
    assert (report.lists, report.failed) == (6 * MANY, ())
    assert read_all(tmp_path / "out") == ranked_at_once(lists(6 * MANY), tmp_path)


@pytest.fixture
def driver(order: Order, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that ranks the same order, and says when the first part is there."""
    code = (
        "import sys\n"
        "from anselm.scale.bulk_run import Order, rank_parts\n"
        "from anselm.scale.local_crew import LocalCrew\n"
        "if __name__ == '__main__':\n"
        "    rank_parts(Order(*sys.argv[1:]), lambda parts: LocalCrew(2, sys.argv[3]),\n"
        "               lambda lists: print(lists, flush=True))\n"
    )
    script = tmp_path / "drive.py"
    script.write_text(code)
    command = [sys.executable, str(script), order.source, order.folder, order.model]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal")
def test_a_driver_that_is_killed_is_gone_on_with(order: Order, driver: subprocess.Popen[str], tmp_path: Path) -> None:
    assert driver.stdout is not None
    driver.stdout.readline()  # at work
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    report = go_on(order)
    assert (report.lists, report.failed) == (6 * MANY, ())
    assert read_all(tmp_path / "out") == ranked_at_once(lists(6 * MANY), tmp_path)
    records = [json.loads(path.read_text()) for path in (tmp_path / "out/_anselm/parts").glob("*.json")]
    assert sum(record["lists"] for record in records) == 6 * MANY


def go_on(order: Order) -> BulkReport:
    """The lock goes with the process, which the system may take a moment for."""
    for _ in range(50):
        try:
            return rank_parts(order, lambda parts: LocalCrew(2, order.model))
        except Exception as error:
            if "another run is writing" not in str(error):
                raise
            time.sleep(0.1)
    raise AssertionError("the lock is still held")


def test_scores_come_from_several_processes() -> None:
    crew = LocalCrew(2, "bm25")
    try:
        outcomes = [one for one in dispatch(crew, score_tasks(lists(50), 7)) if isinstance(one, Outcome)]
    finally:
        crew.close()
    assert sorted(int(one.task.name) for one in outcomes) == list(range(8))


def test_a_model_that_is_not_there_is_refused(order: Order) -> None:
    crew = LocalCrew(1, "no-such-model")
    try:
        (outcome,) = [one for one in dispatch(crew, score_tasks(lists(2), 2)) if isinstance(one, Outcome)]
    finally:
        crew.close()
    assert "unknown model 'no-such-model'" in str(outcome.message.error)  # type: ignore[union-attr]
