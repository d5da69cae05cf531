"""Ranking in parts: pairs a second of two workers, by processes of this machine and by Ray's actors, in turn.

    ANSELM_DATA=folder python -m benchmarks.scale FOLDER [--lists 220] [--rounds 8] [--engines local,ray] [--workers 2]

Lists of WikiQA in parts of ten, others in each round, since vectors of texts are kept. The workers of both engines are
started once and wait while it is the other's turn; a first round, in which they load their models, does not count. A
rate is taken between the tenth and the ninetieth percent of the lists, so that the last part, for which one worker
waits, does not count. Ray's workers step back behind other programs (a niceness of 15) unless they are told not to;
here both engines have the same. Processor seconds are those of the workers. `one` is one process with all cores as
threads, from one file to one file.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import json
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from anselm.data.datasets import load_dataset
from anselm.data.formats.jsonl import question_to_json
from anselm.data.question import Question
from anselm.ranking.bulk import rank_file
from anselm.ranking.ranker import Ranker
from anselm.scale.bulk_run import Order, rank_parts

SIZE = 10  # lists of a part


@dataclass(frozen=True)
class Rate:
    steady: float  # pairs a second
    processor: float  # seconds for a thousand pairs


class Kept:
    """A crew that stays when a run is over."""

    def __init__(self, crew: Any, processes: Sequence[int]) -> None:
        self.crew, self.processes, self.size = crew, processes, crew.size
        self.give, self.wait, self.replace = crew.give, crew.wait, crew.replace

    def close(self) -> None: ...

    def processor_seconds(self) -> float:
        fields = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in self.processes]
        return sum(int(one[11]) + int(one[12]) for one in fields) / os.sysconf("SC_CLK_TCK")


def write_parts(questions: Sequence[Question], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, len(questions), SIZE)):
        lines = [json.dumps(question_to_json(one)) + "\n" for one in questions[start : start + SIZE]]
        (folder / f"{number:04d}.jsonl").write_text("".join(lines))


def in_parts(folder: Path, crew: Kept, pairs: int) -> Rate:
    shutil.rmtree(folder / "out", ignore_errors=True)
    told: list[tuple[float, int, float]] = []
    rank_parts(
        Order(str(folder / "in"), str(folder / "out")),
        lambda parts: crew,
        lambda lists: told.append((time.perf_counter(), lists, crew.processor_seconds())),
    )
    times, lists, processor = (np.array(column) for column in zip(*told, strict=True))
    done = np.cumsum(lists)
    low, high = np.searchsorted(done, [0.1 * done[-1], 0.9 * done[-1]])
    ranked = (done[high] - done[low]) * pairs / done[-1]
    return Rate(ranked / (times[high] - times[low]), 1000 * (processor[high] - processor[low]) / ranked)


def at_once(folder: Path, ranker: Ranker, questions: Sequence[Question]) -> Rate:
    began, busy, pairs = time.perf_counter(), time.process_time(), sum(len(one.candidates) for one in questions)
    rank_file(ranker, questions, folder / "one.jsonl", overwrite=True)
    return Rate(pairs / (time.perf_counter() - began), 1000 * (time.process_time() - busy) / pairs)


def local_crew(workers: int) -> Kept:
    from anselm.scale.local_crew import LocalCrew

    crew = LocalCrew(workers, "default")
    return Kept(crew, [process.pid for process in crew._processes.values()])


def ray_crew(workers: int) -> Kept:
    from anselm.scale.ray_crew import RayCrew

    os.environ.setdefault("RAY_worker_niceness", str(os.nice(0)))
    crew = RayCrew(workers, workers, "default")
    return Kept(crew, crew._ray.get([actor.process.remote() for actor in crew._actors.values()]))


def main(folder: Path, lists: int, rounds: int, engines: Sequence[str], workers: int) -> None:
    every = list(load_dataset("wikiqa", split="train", protocol="raw"))
    crews = {name: make(workers) for name, make in (("local", local_crew), ("ray", ray_crew)) if name in engines}
    ranker = Ranker.load() if "one" in engines else None
    found: dict[str, list[Rate]] = {engine: [] for engine in engines}
    for number in range(rounds + 1):
        questions = every[number * lists : (number + 1) * lists]
        pairs = sum(len(one.candidates) for one in questions)
        write_parts(questions, folder / "in")
        for engine in engines:
            crew = crews.get(engine)
            last = in_parts(folder, crew, pairs) if crew else at_once(folder, ranker or Ranker.load(), questions)
            found[engine] += [last] if number else []
            said = f"{last.steady:.1f} pairs a second, {last.processor:.2f} processor seconds for a thousand"
            print(f"round {number}, {engine}: {said}", flush=True)
    for crew in crews.values():
        crew.crew.close()
    print(f"\n{lists} lists in each round, {workers} workers; median of {rounds} rounds")
    print("| engine | pairs a second | processor seconds for a thousand |\n|---|---|---|")
    for engine, rates in found.items():
        steady, processor = median(one.steady for one in rates), median(one.processor for one in rates)
        print(f"| {engine} | {steady:.1f} | {processor:.2f} |")
    if {"local", "ray"} <= found.keys():
        ratios = [b.steady / a.steady for a, b in zip(found["local"], found["ray"], strict=True)]
        print(f"\nray / local by rounds: {', '.join(f'{one:.2f}' for one in ratios)}; median {median(ratios):.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lists", type=int, default=220)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--engines", default="one,local,ray")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    main(given.folder, given.lists, given.rounds, given.engines.split(","), given.workers)
