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
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import qdrant_edge as edge

from anselm.errors import AnselmError, InputError
from anselm.files import replace_file
from anselm.outputs import hold
from anselm.retrieval.batches import in_batches
from anselm.retrieval.engine import Vectors
from anselm.retrieval.filters import SOURCE, Conditions
from anselm.retrieval.store import HALF, Row, Store
from anselm.retrieval.terms import TERM, passage_weights

FORMAT = 1
WORDS, MEANING = "words", "meaning"
BATCH = 500


class IndexInUse(Exception):
    """Another process has it, or nobody may write it."""


class DamagedIndex(Exception):
    """It cannot be used, and has to be made again."""


def open_edge_index(store: Store, folder: Path, note: Callable[[str], object]) -> EdgeIndex:
    """As it was kept, or, where that cannot be, made again."""
    held = ExitStack()
    try:
        folder.mkdir(exist_ok=True)
        held.enter_context(hold(folder / "lock"))
    except (InputError, OSError):
        raise IndexInUse from None
    try:
        try:
            index = EdgeIndex(store, folder, held)
            index.refresh()
            index.check()
        except DamagedIndex as damage:
            note(f"the index of {folder.parent} was damaged ({damage}) and is made again")
            (folder / "position.json").unlink(missing_ok=True)
            index = EdgeIndex(store, folder, held)
            index.refresh()
    except BaseException:
        held.close()
        raise
    return index


class EdgeIndex:
    name = "edge"

    def __init__(self, store: Store, folder: Path, held: ExitStack) -> None:
        self.store, self.folder, self.held = store, folder, held
        self.position, place = folder / "position.json", folder / "shard"
        self.width = int(store.fact("width") or 0)
        self.change = self._read_position()
        self.shard = self._load(place) if self.change else self._create(place)

    def _load(self, place: Path) -> edge.EdgeShard:
        with guarded():
            return edge.EdgeShard.load(str(place))

    def _create(self, place: Path) -> edge.EdgeShard:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        with guarded():
            return edge.EdgeShard.create(str(place), self._config())

    def _read_position(self) -> int:
        """0 where there is none, or it is of other vectors, or older than what the store remembers."""
        if not self.position.exists():
            return 0
        try:
            position = json.loads(self.position.read_bytes())
            change, known = int(position["change"]), (position["format"], position["width"])
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedIndex(f"{self.position.name}: {error}") from None
        return change if known == (FORMAT, self.width) and self.store.compacted <= change <= self.store.change else 0

    def _config(self) -> edge.EdgeConfig:
        params = {}
        if self.width:
            half = edge.VectorStorageDatatype.Float16
            params[MEANING] = edge.EdgeVectorParams(size=self.width, distance=edge.Distance.Dot, datatype=half)
        words = {WORDS: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)}
        return edge.EdgeConfig(vectors=params, sparse_vectors=words)

    def refresh(self) -> None:
        """Take in what is newer in the store."""
        if (change := self.store.change) == self.change:
            return
        self._begin_anew_if_needed()
        with guarded():
            if gone := self.store.removed(self.change) if self.change else []:
                self.shard.update(edge.UpdateOperation.delete_points([*gone]))
            for rows in in_batches(self.store.newer(self.change), BATCH):
                self.shard.update(edge.UpdateOperation.upsert_points([self._point(row) for row in rows]))
        self.change = change

    def _begin_anew_if_needed(self) -> None:
        """Where the first vectors came, or the store forgot what was deleted."""
        width = int(self.store.fact("width") or 0)
        if width == self.width and self.change >= self.store.compacted:
            return
        with guarded():
            self.shard.close()
        self.position.unlink(missing_ok=True)
        self.change, self.width = 0, width
        self.shard = self._create(self.folder / "shard")

    def _point(self, row: Row) -> edge.Point:
        terms = np.frombuffer(row.terms, dtype=TERM)
        words = edge.SparseVector(terms["term"].tolist(), passage_weights(terms, [len(terms)]).tolist())
        vectors: dict[str, Any] = {WORDS: words}
        if row.vector is not None:
            vectors[MEANING] = np.frombuffer(row.vector, dtype=HALF).astype(np.float32).tolist()
        meta = {name: as_filterable(value) for name, value in json.loads(row.meta).items()}
        return edge.Point(row.number, vectors, {SOURCE: row.source, "meta": meta})

    def check(self) -> None:
        """That it holds as many items as the store."""
        with guarded():
            found = self.shard.count(edge.CountRequest(exact=True))
        if found != (wanted := self.store.count()):
            raise DamagedIndex(f"{found:,} of {wanted:,} passages")

    def by_words(self, weights: Mapping[int, float], k: int, where: Conditions = ()) -> list[int]:
        return self._query(edge.SparseVector(list(weights), list(weights.values())), WORDS, k, where) if weights else []

    def by_vector(self, vector: Vectors, k: int, where: Conditions = ()) -> list[int]:
        return self._query(vector.tolist(), MEANING, k, where) if self.width else []

    def _query(self, vector: Any, using: str, k: int, where: Conditions) -> list[int]:
        self.refresh()
        wanted = edge.Query.Nearest(vector, using=using)
        with guarded():
            found = self.shard.query(edge.QueryRequest(limit=k, query=wanted, filter=as_filter(where)))
        return [int(point.id) for point in found]

    def flush(self) -> None:
        """The position is kept after what it stands for, so that a kill in between costs a repetition, no loss."""
        self.refresh()
        with guarded():
            self.shard.flush()
        position = {"format": FORMAT, "width": self.width, "change": self.change}
        replace_file(self.position, json.dumps(position).encode())

    def close(self) -> None:
        try:
            self.flush()
            with guarded():
                self.shard.close()
        except (DamagedIndex, AnselmError):  # it is derived: the next one who opens it sees to it
            pass
        finally:
            self.held.close()


@contextmanager
def guarded() -> Iterator[None]:
    """Edge raises plain exceptions and, where it did not expect something, panics, which Python takes for an exit."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, AnselmError):
        raise
    except BaseException as error:
        raise DamagedIndex(" ".join(str(error).split())[:200]) from None


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
