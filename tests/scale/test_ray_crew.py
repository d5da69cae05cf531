"""Ray's actors: the same lists, whoever is killed in the middle. Skipped where Ray is not installed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anselm.scale.bulk_run import Order, rank_parts
from anselm.scale.ray_crew import RayCrew
from tests.scale.lists import line, lists, ranked_at_once, read_all, write

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own
MANY = 400


@pytest.fixture
def order(tmp_path: Path) -> Order:
    for number in range(4):
        write(tmp_path / "in" / f"{number}.jsonl", [line(one) for one in lists(MANY, MANY * number)])
    rows = [line(one) for one in lists(MANY)]
    write(tmp_path / "in" / "0.jsonl", [*rows[:5], "{broken\n", *rows[5:]])
    return Order(str(tmp_path / "in"), str(tmp_path / "out"), "bm25")


class Killing:
    """A crew one of whose actors is killed by the system while it is at work."""

    def __init__(self, crew: RayCrew) -> None:
        self.crew, self.size, self.killed = crew, crew.size, 0

    def give(self, worker: int, task: Any) -> None:
        if not self.killed:
            self.killed = ray.get(self.crew._actors[worker].process.remote())
            self.crew.give(worker, task)
            os.kill(self.killed, signal.SIGKILL)
        else:
            self.crew.give(worker, task)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.crew, name)


def test_an_actor_that_is_killed_is_replaced_and_a_bad_record_named(order: Order, tmp_path: Path) -> None:
    told: list[int] = []
    crew: list[Killing] = []

    def make(parts: int) -> Any:
        crew.append(Killing(RayCrew(2, parts, order.model)))
        return crew[0]

    report = rank_parts(order, make, told.append)
    assert crew[0].killed
    assert (report.lists, report.failed, report.skipped) == (4 * MANY, (), 1)
    assert "0.jsonl, line 6: not valid JSON" in report.first_skipped[0]
    assert read_all(tmp_path / "out") == ranked_at_once(lists(4 * MANY), tmp_path)


DRIVER = """
import sys
from anselm.scale.bulk_run import Order, rank_parts
from anselm.scale.ray_crew import RayCrew

rank_parts(Order(*sys.argv[1:]), lambda parts: RayCrew(2, parts, sys.argv[3]), lambda lists: print(lists, flush=True))
"""


@pytest.fixture
def driver(order: Order) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", DRIVER, order.source, order.folder, order.model]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def test_a_driver_that_is_killed_is_gone_on_with(order: Order, driver: subprocess.Popen[str], tmp_path: Path) -> None:
    assert driver.stdout is not None
    driver.stdout.readline()  # at work
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    report = rank_parts(order, lambda parts: RayCrew(2, parts, order.model))
    assert (report.lists, report.failed, report.skipped) == (4 * MANY, (), 1)
    assert read_all(tmp_path / "out") == ranked_at_once(lists(4 * MANY), tmp_path)
