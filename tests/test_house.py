"""The house rules that a machine can check: rooms import only from rooms to their left, the base needs little."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import anselm

PACKAGE = Path(anselm.__file__).parent
GROUND = {"errors", "files", "memory", "outputs", "saved_json", "scorer"}
EDGES = {"cli", "serve", "integrations", "__main__"}
# Which rooms a room may import from, besides itself and the ground.
MAY_SEE: dict[str, set[str]] = {
    "errors": set(),
    "outputs": set(),
    "files": set(),
    "memory": set(),
    "saved_json": set(),
    "scorer": {"data"},
    "text": set(),
    "data": {"text"},
    "metrics": {"data"},
    "encoding": {"text", "data"},
    "checkpoints": {"text", "data"},
    "runtime": {"text", "data", "encoding", "checkpoints"},
    "annotations": {"text", "data", "encoding", "checkpoints", "runtime"},
    "layers": set(),
    "models": {"text", "data", "encoding", "checkpoints", "annotations", "layers"},
    "train": {"data", "encoding", "checkpoints", "layers", "metrics"},
    "export": {"text", "data", "encoding", "checkpoints", "runtime", "models", "layers"},
    "retrieval": {"text", "data", "encoding", "runtime"},
    "ranking": {"text", "data", "metrics", "checkpoints", "runtime", "models", "retrieval"},
    "evaluation": {"data", "metrics", "ranking"},
    "scale": {"data", "ranking"},
    "serve": {"data", "ranking", "retrieval", "scale"},
    "integrations": {"data", "ranking", "retrieval", "scale"},
}
MAY_SEE["experiments"] = MAY_SEE.keys() - EDGES
MAY_SEE["cli"] = MAY_SEE.keys() | {"experiments"}
MAY_SEE["__main__"] = {"cli"}
TORCH_AT_IMPORT = {"layers", "models", "train", "export"}
FILES = sorted(PACKAGE.rglob("*.py"))
MODULES = [path for path in FILES if path != PACKAGE / "__init__.py"]


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path, anywhere: bool = True) -> set[str]:
    """The modules that a file imports: anywhere in it, or at its top level alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree) if anywhere else tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def imported_rooms(path: Path) -> set[str]:
    names = {name.split(".")[1] for name in imported(path) if name.startswith("anselm.")}
    return {name for name in names if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()}


def test_every_room_is_on_the_plan() -> None:
    assert {room(path) for path in MODULES} <= MAY_SEE.keys()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_rooms_that_it_may_see(path: Path) -> None:
    here = room(path)
    assert imported_rooms(path) <= MAY_SEE[here] | GROUND | {here}


def test_torch_is_imported_at_once_only_where_it_is_at_home() -> None:
    early = {path for path in MODULES if any(name.split(".")[0] == "torch" for name in imported(path, anywhere=False))}
    assert {room(path) for path in early} <= TORCH_AT_IMPORT


def test_no_two_files_share_a_name() -> None:
    names = [path.name for path in FILES if path.name not in ("__init__.py", "__main__.py")]
    assert sorted(names) == sorted(set(names))


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
    assert dir(anselm) == sorted([*anselm.__all__, "__version__"])
    with pytest.raises(AttributeError, match="no attribute 'rnak'"):
        anselm.rnak  # noqa: B018
