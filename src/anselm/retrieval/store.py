"""The truth of an embedded pool: items, their vectors in half precision, and what has changed since when."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from anselm.errors import FormatError, InputError
from anselm.retrieval.database import Database
from anselm.retrieval.engine import Pending, Vectors
from anselm.retrieval.filters import SOURCE, Conditions
from anselm.retrieval.item import Item, kept_item, write_meta
from anselm.retrieval.terms import TERM, count_terms

FILE = "pool.db"
FINGERPRINT, CHANGE, COMPACTED = "fingerprint", "change", "compacted"
COLUMNS = 'id, text, question, heading, source, start, "end", line, meta'
UPSERT = f"""
INSERT INTO item ({COLUMNS}, hash, terms, change) VALUES ({", ".join("?" * 12)})
ON CONFLICT (id) DO UPDATE SET text = excluded.text, question = excluded.question, heading = excluded.heading,
    source = excluded.source, start = excluded.start, "end" = excluded."end", line = excluded.line,
    meta = excluded.meta, hash = excluded.hash, terms = excluded.terms, change = excluded.change
"""
CHUNK = 500  # values of one statement
HALF = "<f2"  # how vectors are kept


class Row(NamedTuple):
    """An item as an index sees it; numbers are still bytes, which are read faster together."""

    number: int
    terms: bytes
    vector: bytes | None
    source: str
    meta: str


class Store:
    """All writing happens in transactions, each of which is one `change`.

    Changes have a mark, random, and new for each opening: a copy of another pool, or an older one that was brought back
    and then written, has the same numbers of changes, and what is derived from it must not be taken for it.
    """

    def __init__(self, folder: Path, write: bool) -> None:
        self.database = Database(folder / FILE, write)
        self._mark = secrets.token_hex(8)
        self._first_pending = 0  # no item before it lacks a vector
        self._vector_size = 0  # bytes, once it is known

    def fact(self, name: str) -> Any:
        return self.database.one("SELECT value FROM fact WHERE name = ?", name)

    @property
    def change(self) -> int:
        """How many there have been."""
        return self._number(CHANGE)

    def _next_change(self) -> int:
        change = self.change + 1
        self._set_fact(CHANGE, change)
        if self.mark(change) != self._mark:
            self._set_fact(mark_name(change), self._mark)
        return change

    def mark(self, change: int) -> str | None:
        """That of a change; None where an older Anselm wrote it, or it is forgotten. Kept where it is another."""
        sql = "SELECT value FROM fact WHERE name BETWEEN ? AND ? ORDER BY name DESC LIMIT 1"
        found = self.database.one(sql, mark_name(0), mark_name(change))
        return None if found is None else str(found)

    def _set_fact(self, name: str, value: object) -> None:
        self.database.run("INSERT OR REPLACE INTO fact VALUES (?, ?)", name, value)

    def add(self, items: Sequence[Item]) -> int:
        with self.database.transaction():
            known = {item.id: item for item in self.get([item.id for item in items])}
            changed = [item for item in items if known.get(item.id) != item]
            other = [item.id for item in changed if item.id in known and known[item.id].content != item.content]
            self._forget_vectors(other)
            if changed:
                change = self._next_change()
                self.database.run_many(UPSERT, [(*as_row(item), change) for item in changed])
        return len(changed)

    def delete(self, ids: Sequence[str]) -> int:
        with self.database.transaction():
            numbers = [number for (number,) in self._in("SELECT number FROM item WHERE id IN (?)", ids)]
            if numbers:
                change = self._next_change()
                self.database.run_many("INSERT INTO removed VALUES (?, ?)", [(number, change) for number in numbers])
                self.database.run_many("DELETE FROM vector WHERE number = ?", [(number,) for number in numbers])
                self.database.run_many("DELETE FROM item WHERE number = ?", [(number,) for number in numbers])
        return len(numbers)

    def _forget_vectors(self, ids: Sequence[str]) -> None:
        self._first_pending = 0
        sql = "DELETE FROM vector WHERE number = (SELECT number FROM item WHERE id = ?)"
        self.database.run_many(sql, [(id,) for id in ids])

    def _in(self, sql: str, values: Iterable[object]) -> Iterator[tuple[Any, ...]]:
        """Rows for many values, for which (?) stands in the statement."""
        listed = list(values)
        for start in range(0, len(listed), CHUNK):
            some = listed[start : start + CHUNK]
            yield from self.database.rows(sql.replace("(?)", f"({', '.join('?' * len(some))})"), *some)

    def get(self, ids: Sequence[str]) -> list[Item]:
        found = {row[0]: self._item(row) for row in self._in(f"SELECT {COLUMNS} FROM item WHERE id IN (?)", ids)}
        return [found[id] for id in ids if id in found]

    def ids(self, numbers: Sequence[int]) -> list[str]:
        found = dict(self._in("SELECT number, id FROM item WHERE number IN (?)", numbers))
        return [found[number] for number in numbers if number in found]

    def items(self, where: Conditions = ()) -> Iterator[Item]:
        """Up to the last one that is there as it begins: whoever adds while reading would never come to an end."""
        condition, values = as_sql(where)
        last = "SELECT max(number) FROM item"  # within the statement: else a source could be replaced in between
        sql = f"SELECT {COLUMNS} FROM item WHERE {condition} AND number <= ({last}) ORDER BY number"
        return (self._item(row) for row in self.database.stream(sql, *values))

    def numbers(self, where: Conditions) -> list[int]:
        condition, values = as_sql(where)
        return [cast(int, n) for (n,) in self.database.rows(f"SELECT number FROM item WHERE {condition}", *values)]

    def count(self, where: Conditions = ()) -> int:
        condition, values = as_sql(where)
        return cast(int, self.database.one(f"SELECT count(*) FROM item WHERE {condition}", *values))

    def neighbours(self, item: Item) -> tuple[str, str]:
        """The texts before and after it in its source."""
        sql = "SELECT text FROM item WHERE source = ? AND start {} ? ORDER BY start {} LIMIT 1"
        before = self.database.one(sql.format("<", "DESC"), item.source, item.start)
        after = self.database.one(sql.format(">", "ASC"), item.source, item.start)
        return str(before or ""), str(after or "")

    def pending(self, most: int) -> list[Pending]:
        """From where the last ones were: to look at all the others each time would take ever longer."""
        sql = f"""SELECT {COLUMNS}, hash, number FROM item
                  WHERE number >= ? AND number NOT IN (SELECT number FROM vector) ORDER BY number LIMIT ?"""
        rows = cast(list[Any], self.database.rows(sql, self._first_pending, most))
        self._first_pending = rows[0][-1] if rows else self._first_pending
        return [Pending(id, hash, self._item((id, *place)).content) for id, *place, hash, _ in rows]

    def count_pending(self) -> int:
        return self.count() - cast(int, self.database.one("SELECT count(*) FROM vector"))

    def set_vectors(self, fingerprint: str, pending: Sequence[Pending], vectors: Vectors) -> None:
        """`change` of an item moves on, so that indexes take its vector in."""
        with self.database.transaction():
            if self.fact(FINGERPRINT) not in (None, fingerprint):
                raise InputError(f"the vectors of {self.database.path.parent} are those of another model")
            self._set_fact(FINGERPRINT, fingerprint)
            self._set_fact("width", vectors.shape[1])
            change = self._next_change()
            half = [vector.astype(HALF).tobytes() for vector in vectors]
            insert = "INSERT OR REPLACE INTO vector SELECT number, ? FROM item WHERE id = ? AND hash = ?"
            rows = [(data, one.id, one.hash) for one, data in zip(pending, half, strict=True)]
            self.database.run_many(insert, [tuple(row) for row in rows])
            self.database.run_many("UPDATE item SET change = ? WHERE id = ?", [(change, one.id) for one in pending])

    def forget_vectors(self) -> None:
        with self.database.transaction():
            self._first_pending = 0
            self.database.run("DELETE FROM vector")
            self.database.run("DELETE FROM fact WHERE name = ?", FINGERPRINT)
            self.database.run("UPDATE item SET change = ?", self._next_change())

    def newer(self, change: int) -> Iterator[Row]:
        """What was added or changed since: all of it in the order of the table, a little by the index of changes."""
        way = "INDEXED BY item_change" if change else "NOT INDEXED"
        sql = f"""SELECT number, terms, data, source, meta FROM item {way} LEFT JOIN vector USING (number)
                  WHERE change > ?"""
        return (self._row(row) for row in cast(Iterator[Any], self.database.stream(sql, change)))

    def _row(self, values: Sequence[Any]) -> Row:
        row = Row(*values)
        terms, vector = row.terms, b"" if row.vector is None else row.vector
        if not isinstance(terms, bytes) or len(terms) % TERM.itemsize or not self._fits(vector):
            raise FormatError(self.database.path, f"passage number {row.number} has terms or a vector of a wrong size")
        return row

    def _fits(self, vector: Any) -> bool:
        """The width is looked up anew where it does not: the first vectors may just have come."""
        if not isinstance(vector, bytes):
            return False
        if len(vector) not in (0, self._vector_size):
            self._vector_size = self.width * np.dtype(HALF).itemsize
        return len(vector) in (0, self._vector_size)

    @property
    def width(self) -> int:
        """Of vectors; 0 where there are none."""
        return self._number("width")

    def _number(self, name: str) -> int:
        value = self.fact(name) or 0
        if type(value) is not int or value < 0:
            raise FormatError(self.database.path, f"its {name} is {value!r:.60}, and must be a whole number")
        return value

    def _item(self, row: Sequence[Any]) -> Item:
        *values, meta = row
        try:
            known = json.loads(meta)
        except (ValueError, TypeError, RecursionError):
            known = None
        return kept_item(self.database.path, (*values, known))

    def count_newer(self, change: int) -> int:
        return cast(int, self.database.one("SELECT count(*) FROM item WHERE change > ?", change))

    @property
    def compacted(self) -> int:
        """The change until which nobody knows any more what was deleted."""
        return self._number(COMPACTED)

    def removed(self, change: int) -> list[int]:
        """What was deleted since."""
        return [cast(int, n) for (n,) in self.database.rows("SELECT number FROM removed WHERE change > ?", change)]

    def compact(self) -> None:
        """Forget which items were deleted, and old marks: an index that has not seen it begins anew."""
        with self.database.transaction():
            self.database.run("DELETE FROM removed")
            self._set_fact(COMPACTED, change := self._next_change())
            old = "DELETE FROM fact WHERE name BETWEEN ? AND ? AND value != ?"
            self.database.run(old, mark_name(0), mark_name(change), self._mark)
        self.database.run("VACUUM")

    def close(self) -> None:
        self.database.close()


def mark_name(change: int) -> str:
    """Of the fact, in the order of changes."""
    return f"mark {change:020}"


def as_row(item: Item) -> tuple[object, ...]:
    place = (item.source, item.start, item.end, item.line)
    terms = count_terms(item.content).tobytes()
    return (item.id, item.text, item.question, item.heading, *place, write_meta(item.meta), item.hash, terms)


def as_sql(where: Conditions) -> tuple[str, list[object]]:
    """A condition with ? in it, and what they stand for. Of a list in the metadata any element will do."""
    parts, values = ["1"], list[object]()
    for name, allowed in where:
        if name == SOURCE:
            parts.append(f"source IN ({', '.join('?' * len(allowed))})")
            values += map(str, allowed)
        else:
            pairs = ", ".join(["(?, ?)"] * len(allowed))
            parts.append(
                f"EXISTS (SELECT 1 FROM json_each(item.meta, ?) AS j WHERE (j.type, j.value) IN (VALUES {pairs}))"
            )
            values += [f'$."{name}"', *(part for value in allowed for part in (json_kind(value), value))]
    return " AND ".join(parts), values


def json_kind(value: str | int | bool) -> str:
    """What SQLite calls it: JSON's true is its 1, but a 1 is no true."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "integer" if isinstance(value, int) else "text"
