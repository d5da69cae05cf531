"""A pool on a PostgreSQL server with pgvector: postgresql://user@host/database#name, `pool` where no name is given.

    anselm_NAME           the items, with their vectors in half precision
    anselm_NAME_posting   BM25 (terms.py): which passage holds which stem, with its weight
    anselm_NAME_fact      what made the vectors, and the format

Vectors are compared one by one; docs/pools.md says how to add a graph. Several processes may write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urldefrag, urlsplit

import psycopg

from anselm.errors import FormatError, InputError, NoPoolError
from anselm.retrieval.engine import Pending, Vectors, other_width
from anselm.retrieval.filters import Conditions
from anselm.retrieval.item import Item, kept_item, write_meta
from anselm.retrieval.postgres_words import WordSearch, as_sql
from anselm.retrieval.terms import count_terms, passage_weights

FORMAT = 1
PAGE = 1_000  # items that are read at once
MUCH = 1_000  # items after which the server is told; for fewer it sees to itself
COLUMNS = 'id, text, question, heading, source, start, "end", line, meta'
SCHEMA = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS {item} (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, text text NOT NULL,
    question text NOT NULL, heading text, source text NOT NULL, start bigint NOT NULL, "end" bigint NOT NULL,
    line bigint NOT NULL, meta jsonb NOT NULL, hash text NOT NULL, vector halfvec
);
CREATE INDEX IF NOT EXISTS {item}_place ON {item} (source, start);
CREATE INDEX IF NOT EXISTS {item}_pending ON {item} (number) WHERE vector IS NULL;
CREATE TABLE IF NOT EXISTS {item}_posting (
    term bigint NOT NULL, number bigint NOT NULL REFERENCES {item} ON DELETE CASCADE, weight real NOT NULL,
    PRIMARY KEY (term, number) INCLUDE (weight)
);
CREATE INDEX IF NOT EXISTS {item}_posting_number ON {item}_posting (number);
CREATE TABLE IF NOT EXISTS {item}_fact (name text PRIMARY KEY, value text NOT NULL);
INSERT INTO {item}_fact VALUES ('format', '{format}') ON CONFLICT DO NOTHING;
""".replace("{format}", str(FORMAT))
UPSERT = f"""
INSERT INTO {{item}} ({COLUMNS}, hash) VALUES ({", ".join(["%s"] * 10)})
ON CONFLICT (id) DO UPDATE SET text = excluded.text, question = excluded.question, heading = excluded.heading,
    source = excluded.source, start = excluded.start, "end" = excluded."end", line = excluded.line,
    meta = excluded.meta, hash = excluded.hash,
    vector = CASE WHEN {{item}}.hash = excluded.hash THEN {{item}}.vector END
"""
CHANGED = """
INSERT INTO {item}_fact VALUES ('change', '1')
ON CONFLICT (name) DO UPDATE SET value = ({item}_fact.value::bigint + 1)::text
"""


def connect(address: str) -> Postgres:
    try:
        plain, name = urldefrag(address)
        urlsplit(plain)
    except ValueError as error:
        raise InputError(f"{address} is no pool: {error}; postgresql://user@host/database#name is needed") from None
    if not re.fullmatch(r"[a-z_][a-z0-9_]{0,40}", name or "pool"):
        raise InputError(f"the name of a pool has small letters, digits and underscores, not {name!r:.60}")
    return Postgres(plain, name or "pool")


