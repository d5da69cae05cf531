"""Recipes as TOML: those that ship, and what is said of a bad one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from anselm.checkpoints.catalogue import all_models
from anselm.errors import AnselmError, FormatError, UnknownNameError
from anselm.experiments.availability import missing_data, missing_parts
from anselm.experiments.recipe_files import all_recipes, find_recipe, find_recipes, read_recipe, read_table
from anselm.experiments.schema import Part, Recipe, find_stage, of_config, of_training
from anselm.train.hyperparameters import make_training

RESULTS = Path(__file__).parents[2] / "results"
GOOD = """
paper = "p"
table = "t"
row = "r"
model = "cross-encoder"
seeds = [1, 2]
[corpus.mine]
train = [{ data = "train.jsonl" }]
dev = { data = "dev.jsonl" }
training = { epochs = 1 }
[[corpus.mine.test]]
data = "test.jsonl"
published = { map = 0.5 }
"""
TRANSFER = '[transfer]\ntrain = [{{ data = "t.jsonl" }}]\ndev = {{ data = "dev.jsonl" }}\nseeds = {seeds}\n'


@pytest.mark.parametrize("name", all_recipes())
def test_shipped_recipes_are_named_as_they_lie(name: str) -> None:
    recipe = find_recipe(name)
    assert recipe.name == name
    trained = any(stage.train for stage in recipe.corpora.values())
    assert len(recipe.seeds) >= (3 if trained else len(recipe.transfer_seeds))
    for stage in recipe.corpora.values():
        assert stage.tests
        measured = [(part.data, part.split) for part in stage.tests if part.table != "table-3"]  # which is of dev
        assert not {(part.data, part.split) for part in stage.train} & {*measured, (stage.dev.data, stage.dev.split)}
        assert (stage.dev.data, stage.dev.split) not in measured  # chosen on dev, never on test
        if recipe.transfer:
            assert not {(part.data, part.split) for part in recipe.transfer.train} & {*measured}


def test_a_recipe_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    recipe = find_recipe(str(path))
    assert find_stage(recipe, None).tests[0].published == {"map": 0.5}
    assert missing_data(recipe) == ["train.jsonl", "dev.jsonl", "test.jsonl"]
    with pytest.raises(UnknownNameError, match="unknown corpus of p/t/r 'other'; there is mine"):
        find_stage(recipe, "other")


BAD = {
    "paper = ": "not a readable recipe",
    GOOD.replace('row = "r"', ""): "'row' is missing",
    GOOD.replace("dev = {", "dve = {"): "unknown entry of a recipe: 'dve'",
    GOOD.replace('row = "r"', 'row = "r"\nagaints = "s"'): "Did you mean 'against'",
    GOOD.replace('row = "r"', 'row = "r"\nmetric = "mapp"'): "unknown metric 'mapp'",
    GOOD.replace("cross-encoder", "crossencoder"): "Did you mean 'cross-encoder'",
    GOOD.replace('{ data = "dev.jsonl" }', '{ data = "dev.jsonl", spilt = "x" }'): "Did you mean 'split'",
    GOOD.replace("[1, 2]", "3"): "does not follow the form",
    GOOD.replace("[1, 2]", "[]"): "a list of whole numbers, at least one, not []",
    GOOD.replace("[1, 2]", '"12"'): "a list of whole numbers, at least one, not '12'",
    GOOD.replace(
        "[[corpus", "search = { learning_rate = 1e-3 }\n[[corpus"
    ): "a list of values of 'learning_rate' is needed, not 0.001",
    GOOD.replace(
        "[[corpus", "search = { learning_rate = [] }\n[[corpus"
    ): "a list of values of 'learning_rate' is needed, not []",
    GOOD.replace("[[corpus", "search = { learning_rat = [1e-3] }\n[[corpus"): "Did you mean 'learning_rate'",
    GOOD.replace(
        "[[corpus", "search = { learning_rate = [1e-3, 0] }\n[[corpus"
    ): "learning_rate is 0; it must be above 0",
    GOOD.replace("[[corpus", 'search = { optimizer = ["sgd", "rmsprob"] }\n[[corpus'): "Did you mean 'rmsprop'",
    GOOD.replace(
        "training = { epochs = 1 }", 'training = { loss = "hinge" }'
    ): "unknown loss 'hinge'; there is listwise,",
    GOOD.replace("training = { epochs = 1 }", 'training = { margin = "a" }'): "margin is 'a', but must be like 0.1",
    GOOD.replace("training = { epochs = 1 }", 'training = { sampling = { kid = "list" } }'): "Did you mean 'kind'",
    GOOD.replace(
        "training = { epochs = 1 }", 'training = { sampling = { negatives = "3" } }'
    ): "negatives is '3', but must",
    GOOD.replace(
        "training = { epochs = 1 }", "training = { sampling = 3 }"
    ): "sampling is 3, but must be like { kind =",
    GOOD.replace("training = { epochs = 1 }", "training = 3"): "training must be a table of settings, not 3",
    GOOD.replace('row = "r"', 'row = "r"\nconfig = 3'): "config must be a table of settings, not 3",
    GOOD.replace('paper = "p"', "paper = 3"): "paper must be a string, not 3",
    GOOD.replace('row = "r"', 'row = "r"\nalso = "u"'): "also must be a list of tables, not 'u'",
    GOOD.replace('{ data = "dev.jsonl" }', '"dev.jsonl"'): "data must be like { data =",
    GOOD.replace('train = [{ data = "train.jsonl" }]', ""): "mine has no `train`, which only a row with a transfer",
    GOOD + TRANSFER.format(seeds="3"): "a list of whole numbers, at least one, not 3",
}


@pytest.mark.parametrize(("content", "problem"), BAD.items(), ids=range(len(BAD)))
def test_a_bad_recipe_is_named(content: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(content)
    with pytest.raises(AnselmError) as caught:
        read_recipe(tmp_path / "bad.toml")
    assert problem in str(caught.value)


def test_an_unknown_recipe_is_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown recipe 'tabel-4'"):
        find_recipe("tabel-4")


def read(tmp_path: Path, content: str, name: str = "mine.toml") -> Recipe:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return read_recipe(path)


def test_every_combination_of_what_is_searched(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD).corpora["mine"].settings == [{}]
    searched = GOOD.replace("[[corpus", "search = { learning_rate = [1e-3, 1e-4], epochs = [1, 2, 3] }\n[[corpus")
    settings = read(tmp_path, searched).corpora["mine"].settings
    assert settings == [{"learning_rate": rate, "epochs": epochs} for rate in (1e-3, 1e-4) for epochs in (1, 2, 3)]


def test_settings_of_the_model_can_be_searched(tmp_path: Path) -> None:
    search = 'search = { learning_rate = [1e-3], "config.max_length" = [50, 100] }'
    settings = read(tmp_path, GOOD.replace("[[corpus", f"{search}\n[[corpus")).corpora["mine"].settings
    assert [(of_training(one), of_config(one)) for one in settings] == [
        ({"learning_rate": 1e-3}, {"max_length": 50}), ({"learning_rate": 1e-3}, {"max_length": 100}),
    ]  # fmt: skip


TRANSFER = """
[transfer]
train = [{ data = "other.jsonl" }]
dev = { data = "dev.jsonl" }
"""


@pytest.mark.parametrize(
    "entry", ["config = { a = 1 }", 'texts = [{ data = "t.jsonl" }]', 'search = { "config.a" = [1] }']
)
def test_what_changes_the_model_cannot_come_after_a_transfer(entry: str, tmp_path: Path) -> None:
    content = GOOD.replace("[[corpus", f"{entry}\n[[corpus")
    assert read(tmp_path, content).corpora
    with pytest.raises(FormatError, match="after a transfer, whose model goes on"):
        read(tmp_path, content + TRANSFER)


def test_texts_have_to_be_here_too(tmp_path: Path) -> None:
    recipe = read(tmp_path, GOOD.replace("[[corpus", 'texts = [{ data = "texts.jsonl" }]\n[[corpus'))
    assert missing_data(recipe) == ["train.jsonl", "dev.jsonl", "test.jsonl", "texts.jsonl"]


SHARED = """
seeds = [1, 2]
[corpus.mine]
train = [{ data = "train.jsonl" }]
dev = { data = "dev.jsonl" }
training = { epochs = 1, margin = 0.2 }
test = [{ data = "test.jsonl" }, { data = "other.jsonl" }]
[corpus.second]
train = [{ data = "second.jsonl" }]
dev = { data = "dev.jsonl" }
"""
ROW = 'model = "cross-encoder"\n'


def write_table(folder: Path, content: str) -> Path:
    (folder / "paper.toml").write_text(SHARED)
    (folder / "table-1.toml").write_text(content)
    return folder / "table-1.toml"


def test_a_row_has_what_its_table_says_and_a_table_what_its_paper_says(tmp_path: Path) -> None:
    own = """
        seeds = [3]
        [corpus.mine]
        dev = { data = "own.jsonl" }
        [row.a]
        model = "cross-encoder"
        [row.b]
        model = "cross-encoder"
        seeds = [4]
        corpora = ["mine"]
        corpus.mine.training = { epochs = 2 }
        published.mine = [{ map = 0.5 }]
    """
    first, second = read_table(write_table(tmp_path, own))
    assert (first.name, second.name) == (f"{tmp_path.name}/table-1/a", f"{tmp_path.name}/table-1/b")
    assert (first.seeds, [*first.corpora]) == ((3,), ["mine", "second"])
    assert (second.seeds, [*second.corpora]) == ((4,), ["mine"])
    assert {recipe.corpora["mine"].dev for recipe in (first, second)} == {Part("own.jsonl")}
    assert first.corpora["mine"].training == {"epochs": 1, "margin": 0.2}
    assert second.corpora["mine"].training == {"epochs": 2}  # said again, it is replaced as a whole
    assert second.corpora["mine"].tests == (Part("test.jsonl", published={"map": 0.5}), Part("other.jsonl"))


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("published.mine = [{}, {}, {}]", "figures for 3 test sets, but 2 are tested on"),
        ('corpora = ["third"]', "'third' is missing"),
        ("published.mnie = [{}]", "unknown corpus that has figures: 'mnie'"),
    ],
)
def test_a_bad_table_is_named(row: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=problem):
        read_table(write_table(tmp_path, f"[row.a]\n{ROW}{row}\n"))


def test_every_recorded_result_has_its_recipe() -> None:
    """By name, in each table that has figures of it."""
    recorded = {"/".join([*path.parts[-3:-1], path.stem.rsplit("--", 1)[0]]) for path in RESULTS.rglob("*--*.json")}
    assert recorded <= {f"{table}/{recipe.row}" for recipe in SHIPPED.values() for table in recipe.tables}
    assert len(recorded) > 70


def test_the_rows_of_a_table_or_a_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anselm.experiments.recipe_files.RECIPES", tmp_path)
    tables = {"p/t": {"a": ["u"], "b": []}, "p/u": {"c": []}, "o/t": {"d": []}}
    for table, named in tables.items():
        path = tmp_path / f"{table}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"[row.{row}]\nalso = {also}\n{ROW}" for row, also in named.items()))
    for paper in ("p", "o"):
        (tmp_path / paper / "paper.toml").write_text(SHARED)
    (tmp_path / "own.toml").write_text(GOOD)

    def rows(name: str) -> list[str]:
        return [recipe.row for recipe in find_recipes(name)]

    assert rows("p") == ["a", "b", "c"]
    assert rows("p/t") == ["a", "b"]
    assert rows("p/u") == ["a", "c"]  # where it stands as well
    assert rows("p/t/b") == ["b"]
    assert rows(str(tmp_path / "own.toml")) == ["r"]
    for unknown in ("p/v", "t", "x"):
        with pytest.raises(UnknownNameError, match=f"unknown paper or table '{unknown}'; there is o, o/t, p, p/t, p/u"):
            rows(unknown)
    with pytest.raises(UnknownNameError, match="unknown recipe 'p/u/a'; there is o/t/d, p/t/a"):
        rows("p/u/a")


def test_parts_that_are_not_here(tmp_path: Path) -> None:
    here = tmp_path / "here.jsonl"
    here.write_text("")
    parts = [Part(str(here)), Part("gone.jsonl"), Part("wikiqa", "dev"), Part("gone.jsonl", "dev")]
    assert missing_parts(parts, tmp_path) == ["gone.jsonl", "wikiqa"]
    assert missing_parts(parts[:1], tmp_path) == []
    (tmp_path / "wikiqa").mkdir()
    (tmp_path / "wikiqa" / "WikiQA-test.tsv").write_text("")
    assert missing_parts(parts, tmp_path) == ["gone.jsonl", "wikiqa (dev)"]  # the corpus is here in part
    assert missing_parts([Part("wikiqa")], tmp_path) == []


SHIPPED = all_recipes()


def is_model_of(value: object, module: str) -> bool:
    """Whether it is the model class of a file."""
    return isinstance(value, type) and value.__module__ == module and hasattr(value, "featurize")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_recipes_can_be_run(name: str) -> None:
    """As far as can be told without their data: the model can be made, and every setting of the training exists."""
    pytest.importorskip("torch")
    from anselm.text.vocabulary import Vocabulary
    from anselm.train.hyperparameters import make_training
    from anselm.train.losses import make_loss
    from anselm.train.optimizers import OPTIMIZERS, SCHEDULES

    recipe = SHIPPED[name]
    module: Any = import_module(all_models()[recipe.model].module)
    for stage in (*recipe.corpora.values(), *filter(None, [recipe.transfer])):
        for changes in stage.settings:
            settings = {**recipe.config, **stage.config, **of_config(changes)}
            config = module.configure(recipe.model, settings)
            if all_models()[recipe.model].kind == "siamese":  # heads that do not divide the width, say
                kinds = {value for value in vars(module).values() if is_model_of(value, module.__name__)}
                (kind,) = {kind for kind in kinds if kind.settings is type(config)}
                kind(recipe.model, config, Vocabulary(("a",)))
            training = make_training({**stage.training, **of_training(changes)})
            make_loss(training.loss, training.smoothing, training.margin)
            assert training.optimizer in OPTIMIZERS
            assert training.schedule in SCHEDULES


@pytest.mark.parametrize("name", [name for name, recipe in SHIPPED.items() if recipe.against])
def test_shipped_recipes_are_compared_with_a_row_beside_them(name: str) -> None:
    recipe = SHIPPED[name]
    rows = [one for one in SHIPPED.values() if one.row == recipe.against and one.paper == recipe.paper]
    (other,) = (one for one in rows if {one.table, *one.also} & {recipe.table, *recipe.also})
    assert other.metric == recipe.metric

    def tested(one: Recipe) -> set[tuple[str, str | None, str | None]]:
        return {(part.data, part.split, part.protocol) for stage in one.corpora.values() for part in stage.tests}

    assert tested(recipe) & tested(other)


def test_no_table_has_a_row_twice() -> None:
    """On one test set: a row of the same name there would be compared with, or shown, at random."""
    rows = [
        (table, recipe.row, part.data, part.split, part.protocol)
        for recipe in SHIPPED.values()
        for table in recipe.tables
        for stage in recipe.corpora.values()
        for part in stage.tests
    ]
    assert len(rows) == len(set(rows))


def test_settings_may_have_the_names_that_they_had_before(tmp_path: Path) -> None:
    old = GOOD.replace("epochs = 1", "epochs = 1, rate = 1e-3")
    old = old.replace('row = "r"', 'row = "r"\nconfig = { least = 2 }')
    old = old.replace("[[corpus", 'search = { rate = [1e-3], "config.least" = [1, 2] }\ntrial = { rate = 1 }\n[[corpus')
    recipe = read(tmp_path, old)
    stage = recipe.corpora["mine"]
    assert recipe.config == {"min_count": 2}
    assert (stage.training, stage.trial) == ({"epochs": 1, "learning_rate": 1e-3}, {"learning_rate": 1})
    assert stage.search == {"learning_rate": [1e-3], "config.min_count": [1, 2]}
    assert make_training({"rate": 0.5}).learning_rate == 0.5


def test_a_checkpoint_from_before_a_setting_was_renamed() -> None:
    pytest.importorskip("torch")
    from anselm.checkpoints.settings import make_config
    from anselm.models.frames.word_model import WordConfig

    assert make_config(WordConfig, "averaged", {}, {"least": 3, "width": 4}) == WordConfig(min_count=3, width=4)
