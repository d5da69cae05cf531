"""A pool in a folder: a database that holds the truth, and an index that is derived from it.

One process writes, which a lock file keeps so; any number read, also while it writes. The index on disk belongs to the
process that has it open; others search in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Any

from anselm.errors import InputError, NoPoolError
from anselm.outputs import hold
from anselm.retrieval.engine import Pending, Vectors, other_width
from anselm.retrieval.filters import Conditions
from anselm.retrieval.indexes import Index, UnusableIndex, drop_index, open_index, replacement
from anselm.retrieval.item import Item
from anselm.retrieval.store import FILE, FINGERPRINT, Store

LOCK = "lock"


class Embedded:
    """Nothing is opened before it is needed: what only reads needs no lock, and what only adds needs no index.

    Nothing is opened after `close`: whoever is late, such as a thread, would take the lock again, and keep it.
    """

    def __init__(self, folder: Path) -> None:
        self.place = str(folder)
        self.folder = folder
        self.notes: list[str] = []
        self._open = ExitStack()
        self._store: Store | None = None
        self._former: list[Store] = []  # that somebody may still be reading from
        self._index: Index | None = None
        self._writes = self._closed = False

    def _check_open(self) -> None:
        if self._closed:
            raise InputError(f"the pool {self.folder} is closed; open it again to use it")

    @property
    def reading(self) -> Store:
        if self._store is None:
            self._check_open()
            if not (self.folder / FILE).is_file():
                raise NoPoolError(self.folder)
            self._store = Store(self.folder, write=False)
        return self._store

    @property
    def writing(self) -> Store:
        if not self._writes:
            self._check_open()
            with ExitStack() as held:  # without a database that can be written, no lock is kept
                self._lock(held)
                store = Store(self.folder, write=True)
                self._open = held.pop_all()
            if self._store is not None:
                self._former.append(self._store)
            self._drop_open_index()
            self._store, self._writes = store, True
        return self.reading

    def _lock(self, held: ExitStack) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (self.folder / FILE).exists() and {path.name for path in self.folder.iterdir()} - {LOCK}:
                raise InputError(f"{self.folder} is a folder of something else; give the name of a new pool")
            if (lock := self.folder / LOCK).exists() and not lock.is_file():  # a pipe would wait for its other end
                raise InputError(f"{lock} is no file, and cannot be locked; remove it")
            with lock.open("ab"):
                pass  # whether it may be written at all
        except OSError as error:
            raise InputError(f"{self.folder} cannot be written: {error.strerror or error}") from None
        try:
            held.enter_context(hold(self.folder / LOCK))
        except InputError:
            raise InputError(f"another process is writing {self.folder}; wait for it, or only read") from None

    @property
    def index(self) -> Index:
        if self._index is None:
            self._index = open_index(self.reading, self.folder, self.notes.append)
        return self._index

    def _drop_open_index(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def together(self) -> AbstractContextManager[None]:
        """All that is written inside, or nothing of it."""
        return self.writing.database.transaction()

    def add(self, items: Sequence[Item]) -> int:
        return self.writing.add(items)

    def delete(self, ids: Sequence[str]) -> int:
        self.reading  # noqa: B018  # what is not there is not made
        return self.writing.delete(ids)

    def get(self, ids: Sequence[str]) -> list[Item]:
        return self.reading.get(ids)

    def items(self, where: Conditions = ()) -> Iterator[Item]:
        return self.reading.items(where)

    def count(self, where: Conditions = ()) -> int:
        return self.reading.count(where)

    def neighbours(self, item: Item) -> tuple[str, str]:
        return self.reading.neighbours(item)

    def pending(self, most: int) -> list[Pending]:
        return self.reading.pending(most)

    def count_pending(self) -> int:
        return self.reading.count_pending()

    def fingerprint(self) -> str | None:
        found = self.reading.fact(FINGERPRINT)
        return None if found is None else str(found)

    def check_width(self, width: int) -> None:
        known = self.reading.width
        if width != known and self.fingerprint() is not None:  # a width alone may be that of vectors that are gone
            raise other_width(self.place, known, width)

    def set_vectors(self, fingerprint: str, pending: Sequence[Pending], vectors: Vectors) -> None:
        self.writing.set_vectors(fingerprint, pending, vectors)

    def by_words(self, weights: Mapping[int, float], k: int, where: Conditions = ()) -> list[str]:
        return self._find(lambda index: index.by_words(weights, k, where))

    def by_vector(self, vector: Vectors, k: int, where: Conditions = ()) -> list[str]:
        return self._find(lambda index: index.by_vector(vector, k, where))

    def _find(self, search: Callable[[Index], list[int]]) -> list[str]:
        try:
            return self.reading.ids(search(self.index))
        except UnusableIndex as error:
            self._drop_open_index()
            self._index = replacement(self.reading, self.folder, self.notes.append, error)
            return self.reading.ids(search(self._index))

    def rebuild(self, vectors: bool) -> None:
        """The index, from what the database holds; with `vectors`, those are forgotten, to be made again."""
        self.reading  # noqa: B018
        self._drop_open_index()
        if vectors:
            self.writing.forget_vectors()
        self.writing.compact()
        drop_index(self.folder, self.notes.append)
        self.flush()

    def facts(self) -> dict[str, Any]:
        return {"engine": "embedded", "index": self.index.name, "bytes": size_of(self.folder)}

    def flush(self) -> None:
        """What is added is on disk already; the index catches up."""
        if (self.folder / FILE).is_file():
            with suppress(UnusableIndex):  # said when it is needed
                self.index.flush()

    def close(self) -> None:
        self._closed = True
        with self._open:  # the lock goes last, and whatever happens
            self._drop_open_index()
            for store in [*self._former, *([] if self._store is None else [self._store])]:
                store.close()
            self._store, self._former, self._writes = None, [], False


def size_of(folder: Path) -> int:
    """What its files take on the disk, in bytes: Edge's have holes. Some may go meanwhile."""
    size = 0.0
    for place, _, names in os.walk(folder):
        for path in (Path(place, name) for name in names):
            with suppress(OSError):
                file = path.stat()
                size += getattr(file, "st_blocks", file.st_size / 512) * 512
    return int(size)
