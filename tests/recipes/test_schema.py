"""Recipes as TOML: those that ship, and what is said of a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.errors import AnselmError, UnknownNameError
from anselm.recipes.schema import all_recipes, find_recipe, find_stage, missing_data, read_recipe

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


@pytest.mark.parametrize("name", all_recipes())
def test_shipped_recipes_are_named_as_they_lie(name: str) -> None:
    recipe = find_recipe(name)
    assert recipe.name == name
    assert len(recipe.seeds) >= 3
    for stage in recipe.corpora.values():
        assert stage.tests
        measured = [(part.data, part.split) for part in stage.tests]
        assert not {(part.data, part.split) for part in stage.train} & {*measured, (stage.dev.data, stage.dev.split)}
        assert (stage.dev.data, stage.dev.split) not in measured  # chosen on dev, never on test


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
    GOOD.replace("dev = {", "dve = {"): "'dev' is missing",
    GOOD.replace("cross-encoder", "crossencoder"): "Did you mean 'cross-encoder'",
    GOOD.replace('{ data = "dev.jsonl" }', '{ data = "dev.jsonl", spilt = "x" }'): "spilt",
    GOOD.replace("[1, 2]", "3"): "does not follow the form",
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
