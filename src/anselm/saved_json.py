"""JSON that a model's folder keeps. Anybody may have edited it: it must be a file, with numbers to compute with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anselm.errors import FormatError
from anselm.files import read_json

LARGEST = 1e12  # products of a few such numbers are still finite


def read_saved(path: Path) -> Any:
    check_regular(path)
    value = read_json(path)
    if (found := _unusable(value)) is not None:
        raise FormatError(path, f"{found!r:.30} is no number from {-LARGEST:g} to {LARGEST:g}")
    return value


def check_regular(path: Path) -> None:
    """A pipe or a device could be read for ever."""
    if not path.is_file():
        raise FormatError(path, "is not a file" if path.exists() or path.is_symlink() else "does not exist")


def _unusable(value: Any) -> int | float | None:
    """The first number in it that is too large, or none at all."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return next((found for one in inner if (found := _unusable(one)) is not None), None)
    return value if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST else None
