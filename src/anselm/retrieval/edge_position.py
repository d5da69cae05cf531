"""What an index on disk says of itself: which state of its database it holds, and how its files were left."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anselm.errors import InputError
from anselm.files import replace_file
from anselm.retrieval.indexes import DamagedIndex, UnusableIndex

FORMAT = 3
Seal = list[list[Any]]


@dataclass(frozen=True, slots=True)
class Position:
    """Until which change it is known to hold everything. It has no seal while it is used, or after a kill.

    `mark` is that of the change in the database (store.py): another one has others.
    """

    width: int
    change: int
    mark: str | None
    seal: Seal | None


def read_position(path: Path) -> Position | None:
    """None where there is none, or it is of another version."""
    if not path.exists():
        return None
    if not path.is_file():
        raise DamagedIndex(f"{path.name} is no file")
    try:
        found = json.loads(path.read_bytes())
        if found.pop("format") != FORMAT:
            return None
        position = Position(**found)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedIndex(f"{path.name}: {error}") from None
    if type(position.change) is not int or position.change < 0:
        raise DamagedIndex(f"{path.name}: its change is {position.change!r:.60}")
    return position


def write_position(path: Path, position: Position) -> None:
    try:
        replace_file(path, json.dumps({"format": FORMAT, **asdict(position)}).encode())
    except InputError as error:
        raise UnusableIndex(error) from None


def seal_of(folder: Path, files: Iterable[Path]) -> Seal:
    """Size and time of every file: Edge does not notice all damage by itself."""
    found = sorted(path for path in files if path.is_file())
    return [[str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns] for path in found]
