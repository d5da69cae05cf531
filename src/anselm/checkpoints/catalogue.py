"""Which models exist and how one is loaded: the folder is the registry.

Each model file has a literal table `MODELS` (name -> kind, summary), read here without importing the file, so that
models whose libraries are not installed are listed too; a function `load(name, config, folder)`; and, where the model
can be trained, `build(name, config, questions)`.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from anselm.checkpoints.checksums import verify
from anselm.data.question import Question
from anselm.errors import FormatError, InputError, MissingExtraError, UnknownNameError
from anselm.scorer import Scorer


@dataclass(frozen=True)
class Entry:
    """One name that users can type."""

    name: str
    kind: str
    summary: str
    module: str
    terms: str = ""  # of weights that come with the package

    @property
    def ready(self) -> bool:
        """Whether it ranks as it comes; any other has to be trained first."""
        return (SHIPPED / self.name).is_dir()


SHIPPED = Path(__file__).parents[1] / "shipped"  # checkpoints that come with the package, one folder per name
DEFAULT = "default"
GENERAL = "general"  # the family of rankers that are exported files alone


@cache
def all_models() -> dict[str, Entry]:
    """Everything that a user can name, `default` first."""
    found: dict[str, Entry] = {}
    for path in sorted((Path(__file__).parents[1] / "models").glob("*.py")):
        for name, row in _table(path).items():
            found[name] = Entry(name, row["kind"], row["summary"], f"anselm.models.{path.stem}")
    record = read_config(SHIPPED / DEFAULT / "config.json")
    default = found[record["model"]]
    summary = f"what is used when no model is named: {default.name}, {default.summary}"
    return {DEFAULT: Entry(DEFAULT, default.kind, summary, default.module, record["terms"])} | found


def _table(path: Path) -> Mapping[str, Mapping[str, str]]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "MODELS" for t in node.targets):
            return cast(Mapping[str, Mapping[str, str]], ast.literal_eval(node.value))
    return {}


def find_checkpoint(name_or_path: str | Path) -> Path | None:
    """The folder of a shipped model or of a user's own; None for a model that is known but not shipped trained."""
    name = str(name_or_path)
    if name in all_models():
        return SHIPPED / name if (SHIPPED / name).is_dir() else None
    folder = Path(name_or_path)
    if not folder.exists():
        raise UnknownNameError("model", name, all_models())
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder} is not a checkpoint: there is no config.json in it")
    return folder


def is_checkpoint(folder: Path) -> bool:
    """Whether a folder is one of ours: an encoder from elsewhere has a config.json as well, which names no model."""
    try:
        return "model" in json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        return False


def general_folder(base: str) -> Path | None:
    """The folder of a general ranker, the default or one's own; None for whatever else a name is."""
    folder = SHIPPED / DEFAULT if base == DEFAULT else Path(base)
    return folder if is_checkpoint(folder) and read_config(folder / "config.json")["model"] == GENERAL else None


def open_checkpoint(name_or_path: str | Path) -> Path | None:
    """As `find_checkpoint`, with the files verified: see checksums.py."""
    folder = find_checkpoint(name_or_path)
    if folder is not None:
        verify(folder)
    return folder


def load_model(name_or_path: str | Path) -> Scorer:
    """A model by the name of `all_models`, or from a checkpoint folder."""
    return load_opened(name_or_path, open_checkpoint(name_or_path))


def load_opened(name_or_path: str | Path, folder: Path | None) -> Scorer:
    """The model of a folder that is verified; without one, as its name makes it."""
    if folder is None:
        return _load(str(name_or_path), {}, None)
    record = read_config(folder / "config.json")
    families = all_models().keys() - {DEFAULT}  # the default is one of the others
    if record["model"] not in families:
        raise UnknownNameError(f"model in {folder / 'config.json'}:", record["model"], families)
    return _load(record["model"], record["config"], folder)


def build_model(name: str, config: Mapping[str, Any], questions: Sequence[Question]) -> Any:
    """A new model to be trained on some lists, whose words it may need to know."""
    module = _import(name)
    if not hasattr(module, "build"):
        raise InputError(f"{name!r} cannot be trained")
    return module.build(name, config, questions)


def _load(name: str, config: Mapping[str, Any], folder: Path | None) -> Scorer:
    try:
        return cast(Scorer, _import(name).load(name, config, folder))
    except TypeError as error:  # a config value that this version's Config does not have
        raise InputError(f"the config.json in {folder} does not fit the model {name!r}: {error}") from None


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(all_models()[name].module)
    except ImportError as error:
        if (error.name or "").split(".")[0] == "anselm":  # a mistake of ours, not a library that is absent
            raise
        raise MissingExtraError(f"the model {name!r}", "train") from None


def read_config(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(path, f"not a readable checkpoint configuration ({error})") from None
    if not isinstance(record, dict) or not isinstance(record.get("model"), str):
        raise FormatError(path, 'an object with a "model" is needed')
    if not isinstance(config := record.get("config", {}), dict):
        raise FormatError(path, f'"config" must be an object, not {config!r}')
    return {"model": record["model"], "config": config, "terms": str(record.get("terms", ""))}
