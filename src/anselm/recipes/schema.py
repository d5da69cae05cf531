"""Recipes: TOML files that say how a row of a paper's table is made. One recipe, one row, any number of corpora.

paper = "tree-aggregation-transformer"      which table's row this is, as in results/
table = "table-4"
row = "direct-fine-tuning"
model = "cross-encoder"
seeds = [1, 2, 3]
config = { pooling = "mean" }               the model's Config

[transfer]                                  optional: a first stage, shared by all corpora
train = [{ data = "squad", split = "train-subset" }]
dev = { data = "wikiqa", split = "dev" }
training = { epochs = 2 }                   the loop's Training

[corpus.wikiqa]                             one for each corpus of the row
train = [{ data = "wikiqa", split = "train" }]
dev = { data = "wikiqa", split = "dev" }
training = { epochs = 4, rate = 2e-5 }
[[corpus.wikiqa.test]]
data = "wikiqa"
published = { map = 0.843, mrr = 0.857 }
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anselm.data.datasets import find_corpus, find_data_dir, is_corpus_name
from anselm.errors import FormatError, MissingDataError, UnknownNameError
from anselm.models.registry import all_models

RECIPES = Path(__file__).parent / "papers"


@dataclass(frozen=True)
class Part:
    """One split of one corpus under one protocol; the corpus's defaults where nothing is said."""

    data: str
    split: str | None = None
    protocol: str | None = None
    published: Mapping[str, float] = field(default_factory=dict)  # metric -> what the paper reports; tests only


@dataclass(frozen=True)
class Stage:
    """Train on some parts, choose on dev."""

    train: tuple[Part, ...]
    dev: Part
    training: Mapping[str, Any]
    tests: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Recipe:
    paper: str
    table: str
    row: str
    model: str
    seeds: tuple[int, ...]
    config: Mapping[str, Any]
    corpora: Mapping[str, Stage]
    transfer: Stage | None = None
    note: str = ""

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.table}/{self.row}"


def all_recipes() -> dict[str, Path]:
    """Every recipe that comes with the package, by name."""
    return {str(path.relative_to(RECIPES).with_suffix("")): path for path in sorted(RECIPES.rglob("*.toml"))}


def find_recipe(name: str) -> Recipe:
    """By name, or from a file of one's own."""
    known = all_recipes()
    if name in known:
        return read_recipe(known[name])
    path = Path(name)
    if path.suffix != ".toml":
        raise UnknownNameError("recipe", name, known)
    return read_recipe(path)


def read_recipe(path: Path) -> Recipe:
    try:
        record = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise FormatError(path, f"not a readable recipe ({error})") from None
    try:
        return _recipe(record)
    except KeyError as error:
        raise FormatError(path, f"{error.args[0]!r} is missing") from None
    except (TypeError, AttributeError) as error:
        raise FormatError(path, f"does not follow the form of a recipe ({error})") from None


def find_stage(recipe: Recipe, corpus: str | None) -> Stage:
    """The stage of a corpus; the first where none is named."""
    name = corpus or next(iter(recipe.corpora))
    if name not in recipe.corpora:
        raise UnknownNameError(f"corpus of {recipe.name}", name, recipe.corpora)
    return recipe.corpora[name]


def missing_data(recipe: Recipe, data_dir: Path | None = None) -> list[str]:
    """The corpora that a recipe needs and that are not here."""
    stages = [*recipe.corpora.values(), *([recipe.transfer] if recipe.transfer else [])]
    parts = [part for stage in stages for part in (*stage.train, stage.dev, *stage.tests)]
    try:
        folder = find_data_dir(data_dir)
    except MissingDataError:
        return list(dict.fromkeys(part.data for part in parts))
    absent = [part.data for part in parts if _is_absent(part, folder)]
    return list(dict.fromkeys(absent))


def _is_absent(part: Part, folder: Path) -> bool:
    if not is_corpus_name(part.data):
        return not Path(part.data).exists()
    corpus = find_corpus(part.data)
    return bool(corpus.missing(part.split or corpus.default_split, folder))


def _recipe(record: dict[str, Any]) -> Recipe:
    if record["model"] not in all_models():
        raise UnknownNameError("model", record["model"], all_models())
    transfer = record.get("transfer")
    return Recipe(
        paper=record["paper"],
        table=record["table"],
        row=record["row"],
        model=record["model"],
        seeds=tuple(record["seeds"]),
        config=record.get("config", {}),
        corpora={name: _stage(stage) for name, stage in record["corpus"].items()},
        transfer=_stage(transfer) if transfer else None,
        note=record.get("note", ""),
    )


def _stage(record: dict[str, Any]) -> Stage:
    return Stage(
        train=tuple(Part(**part) for part in record["train"]),
        dev=Part(**record["dev"]),
        training=record.get("training", {}),
        tests=tuple(Part(**part) for part in record.get("test", ())),
    )
