"""The SQLite file of a pool: its tables, its format, and what can go wrong with it, each in a sentence."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from anselm.errors import AnselmError, FormatError, InputError, NoPoolError

FORMAT = 1
KIND = 0x416E736C  # "Ansl", in the header of the file
CACHE = 64_000  # kilobytes of pages that a writer keeps: ids come in any order
PATIENCE = 30.0  # seconds that a reader waits for a writer's commit

# `change` counts transactions: what an index has not seen has a higher one. Numbers are never given again, so that what
# an index still holds of a deleted item cannot be taken for another.
SCHEMA = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value);
CREATE TABLE item (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, question TEXT NOT NULL,
    heading TEXT, source TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, line INTEGER NOT NULL,
    meta TEXT NOT NULL, hash TEXT NOT NULL, terms BLOB NOT NULL, change INTEGER NOT NULL
);
CREATE INDEX item_change ON item (change);
CREATE INDEX item_place ON item (source, start);
CREATE TABLE vector (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE removed (number INTEGER PRIMARY KEY, change INTEGER NOT NULL);
"""


class Database:
    """One connection. Whatever SQLite says is said as an error of ours, with the place."""

    def __init__(self, path: Path, write: bool) -> None:
        self.path = path
        self.write = write
        self._frozen: tuple[object, ...] | None = None  # of a file that is read as if nobody changed it: what it was
        self._former: list[sqlite3.Connection] = []  # which somebody may still be reading from
        with self.guarded():
            self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        if self.write:
            connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
                self._check(connection)  # before anything is changed: it may be another program's
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA cache_size = -{CACHE}")
            if connection.execute("PRAGMA user_version").fetchone() == (0,):
                self._create(connection)
        else:
            before = _state(self.path)
            connection, frozen = _open_to_read(self.path)
            self._frozen = before if frozen else None
        self._check(connection)
        return connection

    @property
    def _current(self) -> sqlite3.Connection:
        """Opened anew where a file that was taken to stay as it was has changed."""
        if self._frozen is not None and self._frozen != _state(self.path):
            self._former.append(self._connection)
            self._connection = self._open()
        return self._connection

    @staticmethod
    def _create(connection: sqlite3.Connection) -> None:
        """In one transaction, so that a kill leaves an empty file, which is no pool yet, or a pool."""
        header = f"PRAGMA application_id = {KIND}; PRAGMA user_version = {FORMAT};"
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} {header} COMMIT;")

    def _check(self, connection: sqlite3.Connection) -> None:
        kind, version = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:  # killed as it was made
            raise NoPoolError(self.path.parent)
        if kind != KIND:
            raise FormatError(self.path, "not the database of a pool")
        if version > FORMAT:
            newer = f"written by a newer Anselm: its format is {version}, and this one reads {FORMAT}"
            raise FormatError(self.path, f"{newer}; upgrade Anselm")

    @contextmanager
    def guarded(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise self._refusal(error) from None
        except OSError as error:
            raise InputError(f"{self.path} cannot be read or written: {error.strerror or error}") from None

    def _refusal(self, error: sqlite3.DatabaseError) -> AnselmError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            advice = "restore a copy of the folder, or add the documents to a new pool"
            return FormatError(self.path, f"the database is damaged ({error}); {advice}")
        if code == sqlite3.SQLITE_BUSY:
            return InputError(f"another process is writing {self.path}; wait for it")
        return InputError(f"{self.path} cannot be read or written: {error}")

    def rows(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        with self.guarded():
            return self._current.execute(sql, values).fetchall()

    def one(self, sql: str, *values: object) -> object:
        """The first value of the first row; None where there is none."""
        found = self.rows(sql, *values)
        return found[0][0] if found else None

    def stream(self, sql: str, *values: object) -> Iterator[tuple[object, ...]]:
        with self.guarded():
            for row in self._current.execute(sql, values):  # noqa: UP028  # else it would close what is closed already
                yield row

    def run(self, sql: str, *values: object) -> int:
        """Gives how many rows were touched."""
        with self.guarded():
            return self._connection.execute(sql, values).rowcount

    def run_many(self, sql: str, rows: list[tuple[object, ...]]) -> None:
        with self.guarded():
            self._connection.executemany(sql, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that happens inside is on disk at its end, or nothing of it; one within another is part of that."""
        if self._connection.in_transaction:
            yield
            return
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk may have rolled it back already
                self._connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        with self.guarded():
            for connection in (*self._former, self._connection):
                connection.close()


def _open_to_read(path: Path) -> tuple[sqlite3.Connection, bool]:
    """In a folder that may not be written, SQLite reads only what it is told that nobody changes: true, then."""
    address = f"file:{quote(os.fsencode(path))}?mode=ro"
    try:
        return _connect(address), False
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
    log = _log_of(path)
    if log.exists() and log.stat().st_size:
        whoever = "whoever may write the folder has to open it first"
        raise InputError(f"{log} holds changes that are not in the database yet; {whoever}")
    return _connect(f"{address}&immutable=1"), True


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _log_of(path: Path) -> Path:
    """Where SQLite keeps what was written and is not in the file yet."""
    return path.with_name(f"{path.name}-wal")


def _state(path: Path) -> tuple[object, ...]:
    """Another one where somebody has written."""
    try:
        found, log = path.stat(), _log_of(path)
        return found.st_ino, found.st_size, found.st_mtime_ns, log.exists() and log.stat().st_size
    except OSError:
        return ()
