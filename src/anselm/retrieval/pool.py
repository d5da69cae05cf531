"""A pool of passages: add, delete, search. `Pool.open("faq.pool")`, or the address of a server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from anselm.data.formats.records import RecordError, check_question
from anselm.errors import FormatError, InputError, NoPoolError
from anselm.files import Skip, pass_over
from anselm.retrieval.engine import Engine, Pending
from anselm.retrieval.filling import Filling
from anselm.retrieval.filters import SOURCE, Conditions, Where, check_where, is_unicode
from anselm.retrieval.fusion import fuse_ranks
from anselm.retrieval.item import Item, item_from_object
from anselm.retrieval.locations import open_engine
from anselm.retrieval.terms import question_weights
from anselm.scorer import batched

BATCH = 1_000  # items of a transaction
EMBEDDED = 512  # texts between two commits: a kill costs some seconds of computing
HALF_MOST = 65_504  # the largest number in half precision, in which vectors are kept
PAGE = 100  # items that are read at once
DEPTH = 100  # of each kind of search, before they are fused


@runtime_checkable
class TextEncoder(Protocol):
    """What makes the vectors: the encoder of the default model, or a ranker's own."""

    @property
    def text_fingerprint(self) -> str: ...

    def text_vectors(self, texts: list[str]) -> NDArray[np.float64]: ...


@dataclass(frozen=True, slots=True)
class Found:
    """An item that was found, and at which place by words and by meaning, from 1; None where it was not."""

    item: Item
    score: float
    words: int | None
    meaning: int | None


