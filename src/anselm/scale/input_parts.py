"""The parts of an input: its files, and the pieces of those that are large.

A file gives one part of the same name. One of more than `most` bytes is cut into pieces: Parquet between row groups,
JSONL at line ends near so many bytes. Each gives a part with its number, as in `big.00002-of-00017.jsonl`. What is
packed by gzip can be read from its beginning only, and stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from anselm.errors import InputError
from anselm.scale.parquet_files import row_group_sizes
from anselm.scale.places import File

PARQUET = ".parquet"
PIECE = re.compile(r"\.\d{5,}-of-\d{5,}(?=\.[^./]+$)")
KNOWN = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", PARQUET)


@dataclass(frozen=True)
class Part:
    """A file, or a piece of it: bytes of JSONL, row groups of Parquet, from `start` to before `stop`."""

    place: str
    name: str  # of what is written
    size: int  # bytes, about
    start: int = 0
    stop: int | None = None  # None: to the end
    version: str = ""  # of the file

    @property
    def is_parquet(self) -> bool:
        return self.place.endswith(PARQUET)

    @property
    def is_packed(self) -> bool:
        return self.place.endswith(".gz")


def find_parts(files: Sequence[File], most: int | None) -> list[Part]:
    for file in files:
        if not file.name.endswith(KNOWN):
            raise InputError(f"{file.place} is not of a kind that is ranked in parts: {', '.join(KNOWN)}")
    parts = [part for file in files for part in cut(file, most)]
    places = dict[str, str]()
    for part in parts:
        if places.setdefault(part.name, part.place) != part.place:
            raise InputError(f"{part.place} and {places[part.name]} would both be written to {part.name}; rename one")
    return parts


def cut(file: File, most: int | None) -> list[Part]:
    whole = Part(file.place, file.name, file.size, version=file.version)
    if most is None or file.size <= most or whole.is_packed:
        return [whole]
    bounds = parquet_bounds(file.place, most) if whole.is_parquet else byte_bounds(file.size, most)
    count = len(bounds) - 1
    if count < 2:
        return [whole]
    return [
        Part(file.place, numbered(file.name, number, count), file.size // count, start, stop, file.version)
        for number, (start, stop) in enumerate(pairwise(bounds))
    ]


def byte_bounds(size: int, most: int) -> list[int]:
    """Pieces of about the same size."""
    count = -(-size // most)
    return [size * number // count for number in range(count + 1)]


def parquet_bounds(place: str, most: int) -> list[int]:
    """One that cannot be read is not cut: the worker who is given it names it, and others do the rest."""
    try:
        return row_group_bounds(row_group_sizes(place), most)
    except InputError:
        return [0]


def row_group_bounds(sizes: Sequence[int], most: int) -> list[int]:
    """Groups in a row, as long as they fit."""
    bounds, held = [0], 0
    for number, size in enumerate(sizes):
        if held and held + size > most:
            bounds.append(number)
            held = 0
        held += size
    return [*bounds, len(sizes)]


def uncut(name: str) -> str:
    """The file that a piece is of."""
    return PIECE.sub("", name)


def numbered(name: str, number: int, count: int) -> str:
    path = PurePosixPath(name)
    return str(path.with_name(f"{path.stem}.{number:05d}-of-{count:05d}{path.suffix}"))
