"""The house rules that a machine can check: who may see whom, where torch is at home, that the base needs little."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

import anselm
from anselm.checkpoints.catalogue import read_table

PACKAGE = Path(anselm.__file__).parent
GROUND = {"abilities", "errors", "files", "machine", "outputs", "saved_json", "scorer"}
EDGES = {"cli", "serve", "integrations", "__main__"}
# Which rooms a room may import from, besides itself and the ground.
MAY_SEE: dict[str, set[str]] = {
    "abilities": {"data"},
    "errors": set(),
    "outputs": set(),
    "files": set(),
    "machine": set(),
    "saved_json": set(),
    "scorer": {"data"},
    "text": set(),
    "data": {"text"},
    "metrics": {"data"},
    "encoding": {"data"},
    "checkpoints": {"text", "data"},
    "runtime": {"text", "data", "encoding", "checkpoints"},
    "fetch": {"checkpoints"},
    "annotations": {"text", "data", "encoding", "checkpoints", "runtime"},
    "layers": set(),
    "models": {"text", "data", "encoding", "checkpoints", "annotations", "layers"},
    "train": {"data", "encoding", "checkpoints", "layers", "metrics"},
    "export": {"text", "data", "checkpoints", "runtime", "models"},
    "retrieval": {"text", "data", "runtime"},
    "ranking": {"text", "data", "metrics", "checkpoints", "runtime", "fetch", "models", "retrieval"},
    "evaluation": {"data", "metrics", "annotations", "ranking"},
    "scale": {"data", "ranking"},
    "serve": {"text", "experiments", "ranking"},
    "integrations": {"data", "ranking"},
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


@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES} - {PACKAGE}), ids=lambda folder: folder.name)
def test_a_room_that_lists_its_files_lists_them_all(folder: Path) -> None:
    """Each line of the list begins with the names of one or more files."""
    document = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    listed = re.findall(r"^((?:\w+, )*\w+)(?:  +|$)", document.partition("\n\n")[2], re.MULTILINE)
    names = [name for names in listed for name in names.split(", ")]
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert not names or sorted(names) == sorted(files)


def plan_of_contributing() -> dict[str, set[str]]:
    """What CONTRIBUTING.md says that rooms see, by their names."""
    text = (PACKAGE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]*) ?\|$", text, re.MULTILINE)
    return {name: set(re.findall(r"\w+", re.sub(r"\(.*?\)", "", sees))) for name, sees in rows}


@pytest.mark.skipif(not (PACKAGE.parents[1] / "CONTRIBUTING.md").is_file(), reason="not in a checkout")
def test_the_plan_that_people_read_is_the_one_that_is_tested() -> None:
    told = plan_of_contributing()
    assert told.pop("experiments") == {"all", "but", "the", "edges"}
    assert told.pop("cli") == {"all"}
    rooms = {name: seen for name, seen in MAY_SEE.items() if name not in GROUND | {"experiments", "cli", "__main__"}}
    assert told == rooms


def test_every_file_of_models_has_a_table_of_names() -> None:
    """What models are built on has a folder of its own."""
    files = [path for path in (PACKAGE / "models").glob("*.py") if path.name != "__init__.py"]
    assert files
    assert all(read_table(path) for path in files)


def class_names(*rooms: str) -> set[str]:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in FILES if room(path) in rooms]
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def test_what_a_scorer_is_is_not_compared_outside_its_room() -> None:
    """It is asked what it can do instead."""
    scorers = class_names("models", "runtime")
    assert {"Lexical", "PairModel", "WordModel", "GGSA", "ExportedPairs", "Blended"} <= scorers
    for path in MODULES:
        if room(path) in ("models", "runtime"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("isinstance", "issubclass")
            ):
                names = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
                assert not names & scorers, path


def test_files_and_functions_are_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path: length for path, length in lengths.items() if length > 300} == {}
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in FILES]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert median((node.end_lineno or 0) - node.lineno + 1 for node in functions) <= 8


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
