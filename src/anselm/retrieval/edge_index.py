"""Words and vectors of a pool on disk, by Qdrant Edge: for large pools, opened at once, with little memory.

    index/position.json   the change of the store until which it is known to hold everything
    index/shard/          Edge's own

It is derived. Whatever is wrong with it, it is made again from the store, and said; no vector is computed again.
Vectors are compared one by one, without a graph, so that nothing near is missed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import qdrant_edge as edge

from anselm.errors import AnselmError, InputError
from anselm.files import replace_file
from anselm.outputs import hold
from anselm.retrieval.batches import in_batches
from anselm.retrieval.engine import Vectors
from anselm.retrieval.filters import SOURCE, Conditions
from anselm.retrieval.indexes import UnusableIndex
from anselm.retrieval.store import HALF, Row, Store
from anselm.retrieval.terms import TERM, passage_weights

FORMAT = 1
WORDS, MEANING = "words", "meaning"
BATCH = 500
ROOM, ROW = 64_000_000, 2_000  # bytes, at least as many as were seen
Seal = list[list[Any]]
T = TypeVar("T")


class IndexInUse(Exception):
    """Another process has it, or nobody may write it."""


class DamagedIndex(UnusableIndex):
    """It has to be made again."""


def open_edge_index(store: Store, folder: Path, note: Callable[[str], object]) -> EdgeIndex:
    """As it was kept, or, where that cannot be, made again."""
    held = ExitStack()
    try:
        folder.mkdir(exist_ok=True)
        held.enter_context(hold(folder / "lock"))
    except (InputError, OSError):
        raise IndexInUse from None
    try:
        return EdgeIndex(store, folder, held, note)
    except BaseException:
        held.close()
        raise


class EdgeIndex:
    """Whatever is done to it is done again, once, where the first time shows that it is damaged."""

    name = "edge"

    def __init__(self, store: Store, folder: Path, held: ExitStack, note: Callable[[str], object]) -> None:
        self.store, self.folder, self.held, self.note = store, folder, held, note
        self.position, self.place = folder / "position.json", folder / "shard"
        self.shard: edge.EdgeShard | None = None
        self._mending(self._open)

    def _mending(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except DamagedIndex as damage:
            self.note(f"the index of {self.folder.parent} was damaged ({damage}) and was made again")
            self.position.unlink(missing_ok=True)
            self._open()
            return work()

    def _open(self) -> None:
        self._close_shard()
        self.width = int(self.store.fact("width") or 0)
        self.change = self._read_position()
        self.shard = self._load() if self.change else self._create()
        self._take_in()
        self._check()

    def _close_shard(self) -> None:
        shard, self.shard = self.shard, None
        if shard is not None:
            with suppress(DamagedIndex), guarded():
                shard.close()

    def _load(self) -> edge.EdgeShard:
        with guarded():
            return edge.EdgeShard.load(str(self.place))

    def _create(self) -> edge.EdgeShard:
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        with guarded():
            return edge.EdgeShard.create(str(self.place), self._config())

    def _read_position(self) -> int:
        """0 where there is none, or it is of other vectors, or older than what the store remembers.

        Its seal is broken from here until `close`: after a kill, Edge's own log has to be trusted.
        """
        if not self.position.exists():
            return 0
        try:
            position = json.loads(self.position.read_bytes())
            change, known = int(position["change"]), (position["format"], position["width"])
            seal = position["seal"]
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedIndex(f"{self.position.name}: {error}") from None
        if seal is not None and seal != self._seal():
            raise DamagedIndex("its files are not as they were left")
        if known != (FORMAT, self.width) or not self.store.compacted <= change <= self.store.change:
            return 0
        self._write_position(change, None)
        return change

    def _write_position(self, change: int, seal: Seal | None) -> None:
        position = {"format": FORMAT, "width": self.width, "change": change, "seal": seal}
        replace_file(self.position, json.dumps(position).encode())

    def _seal(self) -> Seal:
        """Size and time of every file: Edge does not notice all damage by itself."""
        files = sorted(path for path in self.place.rglob("*") if path.is_file())
        return [[str(path.relative_to(self.place)), path.stat().st_size, path.stat().st_mtime_ns] for path in files]

    def _config(self) -> edge.EdgeConfig:
        params = {}
        if self.width:
            half = edge.VectorStorageDatatype.Float16
            params[MEANING] = edge.EdgeVectorParams(size=self.width, distance=edge.Distance.Dot, datatype=half)
        words = {WORDS: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)}
        return edge.EdgeConfig(vectors=params, sparse_vectors=words)

    def _take_in(self) -> None:
        """What is newer in the store."""
        if (change := self.store.change) == self.change:
            return
        if int(self.store.fact("width") or 0) != self.width or (self.change and self.change < self.store.compacted):
            self._begin_anew()
            return
        self._check_room()
        with guarded():
            if gone := self.store.removed(self.change) if self.change else []:
                self._update(edge.UpdateOperation.delete_points([*gone]))
            for rows in in_batches(self.store.newer(self.change), BATCH):
                self._update(edge.UpdateOperation.upsert_points([self._point(row) for row in rows]))
        self.change = change

    def _check_room(self) -> None:
        """Where its files, which are mapped into memory, cannot grow, the system ends the process."""
        needed = ROOM + self.store.count_newer(self.change) * (ROW + 2 * self.width)
        if (free := shutil.disk_usage(self.folder).free) < needed:
            raise UnusableIndex(f"{free / 1e6:,.0f} MB are free on the disk, and {needed / 1e6:,.0f} MB are needed")

    def _begin_anew(self) -> None:
        """The first vectors have come, or the store forgot what was deleted."""
        self.position.unlink(missing_ok=True)
        self._open()

    def _update(self, operation: edge.UpdateOperation) -> None:
        if self.shard is not None:
            self.shard.update(operation)

    def _point(self, row: Row) -> edge.Point:
        terms = np.frombuffer(row.terms, dtype=TERM)
        words = edge.SparseVector(terms["term"].tolist(), passage_weights(terms, [len(terms)]).tolist())
        vectors: dict[str, Any] = {WORDS: words}
        if row.vector is not None:
            vectors[MEANING] = np.frombuffer(row.vector, dtype=HALF).astype(np.float32).tolist()
        meta = {name: as_filterable(value) for name, value in json.loads(row.meta).items()}
        return edge.Point(row.number, vectors, {SOURCE: row.source, "meta": meta})

    def _check(self) -> None:
        """That it holds as many items as the store."""
        with guarded():
            found = self.shard.count(edge.CountRequest(exact=True)) if self.shard else 0
        if found != (wanted := self.store.count()):
            raise DamagedIndex(f"{found:,} of {wanted:,} passages")

    def by_words(self, weights: Mapping[int, float], k: int, where: Conditions = ()) -> list[int]:
        asked = edge.SparseVector(list(weights), list(weights.values()))
        return self._query(asked, WORDS, k, where) if weights else []

    def by_vector(self, vector: Vectors, k: int, where: Conditions = ()) -> list[int]:
        return self._query(vector.tolist(), MEANING, k, where) if self.width else []

    def _query(self, vector: Any, using: str, k: int, where: Conditions) -> list[int]:
        return self._mending(lambda: self._search(vector, using, k, where))

    def _search(self, vector: Any, using: str, k: int, where: Conditions) -> list[int]:
        self._take_in()
        wanted = edge.Query.Nearest(vector, using=using)
        with guarded():
            request = edge.QueryRequest(limit=k, query=wanted, filter=as_filter(where))
            found = self.shard.query(request) if self.shard else []
        return [int(point.id) for point in sorted(found, key=lambda point: (-point.score, point.id))]

    def flush(self) -> None:
        self._mending(self._keep)

    def _keep(self) -> None:
        """The position is kept after what it stands for, so that a kill in between costs a repetition, no loss."""
        self._take_in()
        with guarded():
            if self.shard:
                self.shard.flush()
        self._write_position(self.change, None)

    def close(self) -> None:
        with suppress(UnusableIndex, AnselmError):  # it is derived: the next one who opens it sees to it
            self._keep()
            self._close_shard()
            self._write_position(self.change, self._seal())
        self._close_shard()
        self.held.close()


@contextmanager
def guarded() -> Iterator[None]:
    """Edge raises plain exceptions and, where it did not expect something, panics, which Python takes for an exit."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, AnselmError):
        raise
    except BaseException as error:
        raise DamagedIndex(" ".join(str(error).split())[:80]) from None


def as_filter(where: Conditions) -> edge.Filter | None:
    """All conditions, each by any of its values."""
    return edge.Filter(must=[_any(name, allowed) for name, allowed in where]) if where else None


def _any(name: str, allowed: Sequence[str | int | bool]) -> edge.Filter:
    key = SOURCE if name == SOURCE else f'meta."{name}"'
    values = [as_filterable(value) for value in allowed]
    return edge.Filter(should=[edge.FieldCondition(key=key, match=edge.MatchValue(value)) for value in values])


def as_filterable(value: Any) -> Any:
    """Edge takes a Python bool for a number; what is no value to filter by need not be there."""
    if isinstance(value, list):
        return [as_filterable(one) for one in value]
    if isinstance(value, bool):
        return f"\0{value}"
    return value if isinstance(value, str | int) else None
