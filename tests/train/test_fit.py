"""From one's own lists to a checkpoint that ranks at once, and a recipe from end to end, on a tiny encoder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from anselm.data.datasets import load_dataset
from anselm.errors import InputError, UnknownNameError
from anselm.experiments.parts import join_parts, load_part
from anselm.experiments.recipe_files import read_recipe
from anselm.experiments.results import read_results, write_result
from anselm.experiments.run import reproduce
from anselm.experiments.schema import Part
from anselm.models.abcnn import ABCNN
from anselm.models.attentive_clustering import AttentiveClustering
from anselm.models.crossencoder import CrossEncoder
from anselm.models.ggsa import GGSA
from anselm.models.siamese import Siamese
from anselm.ranking.ranker import Ranker
from anselm.train.fit import make_model, split_off_dev, train_checkpoint
from anselm.train.hyperparameters import CHOICES, make_training
from anselm.train.losses import LOSSES, make_loss
from anselm.train.optimizers import OPTIMIZERS, SCHEDULES


def test_train_checkpoint_ranks_at_once(tiny_encoder: Path, lists: Path, tmp_path: Path) -> None:
    training_set, dev = split_off_dev(load_dataset(lists))
    assert (len(training_set), len(dev)) == (36, 4)
    assert not {q.id for q in training_set} & {q.id for q in dev}
    model = make_model(str(tiny_encoder), {}, seed=1)
    training = make_training({"epochs": 30, "learning_rate": 3e-3, "batch_lists": 8, "evaluations": 1})
    best = train_checkpoint(model, training_set, dev, training, tmp_path / "mine").best
    assert best is not None
    assert best > 0.6
    assert not (tmp_path / "mine.run").exists()
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {
        "README.md", "calibration.json", "checksums.json", "config.json", "encoder.json", "model.safetensors",
        "tokenizer.json",
    }  # fmt: skip
    ranker = Ranker.load(tmp_path / "mine")
    assert ranker.rank("where is the honey", ["the bees is sweet", "the honey is sweet"]).results[0].index == 1
    card = (tmp_path / "mine" / "README.md").read_text()
    assert f"| began as | {tiny_encoder.name} |" in card
    assert str(tiny_encoder) not in card  # no path of this machine
    again = make_model(str(tmp_path / "mine"), {}, seed=1)  # a checkpoint can be trained further
    assert sum(p.numel() for p in again.parameters()) == sum(p.numel() for p in model.parameters())
    with pytest.raises(InputError, match="exists already"):
        train_checkpoint(model, training_set, dev, training, tmp_path / "mine")


def test_the_same_seed_gives_the_same_model(tiny_encoder: Path) -> None:
    first, again, other = (make_model(str(tiny_encoder), {}, seed).head.weight for seed in (1, 1, 2))
    assert first.equal(again)
    assert not first.equal(other)


def test_settings_are_checked() -> None:
    assert make_training({"sampling": {"kind": "list", "negatives": 3}}).sampling.negatives == 3
    with pytest.raises(UnknownNameError, match="unknown training setting 'epoch'"):
        make_training({"epoch": 3})
    with pytest.raises(UnknownNameError, match="unknown negative sampling 'some'"):
        make_training({"sampling": {"kind": "some"}})


@pytest.mark.parametrize("kind", [ABCNN, AttentiveClustering, CrossEncoder, GGSA, Siamese])
def test_every_model_says_how_it_is_usually_trained(kind: Any) -> None:
    training = make_training(kind.usual)
    assert {"epochs", "learning_rate"} <= kind.usual.keys()
    make_loss(training.loss, training.smoothing, training.margin)


def test_the_names_that_a_recipe_may_use_are_those_that_there_are() -> None:
    names = {"loss": LOSSES, "optimizer": OPTIMIZERS, "schedule": SCHEDULES}
    assert {name: set(CHOICES[name]) for name in names} == {name: set(known) for name, known in names.items()}


@pytest.fixture
def recipe(tiny_encoder: Path, lists: Path, tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    part = json.dumps(str(lists))
    path.write_text(f"""
