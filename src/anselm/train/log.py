"""The log of a run: one JSON object per line, each with the step it was written after."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from anselm.errors import InputError
from anselm.files import write_atomically


def add_line(path: Path, record: Mapping[str, float | None]) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, allow_nan=False) + "\n")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def cut_after(path: Path, step: int) -> None:
    """Forget what was written after `step`: a resumed run takes those steps, and writes those lines, once more."""
    if path.exists():
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        with write_atomically(path) as file:
            file.writelines(f"{line}\n" for line in _until(lines, step))


def _until(lines: list[str], step: int) -> Iterator[str]:
    for line in lines:
        try:
            if json.loads(line)["step"] > step:
                return
        except (ValueError, TypeError, KeyError):  # the process was killed while it wrote this one, the last
            return
        yield line
