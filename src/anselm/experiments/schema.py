"""What a recipe is: how a row of a paper's table is made, on any number of corpora. Read from TOML (recipe_files.py).

paper = "tree-aggregation-transformer"      which table's row this is, as in results/
table = "table-4"
row = "direct-fine-tuning"
model = "cross-encoder"
seeds = [1, 2, 3]
config = { pooling = "mean" }               the model's Config
also = ["table-5"]                          optional: other tables that have the same row
against = "some-row"                        optional: the row that a significance test compares it with
metric = "p@1"                              what that test is about; MAP by default

[transfer]                                  optional: a first stage, shared by all corpora
train = [{ data = "squad", split = "train-subset" }]
dev = { data = "wikiqa", split = "dev" }
training = { epochs = 2 }                   the loop's Training
model = "cross-encoder"                     optional: another model, with the config that stands here alone; the row's
                                            model is then a new one, on the encoder that this one leaves
seeds = [1, 2]                              optional: run with these alone, and kept; the row's seeds go on from them in
                                            turn. Without them each seed has a transfer of its own

[corpus.wikiqa]                             one for each corpus of the row; one without `train`, after a transfer, is
                                            tested as that left the model
train = [{ data = "wikiqa", split = "train" }]
dev = { data = "wikiqa", split = "dev" }
training = { epochs = 4, learning_rate = 2e-5 }
search = { learning_rate = [1e-4, 5e-5] }   optional: settings of the training to choose on dev, with the first seed;
                                            "config.max_length" = [50, 100] are settings of the model
trial = { epochs = 5 }                      optional: what differs in the training while settings are searched
config = { max_length = 50 }                optional: what differs in the model's Config on this corpus
texts = [{ data = "semeval-forum" }]        optional: more texts for the word vectors, besides those of `train`
[[corpus.wikiqa.test]]
data = "wikiqa"
table = "table-3"                           optional: where the figures on this test set are recorded, if elsewhere
published = { map = 0.843, mrr = 0.857 }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from typing import Any

from anselm.checkpoints.catalogue import all_models, unknown_model
from anselm.checkpoints.settings import current_names
from anselm.errors import UnknownNameError
from anselm.metrics.measures import parse_metric
from anselm.train.hyperparameters import make_training


@dataclass(frozen=True)
class Part:
    """One split of one corpus under one protocol; the corpus's defaults where nothing is said.

    `lists` and `candidates` take only the first so many, of a list all relevant ones, so that a dev set which is looked
    at often costs little.
    """

    data: str
    split: str | None = None
    protocol: str | None = None
    lists: int | None = None
    candidates: int | None = None
    table: str = ""  # tests only
    published: Mapping[str, float] = field(
        default_factory=dict, hash=False
    )  # metric -> what the paper reports; tests only


@dataclass(frozen=True)
class Stage:
    """Train on some parts, choose on dev."""

    train: tuple[Part, ...]
    dev: Part
    training: Mapping[str, Any]
    tests: tuple[Part, ...] = ()
    search: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    texts: tuple[Part, ...] = ()
    trial: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Everything that has to be here."""
        return (*self.train, self.dev, *self.tests, *self.texts)

    @property
    def settings(self) -> list[dict[str, Any]]:
        """Every combination of the settings that are to be searched; one without any where there are none."""
        return [dict(zip(self.search, values, strict=True)) for values in product(*self.search.values())]


OF_CONFIG = "config."  # a setting of the model among those that are searched


def of_training(changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in changes.items() if not name.startswith(OF_CONFIG)}


def of_config(changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(OF_CONFIG): value for name, value in changes.items() if name.startswith(OF_CONFIG)}


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
    also: tuple[str, ...] = ()
    against: str = ""
    metric: str = "map"
    transfer_seeds: tuple[int, ...] = ()  # none: each seed's own
    transfer_model: str = ""  # none: the recipe's

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.table}/{self.row}"

    @property
    def tables(self) -> tuple[str, ...]:
        """Where its row stands, as `paper/table`."""
        others = (part.table for stage in self.corpora.values() for part in stage.tests if part.table)
        return tuple(dict.fromkeys(f"{self.paper}/{table}" for table in (self.table, *self.also, *others)))

    @property
    def first(self) -> Recipe:
        """With the model that the transfer trains."""
        if not (self.transfer and self.transfer_model):
            return self
        return replace(self, model=self.transfer_model, config=self.transfer.config, transfer_model="")

    def transfer_seed(self, seed: int) -> int:
        """The transfer that a seed goes on from."""
        return self.transfer_seeds[(seed - 1) % len(self.transfer_seeds)] if self.transfer_seeds else seed


