"""Recipes whose seeds share a transfer, on a tiny encoder: trained once, kept, gone on from, tested as it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from anselm.data.question import Question  # noqa: E402
from anselm.errors import InputError  # noqa: E402
from anselm.experiments import jobs  # noqa: E402
from anselm.experiments.jobs import Context, Job  # noqa: E402
from anselm.experiments.recipe_files import read_recipe  # noqa: E402
from anselm.experiments.run import reproduce  # noqa: E402
from anselm.experiments.schema import Recipe  # noqa: E402
from anselm.experiments.training_runs import recipe_job  # noqa: E402
from anselm.models.frames.weights import load_weights  # noqa: E402
from anselm.train.hyperparameters import Progress, Training  # noqa: E402

RECIPE = """
paper = "mine"
table = "table-1"
row = "adapted"
model = "cross-encoder"
seeds = [1, 2, 3]
config = {{ base = "{encoder}" }}

[transfer]
train = [{{ data = "{folder}/first.jsonl" }}]
dev = {{ data = "{folder}/dev.jsonl" }}
training = {{ epochs = 1, rate = 1e-3 }}
seeds = [7, 8]

[corpus.own]
train = [{{ data = "{folder}/second.jsonl" }}]
dev = {{ data = "{folder}/dev.jsonl" }}
training = {{ epochs = 1, rate = 1e-3 }}
[[corpus.own.test]]
data = "{folder}/test.jsonl"
"""
COUNTS = {"first": 3, "second": 4, "dev": 2, "test": 5}

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def recipe(tiny_encoder: Path, tmp_path: Path) -> Recipe:
    for name, count in COUNTS.items():
        rows = [
            {
                "id": f"q{i}",
                "question": f"where is the hive {i}",
                "candidates": [{"text": f"in the {place}", "label": int(place == "wood")} for place in ("wood", "sea")],
            }
            for i in range(count)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = tmp_path / "mine.toml"
    path.write_text(RECIPE.format(encoder=tiny_encoder, folder=tmp_path))
    return read_recipe(path)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The trainings that there were: lists and seed."""
    found: list[tuple[int, int]] = []
    real: Callable[..., Progress] = jobs.train_model

    def noted(model: object, lists: Sequence[Question], dev: object, training: Training, folder: None) -> Progress:
        found.append((len(lists), training.seed))
        return real(model, lists, dev, training, folder)

    monkeypatch.setattr(jobs, "train_model", noted)
    return found


def untouched(recipe: Recipe) -> Recipe:
    return replace(recipe, row="as-it-is", corpora={"own": replace(recipe.corpora["own"], train=(), training={})})


def test_seeds_take_turns_with_the_transfers(recipe: Recipe) -> None:
    assert [recipe.transfer_seed(seed) for seed in (1, 2, 3, 4)] == [7, 8, 7, 8]
    own = replace(recipe, transfer_seeds=())
    assert [own.transfer_seed(seed) for seed in (1, 2, 3)] == [1, 2, 3]
    names = [Job(recipe, ("own",), seed).transfer for seed in (1, 2, 3)]
    assert names[0] == names[2] != names[1]
    assert Job(own, ("own",), 1).transfer == ""
    assert Job(own, ("own",), 1).key != Job(recipe, ("own",), 1).key


def test_a_transfer_is_trained_once_and_kept_beside_the_journal(
    recipe: Recipe, trained: list[tuple[int, int]], tmp_path: Path
) -> None:
    journal = tmp_path / "journal.jsonl"
    list(reproduce([recipe], seeds=[1, 3], journal=journal))
    assert trained == [(3, 7), (4, 1), (4, 3)]
    list(reproduce([recipe], journal=journal))
    assert trained[3:] == [(3, 8), (4, 2)]
    list(reproduce([untouched(recipe)], seeds=[1, 2], journal=journal))
    assert len(trained) == 5  # it goes on from the same two, and trains nothing
    assert len(list((tmp_path / "journal.transfers").iterdir())) == 2


