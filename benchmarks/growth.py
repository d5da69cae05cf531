"""What many machines would take for many pairs: the dispatcher of `anselm.scale` itself, over workers that only wait.

    python -m benchmarks.growth --pairs 1e9 --workers 1600 --rate 32 [--part 81000] [--start 20] [--life 500]

Workers are simulated in virtual time: a part takes its pairs by the rate, give or take a tenth; a worker is lost, and
its part begun anew by another, as if it lived `life` hours on average. What is measured in earnest is the time of the
dispatcher, which one process has to keep up with all workers in.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import heapq
import random
import time
from dataclasses import dataclass

from anselm.scale.crew import Done, Failed, Message, Outcome, Refused, dispatch
from anselm.scale.tasks import Task

HOUR = 3600.0


@dataclass(frozen=True)
class Waiting:
    """A part of so many pairs."""

    name: str
    pairs: float

    def run(self, ranker: object, tell: object) -> None:
        raise NotImplementedError  # nobody does it


class SimulatedCrew:
    """Time goes from event to event."""

    apart = False

    def __init__(self, size: int, rate: float, start: float, life: float) -> None:
        self.size, self.rate, self.start, self.life = size, rate, start, life * HOUR
        self.clock = self.lost = 0.0
        self._rng = random.Random(1)
        self._events: list[tuple[float, int, bool, float]] = []
        self._fresh = set(range(size))

    def give(self, worker: int, task: Task) -> None:
        seconds = task.pairs / self.rate * self._rng.uniform(0.9, 1.1)  # type: ignore[attr-defined]
        if worker in self._fresh:
            seconds += self.start
            self._fresh.discard(worker)
        until = self._rng.expovariate(1 / self.life)
        heapq.heappush(self._events, (self.clock + min(seconds, until), worker, until < seconds, min(seconds, until)))

    def wait(self) -> list[tuple[int, Message]]:
        self.clock, worker, lost, seconds = heapq.heappop(self._events)
        self.lost += seconds * lost
        return [(worker, Failed("lost", lost=True) if lost else Done(None))]

    def replace(self, worker: int) -> None:
        self._fresh.add(worker)

    def close(self) -> None: ...


def main(pairs: float, workers: int, rate: float, part: float, start: float, life: float) -> None:
    crew, count = SimulatedCrew(workers, rate, start, life), max(1, round(pairs / part))
    began, given_up = time.process_time(), 0
    for event in dispatch(crew, (Waiting(str(number), part) for number in range(count))):
        given_up += isinstance(event, Outcome) and isinstance(event.message, Refused)
    busy = time.process_time() - began
    ideal = pairs / rate / workers / HOUR
    print(f"{pairs:,.0f} pairs in {count:,} parts, {workers:,} workers of {rate:g} pairs a second")
    print(f"{crew.clock / HOUR:.2f} hours; {ideal:.2f} if nothing were lost and nobody ever waited")
    print(f"{crew.lost / HOUR:.1f} worker hours done again, {given_up} parts given up; dispatcher {busy:.2f} s busy")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name, usual in {"pairs": 1e9, "rate": 32.0, "part": 81_000, "start": 20.0, "life": 500.0}.items():
        parser.add_argument(f"--{name}", type=float, default=usual)
    parser.add_argument("--workers", type=int, default=1_600)
    given = parser.parse_args()
    main(given.pairs, given.workers, given.rate, given.part, given.start, given.life)
