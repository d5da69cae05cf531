"""Which index an embedded pool is searched with: in memory, or on disk where there is much of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from anselm.errors import InputError
from anselm.outputs import hold
from anselm.retrieval.engine import Vectors
from anselm.retrieval.exact_index import ExactIndex
from anselm.retrieval.filters import Conditions
from anselm.retrieval.store import Store

FOLDER, LOCK = "index", "lock"
LARGE = 50_000  # items from which on an index on disk pays; in memory they are read at every start
EDGE = "qdrant_edge"


class UnusableIndex(Exception):
    """It cannot be used now, and the store can: where the disk is full, for one."""


class DamagedIndex(UnusableIndex):
    """It has to be made again."""


class Index(Protocol):
    """Derived from a store: it takes in what is newer there before each search, and may be lost."""

    name: str

    def by_words(self, weights: Mapping[int, float], k: int, where: Conditions = ()) -> list[int]: ...

    def by_vector(self, vector: Vectors, k: int, where: Conditions = ()) -> list[int]: ...

    def flush(self) -> None:
        """Take in what is newer, and keep it."""
        ...

    def close(self) -> None: ...


def open_index(store: Store, folder: Path, note: Callable[[str], object]) -> Index:
    """On disk where the pool is large, the extra is installed, and no other process has it; else in memory."""
    if store.count() < LARGE or find_spec(EDGE) is None:
        return ExactIndex(store)
    from anselm.retrieval.edge_index import IndexInUse, open_edge_index

    try:
        return open_edge_index(store, folder / FOLDER, note)
    except IndexInUse:
        return ExactIndex(store)
    except UnusableIndex as error:
        return replacement(store, folder, note, error)


def replacement(store: Store, folder: Path, note: Callable[[str], object], error: UnusableIndex) -> Index:
    note(f"the index of {folder} cannot be used ({error}); passages are searched in memory")
    return ExactIndex(store)


def drop_index(folder: Path, note: Callable[[str], object]) -> None:
    """All but its lock: with that gone, two processes could have the index at once."""
    index = folder / FOLDER
    if not index.is_dir():
        return
    try:
        with hold(index / LOCK):
            for path in [path for path in index.iterdir() if path.name != LOCK]:
                remove(path)
    except InputError:
        note(f"the index of {folder} stays with the process that has it open, which makes it again when it is searched")
    except OSError as error:
        note(f"the index of {folder} cannot be removed: {error.strerror or error}")


def remove(path: Path) -> None:
    """Whatever it is: a file, a folder, a link, nothing."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
