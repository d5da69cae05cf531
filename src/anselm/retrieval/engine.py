"""What a pool stands on: something that keeps items and finds them, by words and by vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from anselm.errors import InputError
from anselm.retrieval.filters import Conditions
from anselm.retrieval.item import Item

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Pending:
    """A text that has no vector yet."""

    id: str
    hash: str
    text: str


def other_width(place: str, known: int, width: int) -> InputError:
    problem = f"its vectors have {known} numbers, and those of the encoder {width}"
    return InputError(f"{place}: {problem}; `anselm pool rebuild --vectors` makes them again")


class Engine(Protocol):
    """What `add`, `delete` and `set_vectors` have done when they return survives whatever happens next.

    What some can do besides is asked of them:
        neighbours(item) -> (text before, text after) in its source
        together() -> context manager: all that is written inside, or nothing of it, and no other writer in between
        notes: list[str], what happened on opening that the user should know
        folder: Path, where it keeps its files
    """

    place: str  # as the user wrote it

    def add(self, items: Sequence[Item]) -> int:
        """Upsert, all or none; ids differ. Gives how many were new or changed."""
        ...

    def delete(self, ids: Sequence[str]) -> int:
        """Gives how many there were."""
        ...

    def get(self, ids: Sequence[str]) -> list[Item]:
        """Those that there are, in this order."""
        ...

    def items(self, where: Conditions = ()) -> Iterator[Item]:
        """All of them, streamed."""
        ...

    def count(self, where: Conditions = ()) -> int: ...

    def pending(self, most: int) -> list[Pending]:
        """Some that have no vector yet."""
        ...

    def count_pending(self) -> int: ...

    def fingerprint(self) -> str | None:
        """Of what made the vectors; None where there are none."""
        ...

    def check_width(self, width: int) -> None:
        """That vectors of so many numbers are as wide as those that it has."""
        ...

    def set_vectors(self, fingerprint: str, pending: Sequence[Pending], vectors: Vectors) -> None:
        """Of items that still have the text; all vectors of a pool have one fingerprint."""
        ...

    def by_words(self, weights: Mapping[int, float], k: int, where: Conditions = ()) -> list[str]:
        """The ids of the k best by BM25 (terms.py), of those that share a word."""
        ...

    def by_vector(self, vector: Vectors, k: int, where: Conditions = ()) -> list[str]:
        """The ids of the k nearest."""
        ...

    def rebuild(self, vectors: bool) -> None:
        """Make again what is derived; with `vectors`, they are forgotten."""
        ...

    def facts(self) -> dict[str, Any]:
        """What `anselm pool info` shows besides counts."""
        ...

    def flush(self) -> None: ...

    def close(self) -> None: ...
