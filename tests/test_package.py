"""What goes into the package: all that lies in its folder, and of the folders beside it the recorded results."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from anselm.__main__ import main
from anselm.experiments.results import RECORDED

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "anselm"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_file_of_the_package_is_shipped() -> None:
    patterns = SETTINGS["tool"]["setuptools"]["package-data"]["anselm"]
    shipped = {path for pattern in patterns for path in PACKAGE.glob(pattern) if path.is_file()}
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    records = {path for path in shipped if RECORDED in path.parents}  # behind a link, which rglob does not follow
    assert {path for path in files if path.suffix != ".py"} - records == shipped - records
    assert {path.relative_to(RECORDED) for path in records} == {
        path.relative_to(ROOT / "results") for path in (ROOT / "results").rglob("*.json")
    }
    assert all((path.parent / "__init__.py").is_file() for path in files - shipped)  # or setuptools does not find it


def test_nothing_else_is_shipped() -> None:
    assert SETTINGS["tool"]["setuptools"]["packages"]["find"]["where"] == ["src"]
    assert [path.name for path in (ROOT / "src").iterdir() if path.suffix != ".egg-info"] == ["anselm"]


STOPPED = """
import runpy, sys

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stop())
sys.argv = ["anselm", "models"]
runpy.run_module("anselm", run_name="__main__")
"""


def test_the_command_can_be_interrupted_while_it_loads() -> None:
    done = subprocess.run([sys.executable, "-c", STOPPED], capture_output=True)
    assert (done.returncode, done.stderr) == (130, b"")
    assert SETTINGS["project"]["scripts"] == {"anselm": f"anselm.__main__:{main.__name__}"}


WITHOUT_TORCH = """
import importlib, pkgutil, sys
import anselm

BLOCKED = ("torch", "transformers", "safetensors")
sys.modules.update(dict.fromkeys(BLOCKED))
for module in pkgutil.walk_packages(anselm.__path__, "anselm."):
    try:
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    except ImportError as error:
        if str(error.name).partition(".")[0] in BLOCKED:
            print(module.name.split(".")[1])
    except anselm.errors.AnselmError:
        pass  # another extra, which it names
"""


def test_only_rooms_that_train_need_torch() -> None:
    """The service shows recorded results, and is installed without torch."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"experiments", "export", "layers", "models", "train"}
