"""What goes into the package: all that lies in its folder, and nothing of the folders beside it."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "anselm"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_file_of_the_package_is_shipped() -> None:
    patterns = SETTINGS["tool"]["setuptools"]["package-data"]["anselm"]
    shipped = {path for pattern in patterns for path in PACKAGE.glob(pattern) if path.is_file()}
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {path for path in files if path.suffix != ".py"} == shipped
    assert all((path.parent / "__init__.py").is_file() for path in files - shipped)  # or setuptools does not find it


def test_nothing_else_is_shipped() -> None:
    assert SETTINGS["tool"]["setuptools"]["packages"]["find"]["where"] == ["src"]
    assert [path.name for path in (ROOT / "src").iterdir() if path.suffix != ".egg-info"] == ["anselm"]
