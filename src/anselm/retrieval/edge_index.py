"""Words and vectors of a pool on disk, by Qdrant Edge: for large pools, opened at once, with little memory.

    index/position.json   the change of the store until which it is known to hold everything, and its mark
    index/stems.npy       how many passages hold each stem: Edge's own idf counts what was deleted, too
    index/shard/          Edge's own

It is derived. Whatever is wrong with it, it is made again from the store, and said; no vector is computed again.
Vectors are compared one by one, without a graph, so that nothing near is missed.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import qdrant_edge as edge

from anselm.errors import AnselmError, InputError
from anselm.outputs import hold
from anselm.retrieval.edge_filters import as_filter
from anselm.retrieval.edge_points import MEANING, WORDS, config_of, point_of, stems_of
from anselm.retrieval.edge_position import Position, Seal, read_position, seal_of, write_position
from anselm.retrieval.engine import Vectors
from anselm.retrieval.filters import Conditions
from anselm.retrieval.indexes import LOCK, DamagedIndex, UnusableIndex, remove
from anselm.retrieval.stem_counts import StemCounts, load_counts
from anselm.retrieval.store import Store
from anselm.retrieval.terms import TERM
from anselm.scorer import batched

BATCH, PAGE = 500, 1_000
CHECKS = 5  # that may meet another process's writing
ROOM, ROW = 64_000_000, 2_000  # bytes, at least as many as were seen
SHARED = 1, 100, 1_000  # how many may share the last place; the more, the longer it takes
MOST = 2**32  # passages that are asked for at once: Edge takes no number of more than 64 bits
OTHER = "it was made from another pool.db, or from another past of this one"
T = TypeVar("T")


class IndexInUse(Exception):
    """Another process has it, or nobody may write it."""


def open_edge_index(store: Store, folder: Path, note: Callable[[str], object]) -> EdgeIndex:
    """As it was kept, or, where that cannot be, made again."""
    held = ExitStack()
    try:
        folder.mkdir(exist_ok=True)
        held.enter_context(hold(folder / LOCK))
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
        self._counts: StemCounts | None = None  # None where they are not known
        self._mending(self._open)

    def _mending(self, work: Callable[[], T]) -> T:
        try:
            return self._twice(work)
        except OSError as error:
            raise UnusableIndex(error.strerror or error) from None

    def _twice(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except DamagedIndex as damage:
            self.note(f"the index of {self.folder.parent} was damaged ({damage}) and was made again")
            self._begin_anew()
            return work()

    def _open(self) -> None:
        self._close_shard()
        self.width = self.store.width
        self.change, self.mark = self._read_position() or (0, None)
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
        self._counts = StemCounts()
        remove(self.place)
        self._check_room()
        self.place.mkdir()
        with guarded():
            return edge.EdgeShard.create(str(self.place), config_of(self.width))

    def _read_position(self) -> tuple[int, str | None] | None:
        """The change and its mark; None where there is none, or of other vectors, or the store remembers no more of it.

        Its seal is broken from here until `close`: after a kill, Edge's own log has to be trusted.
        """
        kept = read_position(self.position)
        if kept is None:
            return None
        if kept.seal is not None and kept.seal != self._seal():
            raise DamagedIndex("its files are not as they were left")
        if kept.width != self.width or not self._remembers(kept.change, kept.mark):
            return None
        self._counts = load_counts(self.stems) if kept.seal is not None else None
        write_position(self.position, replace(kept, seal=None))
        return kept.change, kept.mark

    def _remembers(self, change: int, mark: str | None) -> bool:
        """Whether the store knows all that was done since. One that has not seen the change is another store."""
        known = self.store.mark(change)  # before `compacted`: another process may forget it now
        if change < self.store.compacted:
            return False
        if change > self.store.change or mark != known:
            raise DamagedIndex(OTHER)
        return True

    @property
    def stems(self) -> Path:
        return self.folder / "stems.npy"

    def _write_position(self, seal: Seal | None = None) -> None:
        write_position(self.position, Position(self.width, self.change, self.mark, seal))

    def _seal(self) -> Seal:
        return seal_of(self.folder, [self.stems, *self.place.rglob("*")])

    def _take_in(self) -> None:
        """What is newer in the store."""
        remembered = not self.change or self._remembers(self.change, self.mark)
        if (change := self.store.change) == self.change:
            return
        if self.store.width != self.width or not remembered:
            self._begin_anew()
            return
        self._check_room()
        with guarded():
            for gone in batched(self.store.removed(self.change) if self.change else [], BATCH):
                self._update(edge.UpdateOperation.delete_points([*gone]), gone, {})
            for rows in batched(self.store.newer(self.change), BATCH):
                points = [point_of(row) for row in rows]
                new = {row.number: np.frombuffer(row.terms, dtype=TERM)["term"].tolist() for row in rows}
                self._update(edge.UpdateOperation.upsert_points(points), list(new), new)
        self.change, self.mark = change, self.store.mark(change)

    def _check_room(self) -> None:
        """Where its files, which are mapped into memory, cannot grow, the system ends the process."""
        needed = ROOM + self.store.count_newer(self.change) * (ROW + 2 * self.width)
        if (free := shutil.disk_usage(self.folder).free) < needed:
            raise UnusableIndex(f"{free / 1e6:,.0f} MB are free on the disk, and {needed / 1e6:,.0f} MB are needed")

    def _begin_anew(self) -> None:
        """It is damaged, the first vectors have come, or the store forgot what was deleted."""
        remove(self.position)
        self._open()

    def _update(self, operation: edge.UpdateOperation, numbers: list[int], new: Mapping[int, list[int]]) -> None:
        """Of some numbers; `new` are the stems that they have then. Who is stopped within has to count again."""
        counts, self._counts = self._counts, None
        if self.shard is None:
            return
        old = self.shard.retrieve(numbers, False, [WORDS]) if counts and counts.passages else []
        self.shard.update(operation)
        if counts:
            counts.add(map(stems_of, old), -1)
            counts.add(new.values())
        self._counts = counts

    def _known_counts(self) -> StemCounts:
        if self._counts is None:
            with guarded():
                self._counts = self._count_stems()
        return self._counts

    def _count_stems(self) -> StemCounts:
        """Of all that Edge holds."""
        counts, offset = StemCounts(), None
        while self.shard is not None:
            points, offset = self.shard.scroll(edge.ScrollRequest(offset, PAGE, with_vector=[WORDS]))
            counts.add(map(stems_of, points))
            if offset is None:
                break
        return counts

    def _check(self) -> None:
        """That it holds as many items as the store, unless somebody writes all the while."""
        for _ in range(CHECKS):
            with guarded():
                found = self.shard.count(edge.CountRequest(exact=True)) if self.shard else 0
            if found == (wanted := self.store.count()):
                return
            if self.store.change == self.change:
                raise DamagedIndex(f"{found:,} of {wanted:,} passages")
            self._take_in()

    def by_words(self, weights: Mapping[int, float], k: int, where: Conditions = ()) -> list[int]:
        return self._mending(lambda: self._search_words(weights, k, where))

    def _search_words(self, weights: Mapping[int, float], k: int, where: Conditions) -> list[int]:
        self._take_in()
        asked = self._known_counts().weigh(weights)
        found = edge.SparseVector(list(asked), list(asked.values()))
        return self._search(found, WORDS, k, where) if asked else []

    def by_vector(self, vector: Vectors, k: int, where: Conditions = ()) -> list[int]:
        return self._mending(lambda: self._search(vector.tolist(), MEANING, k, where)) if self.width else []

    def _search(self, vector: Any, using: str, k: int, where: Conditions) -> list[int]:
        """Of equal ones the older first. Edge takes any of those that share the last place, so that more are asked for.

        Where more than SHARED do, some of them are found, and scores that differ by less than single precision tells
        may be in another order than in memory.
        """
        self._take_in()
        k, found = min(k, MOST), list[tuple[float, int]]()
        for more in SHARED:
            found = self._nearest(vector, using, k + more, where)
            if len(found) < k + more or found[-1][0] > found[k - 1][0]:
                break
        return [number for _, number in found[:k]]

    def _nearest(self, vector: Any, using: str, k: int, where: Conditions) -> list[tuple[float, int]]:
        """(minus the score, number), in order."""
        wanted = edge.Query.Nearest(vector, using=using)
        with guarded():
            request = edge.QueryRequest(limit=k, query=wanted, filter=as_filter(where))
            found = self.shard.query(request) if self.shard else []
        return sorted((-point.score, int(point.id)) for point in found)

    def flush(self) -> None:
        self._mending(self._keep)

    def _keep(self) -> None:
        """The position is kept after what it stands for, so that a kill in between costs a repetition, no loss."""
        self._take_in()
        with guarded():
            if self.shard:
                self.shard.flush()
        self._write_position()

    def close(self) -> None:
        with suppress(UnusableIndex, AnselmError, OSError):  # it is derived: the next one who opens it sees to it
            self._keep()
            if not (counts := self._known_counts()).kept:
                counts.save(self.stems)
            self._close_shard()
            self._write_position(self._seal())
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
