"""Records that wait on disk until their question's turn: for dumps in which answers lie far from their questions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any


class Shelf:
    """Records by key, in the order in which they came."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def get(self, key: str) -> list[dict[str, Any]]:
        rows = self._database.execute("SELECT value FROM record WHERE key = ? ORDER BY rowid", (key,))
        return [json.loads(value) for (value,) in rows]


@contextmanager
def shelve(records: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Shelf]:
    """Put (key, record) pairs on a shelf for the time of a `with` block; memory stays flat, whatever their number."""
    # An empty name asks SQLite for a private file on disk, gone when closed. A reader may be finished by another
    # thread than the one that started it, which is safe as long as they take turns, and a generator forces that.
    database = sqlite3.connect("", check_same_thread=False)
    try:
        database.execute("CREATE TABLE record (key TEXT, value TEXT)")
        database.executemany("INSERT INTO record VALUES (?, ?)", ((key, json.dumps(record)) for key, record in records))
        database.execute("CREATE INDEX by_key ON record (key)")
        yield Shelf(database)
    finally:
        database.close()