def test_what_is_kept_is_what_the_others_go_on_from(recipe: Recipe, tmp_path: Path) -> None:
    job = Job(recipe, ("own",), 1)
    assert recipe.transfer
    first = jobs.transfer(job, recipe.transfer, Context(say=print, transfers=tmp_path))
    again = jobs.transfer(job, recipe.transfer, Context(say=print, transfers=tmp_path))
    other = jobs.new_model(recipe, 7, recipe.transfer, Context())
    assert not torch.equal(other.head.weight, first.head.weight)
    load_weights(other, tmp_path / job.transfer)
    for model in (again, other):
        assert all(torch.equal(a, b) for a, b in zip(first.parameters(), model.parameters(), strict=True))


def test_a_row_of_another_model_stands_on_the_encoder_that_the_transfer_leaves(
    recipe: Recipe, tmp_path: Path, trained: list[tuple[int, int]]
) -> None:
    text = (tmp_path / "mine.toml").read_text()
    config = text[text.index("config =") :].splitlines()[0]
    text = text.replace('"cross-encoder"', '"frozen-attention"').replace(
        "[transfer]", f'[transfer]\nmodel = "cross-encoder"\n{config}'
    )
    (tmp_path / "other.toml").write_text(text)
    other = read_recipe(tmp_path / "other.toml")
    job, context = Job(other, ("own",), 1), Context(transfers=tmp_path)
    assert job.transfer == Job(recipe, ("own",), 1).transfer  # so that both share it
    model = jobs.start_model(job, "own", context)
    first = jobs.transfer(Job(recipe, ("own",), 1), other.first.transfer or other.corpora["own"], context)
    assert (model.name, first.name) == ("frozen-attention", "cross-encoder")
    assert trained == [(3, 7)]
    assert all(torch.equal(a, b) for a, b in zip(first.encoder.parameters(), model.encoder.parameters(), strict=True))
    untrained = jobs.new_model(other, 1, other.corpora["own"], context)
    assert not all(
        torch.equal(a, b) for a, b in zip(untrained.encoder.parameters(), model.encoder.parameters(), strict=True)
    )


def test_a_test_set_may_be_recorded_in_another_table(recipe: Recipe, tmp_path: Path) -> None:
    text = (
        tmp_path / "mine.toml"
    ).read_text() + f'[[corpus.own.test]]\ndata = "{tmp_path}/dev.jsonl"\ntable = "table-9"\n'
    (tmp_path / "two.toml").write_text(text)
    two = read_recipe(tmp_path / "two.toml")
    assert two.tables == ("mine/table-1", "mine/table-9")
    found = list(reproduce([two], seeds=[1]))
    assert [(result.table, len(result.values)) for result in found] == [("table-1", 5), ("table-9", 2)]


def test_side_by_side_the_figures_are_the_same(recipe: Recipe) -> None:
    alone, together = (next(reproduce([recipe], seeds=[1, 3], workers=workers)) for workers in (1, 2))
    assert replace(alone, seconds=0.0) == replace(together, seconds=0.0)


def test_a_result_names_the_encoder(recipe: Recipe, tiny_encoder: Path) -> None:
    (found,) = reproduce([untouched(recipe)], seeds=[1])
    digest = hashlib.sha256((tiny_encoder / "model.safetensors").read_bytes()).hexdigest()
    assert found.encoder == {"name": tiny_encoder.name, "sha256": digest}


def test_a_row_without_training_cannot_be_trained(tmp_path: Path, recipe: Recipe) -> None:
    text = (tmp_path / "mine.toml").read_text()
    cut = text[: text.index("[corpus.own]\n") + 13] + text[text.index("dev =", text.index("[corpus.own]")) :]
    (tmp_path / "as-it-is.toml").write_text(cut)
    with pytest.raises(InputError, match="nothing to train on"):
        recipe_job(read_recipe(tmp_path / "as-it-is.toml"), None, 1, {}, print)
