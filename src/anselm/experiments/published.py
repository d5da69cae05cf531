"""Systems that others ran on a paper's test sets, shown in its tables beside ours: `papers/<paper>/published.toml`.

[[system]]
row = "KeLP"
tables = ["table-3"]
corpus = "semeval-2016"                     with `split` and `protocol`: figures of others are not comparable
split = "test"
protocol = "official"
source = "where the figures stand"
metrics = { map = 0.792, mrr = 0.864 }      fractions, named as in recorded results
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from anselm.errors import FormatError
from anselm.experiments import recipe_files


@dataclass(frozen=True)
class System:
    """One row, on one test set."""

    row: str
    tables: tuple[str, ...]
    corpus: str
    split: str
    protocol: str
    source: str
    metrics: Mapping[str, float]


def published_systems(paper: str, table: str) -> list[System]:
    """Those of a table, in the order of the file."""
    path = recipe_files.RECIPES / paper / recipe_files.PUBLISHED
    return [system for system in read_systems(path) if table in system.tables] if path.is_file() else []


def read_systems(path: Path) -> list[System]:
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["system"]
        return [System(**{**row, "tables": tuple(row["tables"])}) for row in rows]
    except KeyError as error:
        raise FormatError(path, f"{error.args[0]!r} is missing") from None
    except (OSError, ValueError, TypeError) as error:
        raise FormatError(path, f"not a readable list of published systems ({error})") from None
