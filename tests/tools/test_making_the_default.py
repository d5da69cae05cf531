"""The scripts that train and make the default ranker, whole, on a tiny encoder and a few lists."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnxscript")


from anselm.checkpoints.catalogue import load_model  # noqa: E402
from anselm.data.datasets import Dataset  # noqa: E402
from anselm.data.question import Candidate, Question  # noqa: E402
from anselm.errors import InputError  # noqa: E402
from anselm.models.crossencoder import CrossEncoder  # noqa: E402
from anselm.ranking.ranker import Ranker  # noqa: E402
from tests.exported_checkpoints import load_blended  # noqa: E402
from tools.default_model import (  # noqa: E402
    make_default,
    train_default,
)

pytestmark = pytest.mark.usefixtures("one_thread")

WORDS = ["bees", "honey", "hive", "nectar", "garden", "wood", "sweet"]


def make_list(number: int) -> Question:
    said = [f"the {WORDS[(number + i) % 7]} is {WORDS[(number * 3 + i) % 7]} where the hive is" for i in range(4)]
    rows = tuple(Candidate(str(i), text, float(i == number % 4)) for i, text in enumerate(said))
    return Question(f"q{number}", f"where is the {WORDS[number % 7]}", rows, {"subject": f"the {WORDS[number % 7]}"})


LISTS = [make_list(number) for number in range(12)]


def mixture(load: Any, without: Sequence[str] = (), entries: Sequence[Question] = ()) -> list[Question]:
    return [question for question in LISTS if "selqa" not in without or question.id != "q0"] + list(entries)


@pytest.fixture
def entries(tmp_path: Path) -> Path:
    path = tmp_path / "entries.jsonl"
    path.write_text(json.dumps({"question": "what is honey", "candidates": [{"text": "sweet", "label": 1}]}) + "\n")
    return path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tiny_encoder: Path) -> Callable[..., None]:
    """A script as from the command line."""
    monkeypatch.setattr(train_default, "LENGTHS", {"max_length": 48, "max_question": 12, "base": str(tiny_encoder)})
    monkeypatch.setattr(train_default, "NARROWING", {"candidate_layers": 1, "pooling": "first"})
    for settings in (train_default.READER, train_default.TEACHER):
        monkeypatch.setitem(settings, "epochs", 1.0)
        monkeypatch.setitem(settings, "average", 0.5)
    monkeypatch.setitem(train_default.BATCHES, "batch_lists", 4)
    for script in (train_default, make_default):
        monkeypatch.setattr(script, "mixture", mixture)

    def call(script: Any, *arguments: object) -> None:
        monkeypatch.setattr(sys, "argv", ["script", *map(str, arguments)])
        script.main()

    return call


def test_from_lists_to_a_ranker(
    run: Callable[..., None], entries: Path, tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher, reader, other = (tmp_path / name for name in ("teacher", "reader", "other"))
    run(train_default, "teacher", entries, teacher, "--base", tiny_encoder)
    run(train_default, "reader", entries, reader, "--teacher", teacher, "--seeds", 1, 2)
    model = load_model(reader)
    assert isinstance(model, CrossEncoder)
    assert (model.config.candidate_layers, model.config.pooling) == (1, "first")
    run(train_default, "reader", entries, other, "--teacher", teacher, "--seeds", 1, "--without", "selqa")

    unseen = {"wikiqa": [LISTS[:6]], "trecqa": [LISTS[6:]]}
    monkeypatch.setattr(make_default, "unseen_lists", lambda: unseen)
    monkeypatch.setattr(make_default, "answer_lists", lambda: Dataset("both", "dev", "raw", tuple(LISTS)))
    read = make_default.load_dataset
    shipped = Dataset("selqa", "dev", "raw", tuple(LISTS[:3]))
    monkeypatch.setattr(
        make_default, "load_dataset", lambda *name: shipped if name == ("selqa", "dev") else read(*name)
    )
    made = tmp_path / "made"
    run(make_default, reader, entries, made, "--held-out", f"selqa/dev={other}")
    config = load_blended(made).config
    assert config.candidate_layers == 1
    families = {name: [make_default.lists_of(made, part) for part in parts] for name, parts in unseen.items()}
    without = make_default.fit_blend(families)
    assert without.shape == (2,)
    assert not np.allclose(config.blend, without, atol=1e-3)  # the list of the corpus that was held out counts
    assert json.loads((made / "config.json").read_text())["terms"] == make_default.TERMS
    assert 0 < Ranker.load(made).rank("where is the hive", ["the hive is wood", "sweet"]).results[0].probability < 1


def test_the_narrowing_runs_go_on_from_the_mean_of_the_whole_ones(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[Any, ...]] = []

    def train(questions: Any, config: Any, settings: Any, start: CrossEncoder | None = None) -> CrossEncoder:
        begun.append((config.get("candidate_layers"), settings["seed"], start))
        return train_default.build("cross-encoder", config)

    monkeypatch.setattr(train_default, "train", train)
    teacher = train_default.build("cross-encoder", train_default.LENGTHS)
    found = train_default.train_reader(LISTS, teacher, [1, 2])
    assert [(layers, seed) for layers, seed, _ in begun] == [(None, 1), (None, 2), (1, 1), (1, 2)]
    starts = [start for *_, start in begun]
    assert starts[:2] == [None, None]
    assert starts[2] is starts[3] is not None
    assert not starts[2].config.candidate_layers
    assert found.config.candidate_layers == 1


def test_the_mean_of_models_is_that_of_their_weights(run: Callable[..., None]) -> None:
    models = [train_default.build("cross-encoder", train_default.LENGTHS) for _ in range(2)]
    first, second = (model.head.weight.detach().clone() for model in models)
    assert not torch.equal(first, second)
    torch.testing.assert_close(train_default.mean_model(models).head.weight, (first + second) / 2)


@pytest.mark.parametrize("script", [train_default, make_default])
def test_a_folder_that_exists_is_refused_before_the_work(
    script: Any, run: Callable[..., None], entries: Path, tmp_path: Path
) -> None:
    first = ("teacher",) if script is train_default else (tmp_path / "reader",)
    with pytest.raises(InputError, match="exists already; give the name of a new folder"):
        run(script, *first, entries, tmp_path)


def test_a_held_out_corpus_names_its_split_and_its_reader(
    run: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(make_default, "reader", "entries", tmp_path / "out", "--held-out", "selqa=reader")
    assert "'selqa=reader' is not like stackexchange/coffee=FOLDER" in capsys.readouterr().err
