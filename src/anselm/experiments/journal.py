"""What the jobs of a recipe gave, and the journal that keeps it: a line for each job that is done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Tested:
    """What one seed gave on one test set."""

    metrics: dict[str, float]
    values: list[float]  # the recipe's own metric, question by question


@dataclass(frozen=True)
class Run:
    """What one seed gave on one corpus."""

    corpus: str
    seed: int
    changes: Mapping[str, Any]
    dev: float  # MAP
    tests: list[Tested]
    parameters: int
    seconds: float
    device: str
    encoder: Mapping[str, str] = field(default_factory=dict)  # name and sha256 of the pretrained one, if any
    best_step: int | None = None  # after which the weights were best on dev, and kept; earlier journals do not say
    dev_mrr: float | None = None
    made: Mapping[str, Any] = field(default_factory=dict)  # of what (provenance.py); earlier journals do not say


def mend_journal(path: Path) -> None:
    """What is added begins a line of its own, also after one that was cut off; that it can be is known at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        file.seek(max(0, file.tell() - 1))
        if file.read() not in (b"", b"\n"):
            file.write(b"\n")


def read_journal(path: Path | None) -> dict[str, list[Run]]:
    """A last line that was cut off, by a kill, is as if it were not there."""
    if path is None or not path.is_file():
        return {}
    found: dict[str, list[Run]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            key, runs = json.loads(line)
        except ValueError:
            continue
        found[key] = [Run(**{**run, "tests": [Tested(**tested) for tested in run["tests"]]}) for run in runs]
    return found


def add_to_journal(path: Path, key: str, runs: Sequence[Run]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps([key, [asdict(run) for run in runs]]) + "\n")