def find_stage(recipe: Recipe, corpus: str | None) -> Stage:
    """The stage of a corpus; the first where none is named."""
    name = corpus or next(iter(recipe.corpora))
    if name not in recipe.corpora:
        raise UnknownNameError(f"corpus of {recipe.name}", name, recipe.corpora)
    return recipe.corpora[name]


KEYS = ("paper", "table", "row", "model", "seeds", "config", "corpus", "transfer", "note", "also", "against", "metric")
STAGE_KEYS = ("train", "dev", "training", "test", "search", "config", "texts", "trial")
STRINGS = ("paper", "table", "row", "model", "note", "against", "metric")


def _check_keys(record: Mapping[str, Any], known: Sequence[str]) -> None:
    if unknown := next((key for key in record if key not in known), None):
        raise UnknownNameError("entry of a recipe:", unknown, known)


def _check_kinds(record: Mapping[str, Any], kind: type, names: Sequence[str], like: str) -> None:
    if wrong := next((name for name in names if not isinstance(record.get(name, kind()), kind)), None):
        raise TypeError(f"{wrong} must be {like}, not {record[wrong]!r}")


def make_recipe(record: Mapping[str, Any]) -> Recipe:
    """From what stands in a file, checked: a slip should not wait until others have been trained."""
    _check_keys(record, KEYS)
    _check_kinds(record, str, STRINGS, "a string")
    _check_kinds(record, dict, ("config", "corpus", "transfer"), "a table of settings")
    _check_kinds(record, list, ("also",), "a list of tables")
    transfer = dict(record.get("transfer", {}))
    other = transfer.pop("model", "")
    for model in filter(None, (record["model"], other)):
        if model not in all_models():
            raise unknown_model(model)
    shared = _seeds(transfer.pop("seeds")) if "seeds" in transfer else ()
    for name, stage in record["corpus"].items():
        if not transfer and not stage.get("train"):
            raise TypeError(f"{name} has no `train`, which only a row with a transfer can do without")
    if transfer and not other and any(_changes_model(stage) for stage in record["corpus"].values()):
        raise TypeError("a corpus cannot have a config or texts of its own after a transfer, whose model goes on")
    parse_metric(record.get("metric", "map"))
    return Recipe(
        paper=record["paper"],
        table=record["table"],
        row=record["row"],
        model=record["model"],
        seeds=_seeds(record["seeds"]),
        config=current_names(record.get("config", {})),
        corpora={name: _stage(stage) for name, stage in record["corpus"].items()},
        transfer=_stage(transfer) if transfer else None,
        note=record.get("note", ""),
        also=tuple(record.get("also", ())),
        against=record.get("against", ""),
        metric=record.get("metric", "map"),
        transfer_seeds=shared,
        transfer_model=other,
    )


def _seeds(seeds: Any) -> tuple[int, ...]:
    if not isinstance(seeds, list) or not seeds or not all(type(seed) is int for seed in seeds):
        raise TypeError(f"seeds must be a list of whole numbers, at least one, not {seeds!r}")
    return tuple(seeds)


def _changes_model(stage: Mapping[str, Any]) -> bool:
    return bool(stage.get("config") or stage.get("texts") or of_config(stage.get("search", {})))


def _part(record: Any) -> Part:
    if not isinstance(record, dict):
        raise TypeError(f'data must be like {{ data = "wikiqa", split = "train" }}, not {record!r}')
    _check_keys(record, [one.name for one in fields(Part)])
    _check_kinds(record, str, ("data", "split", "protocol", "table"), "a string")
    _check_kinds(record, int, ("lists", "candidates"), "a whole number")
    return Part(**record)


def _stage(record: dict[str, Any]) -> Stage:
    _check_keys(record, STAGE_KEYS)
    _check_kinds(record, dict, ("training", "search", "config", "trial"), "a table of settings")
    _check_kinds(record, list, ("train", "test", "texts"), "a list of data")
    for name, values in record.get("search", {}).items():
        if not isinstance(values, list) or not values:
            raise TypeError(f"a list of values of {name!r} is needed, not {values!r}")
    stage = Stage(
        train=tuple(map(_part, record.get("train", ()))),
        dev=_part(record["dev"]),
        training=current_names(record.get("training", {})),
        tests=tuple(map(_part, record.get("test", ()))),
        search=current_names(record.get("search", {})),
        config=current_names(record.get("config", {})),
        texts=tuple(map(_part, record.get("texts", ()))),
        trial=current_names(record.get("trial", {})),
    )
    for changes in stage.settings:
        make_training({**stage.training, **of_training(changes)})
        make_training({**stage.training, **of_training(changes), **stage.trial})
    return stage
