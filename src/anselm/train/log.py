"""The log of a run: one JSON object per line, each with the step it was written after."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from anselm.errors import InputError


def add_line(path: Path, record: Mapping[str, float | None]) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, allow_nan=False) + "\n")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def cut_after(path: Path, step: int) -> None:
    """Forget what was written after `step`: a resumed run takes those steps, and writes those lines, once more.

    Cut off in place: a process that is killed meanwhile leaves nothing beside the file.
    """
    try:
        if path.exists():
            os.truncate(path, sum(map(len, _until(path.read_bytes().splitlines(keepends=True), step))))
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def _until(lines: list[bytes], step: int) -> Iterator[bytes]:
    for line in lines:
        try:
            if not line.endswith(b"\n") or json.loads(line)["step"] > step:
                return
        except (ValueError, TypeError, KeyError):  # the process was killed while it wrote this one, the last
            return
        yield line
