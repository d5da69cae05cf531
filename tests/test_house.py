"""The house rules that a machine can check: rooms import only from rooms to their left, the base needs little."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import anselm

PACKAGE = Path(anselm.__file__).parent
GROUND = ("errors", "outputs", "files", "__init__")
ROOMS = (
    *GROUND, "text", "data", "layers", "models", "runtime", "train", "evaluation", "explaining", "duplicates",
    "grouping", "languages", "ranking", "asking", "ranker", "benching", "bulk", "recipes", "terminal", "serve",
    "integrations", "cli", "__main__",
)  # fmt: skip
FILES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "anselm" else [f"anselm.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("anselm.")}
    return {name for name in found if (PACKAGE / name).exists() or (PACKAGE / f"{name}.py").exists()}


def test_every_room_is_on_the_plan() -> None:
    assert {room(path) for path in FILES} <= set(ROOMS)


def test_contributing_has_the_same_plan() -> None:
    page = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [plan] = re.findall(r"^    errors, .*?\n\n", page, flags=re.DOTALL | re.MULTILINE)
    assert tuple(re.findall(r"\w+", plan)) == tuple(name for name in ROOMS if not name.startswith("__"))


@pytest.mark.parametrize("path", [path for path in FILES if path.parent != PACKAGE or path.stem != "__init__"], ids=str)
def test_a_module_imports_only_from_rooms_to_its_left(path: Path) -> None:
    here = ROOMS.index(room(path))
    assert all(ROOMS.index(other) <= here for other in imported_rooms(path))


def test_importing_anselm_is_cheap() -> None:
    """Nothing but the standard library is loaded until something is used; torch never is."""
    libraries = ("numpy", "torch", "rich", "typer", "onnxruntime", "tokenizers")
    code = f"import sys, anselm; print([m for m in {libraries} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_the_command_line_starts_without_numpy() -> None:
    """--help and completion should answer at once."""
    code = "import sys, anselm.cli; print([m for m in ('numpy', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_the_public_names_are_all_there() -> None:
    for name in anselm.__all__:
        assert getattr(anselm, name) is not None
    assert set(anselm.__all__) <= set(dir(anselm))
    with pytest.raises(AttributeError, match="no attribute 'rnak'"):
        anselm.rnak  # noqa: B018