class Postgres:
    """One connection; each call is a transaction, or a part of one that is open."""

    def __init__(self, address: str, name: str) -> None:
        parts = urlsplit(address)
        hidden = f":{parts.password}@"
        self.place = (address.replace(hidden, ":***@") if parts.password else address) + f"#{name}"
        self.name, self.item = name, f"anselm_{name}"
        self._made, self._written = False, 0
        self._width: int | None = None  # of the vectors, as far as is known
        self._words = WordSearch(self.item, self._rows)
        with self._guarded():
            self._connection = psycopg.connect(address, autocommit=True)
            self._connection.execute("SET hnsw.ef_search = 200")  # how many a graph gives, where somebody made one

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except psycopg.errors.UndefinedTable:
            raise NoPoolError(self.place) from None
        except psycopg.Error as error:
            raise InputError(f"{self.place}: {' '.join(str(error).split())[:300]}") from None

    def _sql(self, template: str, **more: str) -> str:
        return template.replace("{item}", self.item).replace("{where}", more.get("where", "true"))

    def _rows(self, template: str, values: Sequence[Any] | Mapping[str, Any] = (), where: str = "true") -> list[Any]:
        with self._guarded():
            found = self._connection.execute(self._sql(template, where=where), values)  # type: ignore[arg-type,unused-ignore]
            return list(found.fetchall())

    def _make(self) -> None:
        """The tables, where they are not there; what is there must be of a format that is known."""
        if not self._made:
            with self._guarded(), self._connection.transaction():
                self._connection.execute(self._sql(SCHEMA))  # type: ignore[arg-type,unused-ignore]
            version = int(self._rows("SELECT value FROM {item}_fact WHERE name = 'format'")[0][0])
            if version > FORMAT:
                newer = f"written by a newer Anselm: its format is {version}, and this one reads {FORMAT}"
                raise FormatError(self.place, f"{newer}; upgrade Anselm")
            self._made = True

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that is written inside, or nothing of it; a transaction within another is part of it.

        Writers take turns: two that touch the same rows in another order would wait for each other.
        """
        self._make()
        with self._guarded(), self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (self.item,))
            yield

    def add(self, items: Sequence[Item]) -> int:
        with self.together():
            known = {item.id: item for item in self.get([item.id for item in items])}
            changed = [item for item in items if known.get(item.id) != item]
            if changed:
                self._upsert(changed)
                self._mark_change(len(changed))
        return len(changed)

    def _upsert(self, items: Sequence[Item]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(self._sql(UPSERT), [(*as_row(item), item.hash) for item in items])  # type: ignore[arg-type,unused-ignore]
        numbers = dict(self._rows("SELECT id, number FROM {item} WHERE id = ANY(%s)", ([item.id for item in items],)))
        self._rows("DELETE FROM {item}_posting WHERE number = ANY(%s) RETURNING 1", (list(numbers.values()),))
        copy = self._sql("COPY {item}_posting (term, number, weight) FROM STDIN")
        with self._connection.cursor() as cursor, cursor.copy(copy) as postings:  # type: ignore[arg-type,unused-ignore]
            for item in items:
                terms = count_terms(item.content)
                for term, weight in zip(
                    terms["term"].tolist(), passage_weights(terms, [len(terms)]).tolist(), strict=True
                ):
                    postings.write_row((term, numbers[item.id], weight))

    def delete(self, ids: Sequence[str]) -> int:
        self._rows("SELECT 1 FROM {item}_fact LIMIT 1")  # what is not there is not made
        with self.together():
            gone = self._rows("DELETE FROM {item} WHERE id = ANY(%s) RETURNING id", (list(ids),))
            self._mark_change(len(gone))
        return len(gone)

    def _mark_change(self, count: int) -> None:
        """For whoever keeps counts; in the transaction that changes something."""
        self._connection.execute(self._sql(CHANGED))  # type: ignore[arg-type,unused-ignore]
        self._written += count

    def get(self, ids: Sequence[str]) -> list[Item]:
        rows = self._rows(f"SELECT {COLUMNS} FROM {{item}} WHERE id = ANY(%s)", (list(ids),))
        found = {row[0]: kept_item(self.place, row) for row in rows}
        return [found[id] for id in ids if id in found]

    def items(self, where: Conditions = ()) -> Iterator[Item]:
        """Page by page, up to the last that there is now: what is written meanwhile would join an open transaction."""
        condition, values = as_sql(where)
        sql = f"""SELECT number, {COLUMNS} FROM {{item}} item WHERE ({{where}}) AND number > %s AND number <= %s
                  ORDER BY number LIMIT {PAGE}"""
        last, end = 0, int(self._rows("SELECT coalesce(max(number), 0) FROM {item}")[0][0])
        while rows := self._rows(sql, (*values, last, end), condition):
            yield from (kept_item(self.place, row[1:]) for row in rows)
            last = rows[-1][0]

    def count(self, where: Conditions = ()) -> int:
        condition, values = as_sql(where)
        return int(self._rows("SELECT count(*) FROM {item} item WHERE {where}", values, condition)[0][0])

    def neighbours(self, item: Item) -> tuple[str, str]:
        sql = "SELECT text FROM {item} WHERE source = %s AND start {} %s ORDER BY start {} LIMIT 1"
        pairs = (("<", "DESC"), (">", "ASC"))
        found = [self._rows(sql.replace("{}", a, 1).replace("{}", b), (item.source, item.start)) for a, b in pairs]
        before, after = (rows[0][0] if rows else "" for rows in found)
        return before, after

    def pending(self, most: int) -> list[Pending]:
        sql = f"SELECT {COLUMNS}, hash FROM {{item}} WHERE vector IS NULL ORDER BY number LIMIT %s"
        return [Pending(row[0], row[-1], kept_item(self.place, row[:-1]).content) for row in self._rows(sql, (most,))]

    def count_pending(self) -> int:
        return int(self._rows("SELECT count(*) FROM {item} WHERE vector IS NULL")[0][0])

    def fingerprint(self) -> str | None:
        found = self._rows("SELECT value FROM {item}_fact WHERE name = 'fingerprint'")
        return str(found[0][0]) if found else None

    def check_width(self, width: int) -> None:
        """Looked up where it is another one than before: there is no index on whose vectors are there."""
        if width != self._width:
            sql = "SELECT vector_dims(vector) FROM {item} WHERE vector IS NOT NULL LIMIT 1"
            self._width = int(found[0][0]) if (found := self._rows(sql)) else None
        if self._width not in (None, width):
            raise other_width(self.place, self._width, width)

    def set_vectors(self, fingerprint: str, pending: Sequence[Pending], vectors: Vectors) -> None:
        update = self._sql("UPDATE {item} SET vector = %s::halfvec WHERE id = %s AND hash = %s")
        keep = self._sql("INSERT INTO {item}_fact VALUES ('fingerprint', %s) ON CONFLICT DO NOTHING")
        with self.together(), self._connection.cursor() as cursor:
            cursor.execute(keep, (fingerprint,))  # type: ignore[arg-type,unused-ignore]
            if self.fingerprint() != fingerprint:
                raise InputError(f"the vectors of {self.place} are those of another model")
            rows = [(as_text(vector), one.id, one.hash) for one, vector in zip(pending, vectors, strict=True)]
            cursor.executemany(update, rows)  # type: ignore[arg-type,unused-ignore]

    def by_words(self, weights: Mapping[int, float], k: int, where: Conditions = ()) -> list[str]:
        return self._words.best(weights, k, where)

    def by_vector(self, vector: Vectors, k: int, where: Conditions = ()) -> list[str]:
        condition, values = as_sql(where)
        kind = f"halfvec({len(vector)})"  # as an index on it has to say
        sql = f"""SELECT id FROM {{item}} item WHERE vector IS NOT NULL AND {{where}}
                  ORDER BY vector::{kind} <#> %s::{kind} LIMIT %s"""
        return [str(id) for (id,) in self._rows(sql, (*values, as_text(vector), k), condition)]

    def rebuild(self, vectors: bool) -> None:
        """There is nothing derived but the vectors."""
        self._rows("SELECT 1 FROM {item}_fact LIMIT 1")
        if vectors:
            with self.together():
                self._rows("DELETE FROM {item}_fact WHERE name = 'fingerprint' RETURNING 1")
                self._connection.execute(self._sql("UPDATE {item} SET vector = NULL"))  # type: ignore[arg-type,unused-ignore]

    def facts(self) -> dict[str, Any]:
        sizes = "pg_total_relation_size('{item}') + pg_total_relation_size('{item}_posting')"
        return {"engine": "postgresql", "index": "exact", "bytes": int(self._rows(f"SELECT {sizes}")[0][0])}

    def flush(self) -> None:
        """What is added is there already; after much of it the server is told to look, so that counting is quick."""
        if self._written >= MUCH:
            with self._guarded():
                self._connection.execute(self._sql("VACUUM (ANALYZE) {item}, {item}_posting"))  # type: ignore[arg-type,unused-ignore]
            self._written = 0

    def close(self) -> None:
        self._connection.close()


def as_row(item: Item) -> tuple[Any, ...]:
    place = (item.source, item.start, item.end, item.line)
    return (item.id, item.text, item.question, item.heading, *place, write_meta(item.meta))


def as_text(vector: Vectors) -> str:
    return f"[{','.join(f'{value:.6g}' for value in vector.tolist())}]"
