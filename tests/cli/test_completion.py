"""The Tab key: names of models and corpora where they can be typed, checkpoints as paths, and nothing heavy loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from anselm.checkpoints.catalogue import all_models
from anselm.cli import app
from anselm.cli.completion import complete_corpus, complete_model
from anselm.data.datasets import all_corpora

MODELS = {"model", "models", "model_a", "model_b", "base"}
CORPORA = {"data", "dev", "name", "names", "source"}  # `source` of rank is a file


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


ALL = dict(commands(typer.main.get_command(app)))
PLACES = [(name, param) for name, command in ALL.items() for param in command.params if name != "models"]
MODEL_PLACES = [(name, param.name) for name, param in PLACES if param.name in MODELS] + [("calibrate", "checkpoint")]
CORPUS_PLACES = [(name, param.name) for name, param in PLACES if param.name in CORPORA and name != "rank"]


def offered(command: str, parameter: str, typed: str) -> list[str]:
    (param,) = (one for one in ALL[command].params if one.name == parameter)
    return [item.value for item in param.shell_complete(typer.Context(ALL[command]), typed)]


@pytest.mark.parametrize(("command", "parameter"), MODEL_PLACES)
def test_models_where_one_is_named(command: str, parameter: str) -> None:
    assert offered(command, parameter, "bm") == [name for name in all_models() if name.startswith("bm")] == ["bm25"]


@pytest.mark.parametrize(("command", "parameter"), CORPUS_PLACES)
def test_corpora_where_data_is_named(command: str, parameter: str) -> None:
    assert offered(command, parameter, "semeval-2") == [name for name in all_corpora() if name.startswith("semeval-2")]


def test_what_can_be_fetched() -> None:
    assert offered("fetch", "tier", "") == ["accurate"]
    assert offered("fetch", "tier", "de") == []


def test_these_are_all_the_places() -> None:
    assert {command for command, _ in MODEL_PLACES} == {
        "rank", "ask", "evaluate", "compare", "calibrate", "train", "bench", "serve", "mcp",
    }  # fmt: skip
    assert {command for command, _ in CORPUS_PLACES} == {
        "evaluate", "compare", "calibrate", "train", "bench", "vectors", "export",
        "data stats", "data check", "data convert",
    }  # fmt: skip


def test_checkpoints_are_offered_by_their_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, config in (("jay", '{"model": "bm25"}'), ("jug", '{"hidden_size": 8}'), ("kit", '{"model": "bm25"}')):
        (tmp_path / "mine" / name).mkdir(parents=True)
        (tmp_path / "mine" / name / "config.json").write_text(config)
    monkeypatch.chdir(tmp_path)
    assert [name for name, _ in complete_model("mine/j")] == ["mine/jay"]  # an encoder of somebody else's is none
    assert [name for name, _ in complete_model("./mine/")] == ["./mine/jay", "./mine/kit"]
    monkeypatch.chdir(tmp_path / "mine")
    assert [name for name, _ in complete_model("ja")] == ["jaccard", "jay"]
    assert complete_model("mine") == complete_model("nowhere/a") == []  # then the shell completes paths
    assert complete_corpus("kit") == []


def test_the_shell_gets_them() -> None:
    words = {"COMP_WORDS": "anselm rank question --model jac", "COMP_CWORD": "4", "_ANSELM_COMPLETE": "complete_bash"}
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'anselm'; from anselm.cli import main; main()"]
    done = subprocess.run(command, env=os.environ | words, capture_output=True, text=True)
    assert done.stdout.split() == ["jaccard"], done.stderr


def test_torch_is_not_loaded() -> None:
    code = "import sys; from anselm.cli.completion import complete_model as m, complete_corpus as c; m(''), c('')"
    code += "; print([name for name in ('torch', 'onnxruntime', 'rich') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
