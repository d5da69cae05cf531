"""A pool on a Qdrant server: qdrant://host:port/name, with the key of QDRANT_API_KEY where that is set.

A collection has the words of terms.py as sparse vectors, which the server multiplies with idf, and the vectors of the
encoder. `?width=768` is for an encoder whose vectors are not 384 numbers wide, and `?tls=1` for https.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from qdrant_client import QdrantClient, models

from anselm.errors import InputError, NoPoolError
from anselm.retrieval.engine import Pending, Vectors
from anselm.retrieval.filters import SOURCE, Conditions
from anselm.retrieval.item import Item, kept_item
from anselm.retrieval.terms import count_terms, passage_weights

WORDS, MEANING = "words", "meaning"
WIDTH, PORT = 384, 6333
SPACE = uuid.UUID("6f1c0d3e-0f0b-5a5e-9b1e-416e736c6d00")  # of ids: the server knows points by UUIDs
PAGE = 1_000
FIELDS = ("id", "text", "question", "heading", SOURCE, "start", "end", "line", "meta")


def connect(address: str) -> Qdrant:
    try:
        parts = urlsplit(address)
        port = parts.port or PORT
    except ValueError as error:
        raise InputError(f"{hidden(address)} is no pool: {error}; qdrant://host:port/name is needed") from None
    options = parse_qs(parts.query)
    name, width = parts.path.strip("/"), options.get("width", [str(WIDTH)])[0]
    if not parts.hostname or not name or "/" in name or not width.isdecimal():
        raise InputError(f"{hidden(address)} is no pool: qdrant://host:port/name is needed")
    scheme = "https" if options.get("tls") == ["1"] else "http"
    key = os.environ.get("QDRANT_API_KEY")
    place = f"{scheme}://{parts.hostname}:{port}"
    client = QdrantClient(url=place, api_key=key, check_compatibility=False)  # else it warns where none answers
    return Qdrant(client, name, hidden(address), int(width))


def hidden(address: str) -> str:
    """Without the password that may be in it."""
    return re.sub(r"//([^/@:]*):[^/@]*@", r"//\1:***@", address)


class Qdrant:
    """A collection of a client; every call returns when the server has done it."""

    def __init__(self, client: QdrantClient, name: str, place: str, width: int = WIDTH) -> None:
        self.client, self.name, self.place, self.width = client, name, place, width
        self._there = False

    @contextmanager
    def _guarded(self, make: bool = False) -> Iterator[None]:
        try:
            if not self._there:
                self._find(make)
            yield
        except InputError:
            raise
        except Exception as error:  # of HTTP, of gRPC, of checks in the client: they have no common root
            raise InputError(f"{self.place}: {' '.join(str(error).split())[:300]}") from None

    def _find(self, make: bool) -> None:
        if not self.client.collection_exists(self.name):
            if not make:
                raise NoPoolError(self.place)
            half = models.VectorParams(size=self.width, distance=models.Distance.DOT, datatype=models.Datatype.FLOAT16)
            words = models.SparseVectorParams(modifier=models.Modifier.IDF)
            self.client.create_collection(self.name, {MEANING: half}, sparse_vectors_config={WORDS: words})
        self._there = True

    def add(self, items: Sequence[Item]) -> int:
        with self._guarded(make=True):
            known = {payload["id"]: payload for payload in self._payloads([item.id for item in items])}
            changed = [item for item in items if item.id not in known or as_item(self.place, known[item.id]) != item]
            other = [item for item in changed if item.id not in known or known[item.id]["hash"] != item.hash]
            if other:
                self.client.upsert(self.name, [as_point(item) for item in other], wait=True)
            for item in changed:
                if item not in other:  # the text is the same, and keeps its vector
                    payload = as_payload(item, known[item.id]["fingerprint"])
                    self.client.overwrite_payload(self.name, payload, [as_uuid(item.id)], wait=True)
        return len(changed)

    def _payloads(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        found = self.client.retrieve(self.name, [as_uuid(id) for id in ids], with_payload=True)
        return [point.payload for point in found if point.payload]

    def delete(self, ids: Sequence[str]) -> int:
        with self._guarded():
            there = [payload["id"] for payload in self._payloads(ids)]
            if there:
                self.client.delete(self.name, models.PointIdsList(points=[as_uuid(id) for id in there]), wait=True)
        return len(there)

    def get(self, ids: Sequence[str]) -> list[Item]:
        with self._guarded():
            found = {payload["id"]: as_item(self.place, payload) for payload in self._payloads(ids)}
        return [found[id] for id in ids if id in found]

    def items(self, where: Conditions = ()) -> Iterator[Item]:
        offset = None
        while True:
            with self._guarded():
                points, offset = self.client.scroll(self.name, as_filter(where), limit=PAGE, offset=offset)
            yield from (as_item(self.place, point.payload or {}) for point in points)
            if offset is None:
                return

    def count(self, where: Conditions = ()) -> int:
        with self._guarded():
            return int(self.client.count(self.name, as_filter(where), exact=True).count)

    def pending(self, most: int) -> list[Pending]:
        with self._guarded():
            points, _ = self.client.scroll(self.name, models.Filter(must=[made_by("")]), limit=most)
        payloads = [point.payload or {} for point in points]
        return [Pending(payload["id"], payload["hash"], as_item(self.place, payload).content) for payload in payloads]

    def count_pending(self) -> int:
        with self._guarded():
            return int(self.client.count(self.name, models.Filter(must=[made_by("")]), exact=True).count)

    def fingerprint(self) -> str | None:
        with self._guarded():
            points, _ = self.client.scroll(self.name, models.Filter(must_not=[made_by("")]), limit=1)
        return str((points[0].payload or {})["fingerprint"]) if points else None

    def check_width(self, width: int) -> None:
        if width != self.width:
            raise InputError(f"{self.place} takes vectors of {self.width} numbers, not {width}; say ?width=")

    def set_vectors(self, fingerprint: str, pending: Sequence[Pending], vectors: Vectors) -> None:
        with self._guarded():
            now = {payload["id"]: payload["hash"] for payload in self._payloads([one.id for one in pending])}
            kept = [place for place, one in enumerate(pending) if now.get(one.id) == one.hash]
            ids: list[Any] = [as_uuid(pending[place].id) for place in kept]
            rows = [vectors[place].tolist() for place in kept]
            points = [models.PointVectors(id=id, vector={MEANING: row}) for id, row in zip(ids, rows, strict=True)]
            if points:  # the mark comes after what it stands for
                self.client.update_vectors(self.name, points, wait=True)
                self.client.set_payload(self.name, {"fingerprint": fingerprint}, ids, wait=True)

    def by_words(self, weights: Mapping[int, float], k: int, where: Conditions = ()) -> list[str]:
        asked = models.SparseVector(indices=list(weights), values=list(weights.values()))
        return self._query(asked, WORDS, k, where) if weights else []

    def by_vector(self, vector: Vectors, k: int, where: Conditions = ()) -> list[str]:
        return self._query(vector.tolist(), MEANING, k, where)

    def _query(self, vector: Any, using: str, k: int, where: Conditions) -> list[str]:
        with self._guarded():
            found = self.client.query_points(
                self.name, vector, using=using, limit=k, query_filter=as_filter(where), with_payload=["id"]
            )
        return [str((point.payload or {})["id"]) for point in found.points]

    def rebuild(self, vectors: bool) -> None:
        """The server sees to its own index; vectors are forgotten by the mark of who made them."""
        if vectors:
            with self._guarded():
                self.client.delete_vectors(self.name, [MEANING], models.Filter(must_not=[made_by("")]), wait=True)
                everything = models.Filter(must_not=[made_by("")])
                self.client.set_payload(self.name, {"fingerprint": ""}, everything, wait=True)

    def facts(self) -> dict[str, Any]:
        return {"engine": "qdrant", "index": "qdrant"}

    def flush(self) -> None:
        """What is added is there already."""

    def close(self) -> None:
        self.client.close()


def as_uuid(id: str) -> str:
    return str(uuid.uuid5(SPACE, id))


def as_payload(item: Item, fingerprint: str) -> dict[str, Any]:
    fields = {name: getattr(item, name) for name in FIELDS}
    return {**fields, "meta": dict(item.meta), "hash": item.hash, "fingerprint": fingerprint}


def as_item(place: str, payload: Mapping[str, Any]) -> Item:
    return kept_item(place, [payload.get(name) for name in FIELDS])


def as_point(item: Item) -> models.PointStruct:
    terms = count_terms(item.content)
    weights = passage_weights(terms, [len(terms)])
    words = models.SparseVector(indices=terms["term"].tolist(), values=weights.tolist())
    return models.PointStruct(id=as_uuid(item.id), vector={WORDS: words}, payload=as_payload(item, ""))


def made_by(fingerprint: str) -> models.FieldCondition:
    return models.FieldCondition(key="fingerprint", match=models.MatchValue(value=fingerprint))


def as_filter(where: Conditions) -> models.Filter | None:
    """All conditions, each by any of its values."""
    return models.Filter(must=[_any(name, allowed) for name, allowed in where]) if where else None


def _any(name: str, allowed: Sequence[str | int | bool]) -> models.Filter:
    key = SOURCE if name == SOURCE else f'meta."{name}"'
    found = [models.FieldCondition(key=key, match=models.MatchValue(value=value)) for value in allowed]
    return models.Filter(should=list(found))
