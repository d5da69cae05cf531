"""Ranking in parts: pairs a second of two workers, by processes of this machine and by Ray's actors, in turn.

    ANSELM_DATA=folder python -m benchmarks.scale FOLDER [--lists 240] [--rounds 3] [--engines local,ray] [--workers 2]

Lists of WikiQA in parts of twenty. A rate is taken between the tenth and the ninetieth percent of the lists, so that
neither the start of the workers nor the last part, for which one of them waits, counts; what a run takes whole is told
beside it. `one` is one process with all cores as threads, from one file to one file.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from anselm.data.datasets import load_dataset
from anselm.data.formats.jsonl import question_to_json
from anselm.data.question import Question
from anselm.ranking.bulk import rank_file
from anselm.ranking.ranker import Ranker
from anselm.scale.bulk_run import Order, rank_parts
from anselm.scale.crew import Crew

SIZE = 20  # lists of a part


@dataclass(frozen=True)
class Rate:
    steady: float  # pairs a second
    whole: float  # seconds


def write_parts(questions: Sequence[Question], folder: Path) -> None:
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, len(questions), SIZE)):
        lines = [json.dumps(question_to_json(one)) + "\n" for one in questions[start : start + SIZE]]
        (folder / f"{number:04d}.jsonl").write_text("".join(lines))


def in_parts(folder: Path, make: Callable[[int], Crew], pairs: int) -> Rate:
    shutil.rmtree(folder / "out", ignore_errors=True)
    told: list[tuple[float, int]] = []
    began = time.perf_counter()
    rank_parts(
        Order(str(folder / "in"), str(folder / "out")),
        make,
        lambda lists: told.append((time.perf_counter() - began, lists)),
    )
    return rate(told, pairs, time.perf_counter() - began)


def rate(told: Sequence[tuple[float, int]], pairs: int, whole: float) -> Rate:
    times, done = np.array([at for at, _ in told]), np.cumsum([lists for _, lists in told])
    low, high = np.searchsorted(done, [0.1 * done[-1], 0.9 * done[-1]])
    steady = (done[high] - done[low]) / (times[high] - times[low]) * pairs / done[-1]
    return Rate(float(steady), whole)


def at_once(folder: Path, questions: Sequence[Question]) -> Rate:
    began, pairs = time.perf_counter(), sum(len(one.candidates) for one in questions)
    ranker = Ranker.load()
    loaded = time.perf_counter()
    rank_file(ranker, questions, folder / "one.jsonl", overwrite=True)
    return Rate(pairs / (time.perf_counter() - loaded), time.perf_counter() - began)


def main(folder: Path, lists: int, rounds: int, engines: Sequence[str], workers: int) -> None:
    from anselm.scale.local_crew import LocalCrew
    from anselm.scale.ray_crew import RayCrew

    questions = list(load_dataset("wikiqa"))[:lists]
    pairs = sum(len(one.candidates) for one in questions)
    shutil.rmtree(folder, ignore_errors=True)
    write_parts(questions, folder / "in")
    ways: dict[str, Callable[[], Rate]] = {
        "one": lambda: at_once(folder, questions),
        "local": lambda: in_parts(folder, lambda parts: LocalCrew(workers, "default"), pairs),
        "ray": lambda: in_parts(folder, lambda parts: RayCrew(workers, parts, "default"), pairs),
    }
    found: dict[str, list[Rate]] = {engine: [] for engine in engines}
    for number in range(rounds):
        for engine in engines:
            found[engine].append(ways[engine]())
            last = found[engine][-1]
            print(f"round {number}, {engine}: {last.steady:.1f} pairs a second, {last.whole:.1f} s whole", flush=True)
    print(f"\n{len(questions)} lists, {pairs} pairs, {workers} workers; median of {rounds} rounds")
    print("| engine | pairs a second | whole run s |\n|---|---|---|")
    for engine, rates in found.items():
        print(f"| {engine} | {median(one.steady for one in rates):.1f} | {median(one.whole for one in rates):.1f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lists", type=int, default=240)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engines", default="one,local,ray")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    main(given.folder, given.lists, given.rounds, given.engines.split(","), given.workers)