class Pool:
    """Use it as a context manager, or `close` it. What `add` and `delete` have done is kept when they return."""

    def __init__(self, engine: Engine, encoder: TextEncoder | None = None) -> None:
        self.engine = engine
        self._encoder = encoder
        self._lock = RLock()  # a thread may fill in vectors meanwhile
        self._filling: Filling | None = None

    @classmethod
    def open(cls, place: str | Path, encoder: TextEncoder | None = None) -> Pool:
        """A folder, qdrant://host/name or postgresql://...; one that is not there is made by the first `add`.

        `encoder` makes the vectors; by default it is that of the default model.
        """
        return cls(open_engine(place), encoder)

    @property
    def place(self) -> str:
        return self.engine.place

    @property
    def folder(self) -> Path | None:
        """Where its files are; None on a server."""
        return getattr(self.engine, "folder", None)

    @property
    def encoder(self) -> TextEncoder:
        if self._encoder is None:
            from anselm.runtime.sentence_encoder import load_sentence_encoder

            self._encoder = load_sentence_encoder()
        return self._encoder

    def add(self, items: Iterable[Any], skip: Skip | None = None, apart: bool = False) -> int:
        """Upsert by id, streamed; gives how many were new or changed. They are found by their words at once.

        An item is a string, a mapping ("id", "text" or "answer", "question", "title", "source", "start", "end",
        "line", "meta"), an `Item`, or what `Ranker.rank` takes. `skip` is told of each that cannot be kept; without
        it the first one is an error. With `apart`, an id that a passage of another source has is not taken over.
        """
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise InputError(f"passages must be a list, not one {type(items).__name__}")
        return sum(self._add(batch, skip, apart) for batch in batched(self._items(items, skip), BATCH))

    def _add(self, batch: list[Item], skip: Skip | None, apart: bool) -> int:
        listed = {item.id: item for item in batch}  # the last of an id counts
        with self._lock:
            if apart and self.exists():
                self._leave_others(listed, skip)
            return self.engine.add(list(listed.values()))

    def _leave_others(self, listed: dict[str, Item], skip: Skip | None) -> None:
        """An id of a passage of another source is not taken over: two numbered lists are not one."""
        for other in self.engine.get(list(listed)):
            if other.source != listed[other.id].source:
                item = listed.pop(other.id)
                taken = f"the id {other.id!r} is that of a passage from {other.source or 'elsewhere'}"
                problem = f"{taken} in {self.place}; ids must differ"
                pass_over(FormatError(item.source or "the passage", problem, item.line or None), skip)

    def _items(self, items: Iterable[Any], skip: Skip | None) -> Iterator[Item]:
        for position, value in enumerate(items):
            try:
                item = item_from_object(value, position)
            except RecordError as error:
                if skip is None:
                    raise
                skip(FormatError(f"item {position}", str(error)))
            else:
                yield item

    def replace(self, source: str, items: Iterable[Item], skip: Skip | None = None) -> int:
        """Upsert all of a source; what else the pool has of it is deleted. Gives how many changed or went.

        In a folder and on PostgreSQL that happens at once: whoever is killed meanwhile has the source as it was.
        """
        listed = {item.id: item for item in items}
        if not listed and not self.exists():
            return 0
        with self._lock, getattr(self.engine, "together", nullcontext)():
            there = self.exists()
            old = {item.id for item in self.engine.items(((SOURCE, (source,)),))} if there else set()
            if there:
                self._leave_others(listed, skip)
            gone = sorted(old - listed.keys())
            return (self.add(listed.values()) if listed else 0) + (self.delete(gone) if gone else 0)

    def exists(self) -> bool:
        """Whether anything was ever added."""
        try:
            self.engine.count()
        except NoPoolError:
            return False
        return True

    def delete(self, ids: Iterable[str] = (), where: Where | None = None) -> int:
        """By id, or all that `where` means; gives how many there were."""
        given = possible_ids(ids)
        if where is not None and (given or not where):
            raise InputError("give ids, or a `where` that says which passages are meant, and not both")
        meant = given if where is None else [item.id for item in self.items(where)]
        with self._lock:
            return sum(self.engine.delete(batch) for batch in batched(dict.fromkeys(meant), BATCH))

    def embed(self, progress: Callable[[Iterable[int]], Iterable[int]] = iter) -> int:
        """Fill in the vectors that are missing, so that passages are also found by their meaning; gives how many.

        What is filled in is kept: stopped, it goes on from there. `progress` gets a one for each.
        """
        return sum(progress(self._embed())) if self.count_pending() else 0

    def embed_behind(self) -> Filling:
        """As `embed`, by a thread, while passages are added and found by their words; `wait` on what it gives.

        It ends when all vectors are there, or when the pool is closed.
        """
        if self._filling is None or not self._filling.running:
            self._filling = Filling(self._embed)
        return self._filling

    def _embed(self) -> Iterator[int]:
        """A one for each."""
        self._check_encoder()
        size = int(getattr(self.encoder, "texts_at_once", EMBEDDED))
        while pending := self._pending(size):
            vectors = self._vectors([one.text for one in pending])
            with self._lock:
                self.engine.set_vectors(self.encoder.text_fingerprint, pending, vectors)
            yield from (1 for _ in pending)

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        """(texts, width)"""
        try:
            vectors = np.asarray(self.encoder.text_vectors(texts), dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise InputError(f"the encoder gives no vectors: {error}") from None
        if vectors.ndim != 2 or len(vectors) != len(texts) or not (np.abs(vectors) <= HALF_MOST).all():
            raise InputError(f"the encoder gives {vectors.shape} for {len(texts)} texts, or numbers that are none")
        with self._lock:
            self.engine.check_width(vectors.shape[1])
        return vectors

    def _pending(self, most: int) -> list[Pending]:
        with self._lock:
            return self.engine.pending(most)

    def _check_encoder(self) -> None:
        known = self.engine.fingerprint()
        if known not in (None, self.encoder.text_fingerprint):
            other = f"its vectors are of another model ({known}, not {self.encoder.text_fingerprint})"
            raise InputError(f"{self.place}: {other}; `anselm pool rebuild --vectors` makes them again")

    def search(self, question: str, k: int = DEPTH, where: Where | None = None) -> list[Found]:
        """The k best by words (BM25) and by meaning (vectors), fused by rank; 100 of each, or k, are looked at."""
        check_question(question)
        if type(k) is not int or k < 1:
            raise InputError(f"k must be a whole number from 1 on, not {k!r:.60}")
        words, meaning = self.search_apart(question, max(k, DEPTH), check_where(where))
        scores = fuse_ranks([words, meaning])
        items = self.get(list(scores)[:k])
        places = [{id: rank for rank, id in enumerate(order, start=1)} for order in (words, meaning)]
        return [Found(one, scores[one.id], places[0].get(one.id), places[1].get(one.id)) for one in items]

    def search_apart(self, question: str, k: int, where: Conditions = ()) -> tuple[list[str], list[str]]:
        """Ids by words, and ids by meaning, best first; the latter are none where no vector is filled in."""
        with self._lock:
            words = self.engine.by_words(question_weights(question), k, where)
            if self.engine.fingerprint() is None:
                return words, []
            self._check_encoder()
        vector = self._vectors([question])[0]
        with self._lock:
            return words, self.engine.by_vector(vector, k, where)

    def get(self, ids: Iterable[str]) -> list[Item]:
        """Those that there are, in this order."""
        with self._lock:
            return self.engine.get(possible_ids(ids))

    def items(self, where: Where | None = None) -> Iterator[Item]:
        """All of them, streamed, in the order in which they came."""
        source = self.engine.items(check_where(where))
        while True:
            with self._lock:
                some = list(islice(source, PAGE))
            if not some:
                return
            yield from some

    def count(self, where: Where | None = None) -> int:
        return self.engine.count(check_where(where))

    def count_pending(self) -> int:
        """How many passages have no vector yet."""
        return self.engine.count_pending()

    def info(self) -> dict[str, Any]:
        """What `anselm pool info` shows."""
        counts = {"passages": self.engine.count(), "without_vector": self.count_pending()}
        return {"pool": self.place, **counts, "encoder": self.engine.fingerprint(), **self.engine.facts()}

    def rebuild(self, vectors: bool = False) -> None:
        """Make again what is derived: the index and, with `vectors`, the vectors too, at the next `embed`."""
        with self._lock:
            self.engine.rebuild(vectors)

    @property
    def notes(self) -> list[str]:
        """What happened on the way that its user should know."""
        return list(getattr(self.engine, "notes", []))

    def flush(self) -> None:
        """Let the index catch up, too."""
        with self._lock:
            self.engine.flush()

    def close(self) -> None:
        if self._filling is not None:
            self._filling.stop()
        self.engine.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def possible_ids(ids: Iterable[Any]) -> list[str]:
    """Those that a passage could have; others no database can be asked for. A number is what it is written as."""
    if isinstance(ids, str | Mapping) or not isinstance(ids, Iterable):
        raise InputError(f"ids must be a list of ids, not one {type(ids).__name__}")
    written = (str(id) if type(id) is int else id for id in ids)
    return [id for id in written if isinstance(id, str) and "\0" not in id and is_unicode(id)]
