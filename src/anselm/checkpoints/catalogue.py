"""Which models exist, and how one is made: the folder `models` is the registry, and other packages may add to it.

Each model file has a literal table `MODELS` (name -> kind, summary, and `source` where it is not to be trained), read
here without importing the file, so that models whose libraries are not installed are listed too, and a function
`load(checkpoint)`, unless the runtime alone runs it, from exported files. Where a model can be trained, it has
`build(name, settings, questions)`, `configure(name, settings)` that checks them, and `TINY`, with which a test builds
it quickly; where it ranks without any training, `create(name)`.

A package of somebody else's names such a file by an entry point of the group `anselm.models`, as in its pyproject.toml:

    [project.entry-points."anselm.models"]
    mine = "my_package.my_model"
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from anselm.checkpoints.cache import is_fetched, whole_folder
from anselm.checkpoints.checkpoint import Checkpoint
from anselm.data.question import Question
from anselm.errors import FormatError, InputError, MissingExtraError, UnknownNameError
from anselm.scorer import Scorer

PACKAGE = Path(__file__).parents[1]
SHIPPED = PACKAGE / "shipped"  # checkpoints that come with the package, one folder per name
FAST, DEFAULT, ACCURATE = "fast", "default", "accurate"
TIERS = {
    DEFAULT: "what is used when no model is named",
    ACCURATE: "slower and better, with an encoder that is fetched once",
    FAST: "for long lists and large numbers",
}  # shipped rankers that have a name of their own
TO_BE_TRAINED = "to be trained"
GROUP = "anselm.models"


@dataclass(frozen=True)
class Entry:
    """One name that users can type."""

    name: str
    kind: str
    summary: str
    module: str
    terms: str = ""  # of weights that come with the package
    source: str = TO_BE_TRAINED  # how one comes by its weights, where none come under its own name

    @property
    def use(self) -> str:
        """What one does with it, in a few words."""
        if self.ready:
            return "ranks as it comes"
        return f"anselm fetch {self.name}" if self.shipped else self.source

    @property
    def ready(self) -> bool:
        """Whether it ranks as it comes, or was fetched."""
        return self.shipped and is_fetched(SHIPPED / self.name)

    @property
    def shipped(self) -> bool:
        """Whether it is trained already, and comes with the package."""
        return (SHIPPED / self.name).is_dir()


@cache
def all_models() -> dict[str, Entry]:
    """Everything that a user can name, the tiers first."""
    found: dict[str, Entry] = {}
    for module, path in model_files():
        for name, row in read_table(path).items():
            found.setdefault(
                name, Entry(name, row["kind"], row["summary"], module, source=row.get("source", TO_BE_TRAINED))
            )
    return {name: _tier(name, found) for name in TIERS} | found


def _tier(name: str, families: Mapping[str, Entry]) -> Entry:
    shipped = Checkpoint.read(SHIPPED / name)
    family = families[shipped.model]
    summary = f"{TIERS[name]}: {family.name}, {family.summary}"
    return Entry(name, family.kind, summary, family.module, shipped.terms)


def model_files() -> Iterator[tuple[str, Path]]:
    """Each module and its file: ours first, then those of other packages, which cannot take a name of ours."""
    for path in sorted((PACKAGE / "models").glob("*.py")):
        yield f"anselm.models.{path.stem}", path
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        spec = find_spec(point.module)
        if spec is None or spec.origin is None:
            raise InputError(f"the entry point {point.name!r} of {GROUP} names {point.module!r}, which is not there")
        yield point.module, Path(spec.origin)


# From the name to the first brace that closes at the beginning of a line: parsing a whole file takes far longer.
_TABLE = re.compile(r"^MODELS\b[^=\n]*=\s*(\{.*?^\})", re.MULTILINE | re.DOTALL)


def read_table(path: Path) -> Mapping[str, Mapping[str, str]]:
    found = _TABLE.search(path.read_text(encoding="utf-8"))
    return cast(Mapping[str, Mapping[str, str]], ast.literal_eval(found[1])) if found else {}


def find_checkpoint(name_or_path: str | Path) -> Checkpoint | None:
    """Of a shipped model or a user's own folder; None for a model that is known but does not come trained."""
    if not isinstance(name_or_path, str | Path):
        raise InputError(f"a model is a name or the Path of a folder, not {name_or_path!r:.60}")
    name = str(name_or_path)
    if name and name == Path(name).name and (SHIPPED / name).is_dir():
        return Checkpoint.read(whole_folder(SHIPPED / name))
    if name in all_models():
        return None
    folder = Path(name_or_path)
    if not folder.exists():
        raise unknown_model(name)
    return Checkpoint.read(folder)


def unknown_model(name: str) -> UnknownNameError:
    """With what ranks at once; the others are only counted."""
    entries = all_models().values()
    rank = [entry.name for entry in entries if entry.shipped]
    count = sum(entry.use == TO_BE_TRAINED for entry in entries)
    return UnknownNameError("model", name, all_models(), [*rank, f"and {count} to be trained (anselm models)"])


def open_checkpoint(name_or_path: str | Path) -> Checkpoint | None:
    """As `find_checkpoint`, with the files verified."""
    found = find_checkpoint(name_or_path)
    return Checkpoint.open(found.folder) if found else None


def load_model(name_or_path: str | Path) -> Scorer:
    """A model by the name of `all_models`, or from a checkpoint folder, as its own file makes it."""
    checkpoint = open_checkpoint(name_or_path)
    return load_checkpoint(checkpoint) if checkpoint else create_model(str(name_or_path))


def load_checkpoint(checkpoint: Checkpoint) -> Scorer:
    """The model of a folder that is verified."""
    families = all_models().keys() - TIERS.keys()  # each of these is one of the others
    if checkpoint.model not in families:
        raise UnknownNameError(f"model in {checkpoint.folder / 'config.json'}:", checkpoint.model, families)
    module = import_model(checkpoint.model)
    if not hasattr(module, "load"):
        raise checkpoint.refusal(f"{checkpoint.model!r} is run from its exported files; it cannot be exported again")
    try:
        return cast(Scorer, module.load(checkpoint))
    except FormatError:
        raise
    except InputError as error:  # settings that this version's Config does not take
        raise checkpoint.refusal(error) from None


def create_model(name: str) -> Scorer:
    """A model that ranks by its name alone."""
    module = import_model(name)
    if hasattr(module, "create"):
        return cast(Scorer, module.create(name))
    if hasattr(module, "build"):
        raise InputError(f"{name!r} has to be trained first: anselm train --base {name} --data ... --out DIR")
    raise InputError(f"{name!r} names no weights; it is run from exported files, as those of {DEFAULT!r} are")


def ranks_untrained(name: str) -> bool:
    """Whether a model ranks as it is, by its words, and learns no more than how frequent they are."""
    return name in all_models() and hasattr(import_model(name), "create")


def build_model(name: str, settings: Mapping[str, Any], questions: Sequence[Question]) -> Any:
    """A new model to be trained on some lists, whose words it may need to know."""
    module = import_model(name)
    if not hasattr(module, "build"):
        raise InputError(f"{name!r} cannot be trained")
    return module.build(name, settings, questions)


def import_model(name: str) -> ModuleType:
    """The file that a model is of."""
    module = all_models()[name].module
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if (error.name or "").split(".")[0] == module.split(".")[0]:  # a mistake in it, not a library that is absent
            raise
        raise MissingExtraError(f"the model {name!r}", "train") from None