paper = "mine"
table = "table-1"
row = "tiny"
model = "cross-encoder"
seeds = [1, 2]
config = {{ base = {json.dumps(str(tiny_encoder))} }}
[transfer]
train = [{{ data = {part} }}, {{ data = {part} }}]
dev = {{ data = {part} }}
training = {{ epochs = 1, batch_lists = 8 }}
[corpus.own]
train = [{{ data = {part} }}]
dev = {{ data = {part} }}
training = {{ epochs = 1, batch_lists = 8 }}
[[corpus.own.test]]
data = {part}
protocol = "clean"
published = {{ map = 0.9 }}
""")
    return path


def test_a_recipe_gives_a_result_per_test_set(recipe: Path, lists: Path, tmp_path: Path) -> None:
    said: list[str] = []
    (found,) = reproduce([read_recipe(recipe)], say=said.append)
    assert found.seeds == [1, 2]
    assert found.protocol == "clean"
    assert len(found.metrics["map"]["values"]) == 2
    assert found.published == {"map": 0.9}
    assert found.data_sha256 == load_dataset(lists, protocol="clean").sha256
    assert any("training questions are also in" in line for line in said)
    (again,) = reproduce([read_recipe(recipe)], seeds=[1])
    assert again.metrics["map"]["values"] == found.metrics["map"]["values"][:1]  # a seed gives the same numbers
    write_result(found, tmp_path / "results")
    assert read_results(tmp_path / "results") == [found]


def test_parts_are_joined_with_ids_that_differ(lists: Path) -> None:
    joined = join_parts([Part(str(lists)), Part(str(lists), protocol="clean")], load_part)
    assert len(joined) == 40 + len(load_dataset(lists, protocol="clean"))
    assert join_parts([Part(str(lists))], load_part) == load_dataset(lists)


def test_commands(recipe: Path, lists: Path, tiny_encoder: Path, tmp_path: Path) -> None:
    def run(*arguments: str | Path) -> str:
        command = [sys.executable, "-m", "anselm", *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    dry = json.loads(run("train", "--data", lists, "--base", tiny_encoder, "--dry-run", "--json"))
    assert dry["lists"] == 36
    examples = Path(__file__).parents[2] / "src" / "anselm" / "examples"
    asked = ("--data", examples / "asked.csv", "--faq", examples / "faq.csv", "--dev", examples / "asked.csv")
    dry = json.loads(run("train", *asked, "--base", tiny_encoder, "--dry-run", "--json"))
    assert (dry["lists"], dry["pairs"], dry["dev_lists"]) == (8, 96, 8)  # both are what people ask of the FAQ
    run("train", "--data", lists, "--base", tiny_encoder, "--epochs", "1", "--out", "mine")
    assert json.loads(run("evaluate", "mine", "--data", lists, "--json"))["questions"] == 40
    run("train", recipe, "--out", "from-recipe")
    assert (tmp_path / "from-recipe" / "model.safetensors").exists()
    assert "tiny | " in run("reproduce", recipe, "--seed", "1")
    assert "## mine, table-1" in run("reproduce", "--show")
    assert len(json.loads(run("reproduce", "--list", "--json"))) >= 6


def test_training_further_keeps_what_it_began_with_where_that_is_best(
    tiny_encoder: Path, lists: Path, tmp_path: Path
) -> None:
    import torch

    training_set, dev = split_off_dev(load_dataset(lists))
    model = make_model(str(tiny_encoder), {}, seed=1)
    train_checkpoint(model, training_set, dev, make_training({"epochs": 20, "learning_rate": 3e-3}), tmp_path / "mine")
    again: Any = make_model(str(tmp_path / "mine"), {}, seed=1)
    before = {name: tensor.clone() for name, tensor in again.state_dict().items()}
    wild = {"epochs": 2, "learning_rate": 1.0, "clip": 0.0, "warmup": 0.0}
    spoiled = train_checkpoint(again, training_set, dev, make_training(wild), tmp_path / "spoiled")
    again.load_state_dict(before)
    kept = train_checkpoint(again, training_set, dev, make_training(wild | {"keep_start": True}), tmp_path / "kept")
    assert spoiled.start is None
    assert kept.start is not None
    assert spoiled.best is not None
    assert spoiled.best < kept.start
    assert (kept.best, kept.best_step) == (kept.start, 0)
    assert all(torch.equal(tensor, before[name]) for name, tensor in again.state_dict().items())


def test_a_base_that_cannot_be_trained_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="defualt"):
        make_model("defualt", {}, seed=1)
    export = tmp_path / "export"
    (export / "onnx").mkdir(parents=True)
    (export / "onnx" / "model.onnx").touch()
    (export / "config.json").write_text('{"model": "cross-encoder", "config": {}}')
    with pytest.raises(InputError, match="is an export, which cannot be trained"):
        make_model(str(export), {}, seed=1)


def test_ctrl_c_says_how_to_go_on(
    tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from anselm.cli import main

    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    rows = [{"question": f"honey {i}?", "candidates": [{"text": "bees", "label": 1}, "wood"]} for i in range(4)]
    (tmp_path / "lists.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr("anselm.experiments.training_runs.train_checkpoint", stop)
    options = ["--base", str(tiny_encoder), "--data", str(tmp_path / "lists.jsonl"), "--out", str(tmp_path / "mine")]
    monkeypatch.setattr("sys.argv", ["anselm", "train", *options])
    with pytest.raises(SystemExit, match="130"):
        main()
    assert capsys.readouterr().err == "anselm: stopped; the same command goes on from what was saved last\n"
