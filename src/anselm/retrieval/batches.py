"""Streams in handy pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def in_batches(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of so many, and what remains."""
    source = iter(values)
    while batch := list(islice(source, size)):
        yield batch
