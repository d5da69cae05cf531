"""anselm probe: two small checkpoints on a file, as a table and for machines, and bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anselm import cli

pytest.importorskip("torch")
pytest.importorskip("transformers")

WORDS = ("bees", "honey", "hive", "wood", "garden", "nectar")


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("probe") / "lists.jsonl"
    texts = ["the " * (i % 4) + word for i, word in enumerate(WORDS)]
    rows = [
        {"id": str(i), "question": f"what {word}", "candidates": [{"text": t, "label": int(word in t)} for t in texts]}
        for i, word in enumerate(WORDS * 2)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path) -> str:
    """tree,sequential"""
    import torch

    from anselm.checkpoints.catalogue import build_model, import_model

    folders = []
    for name in ("tree", "cross-encoder"):
        torch.manual_seed(1)
        folder = tmp_path_factory.mktemp(name)
        build_model(name, {**import_model(name).TINY, "base": str(tiny_encoder)}, []).save(folder)
        folders.append(str(folder))
    return ",".join(folders)


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["anselm", "probe", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return (int(left.value.code or 0), *capsys.readouterr())


def test_a_table_and_json(lists: Path, models: str, monkeypatch: Any, capsys: Any) -> None:
    given = (f"{lists}={models}", "--parser", "right-branching", "--epochs", "2")
    code, out, _ = run(monkeypatch, capsys, *given, "--json")
    found = json.loads(out)
    assert (code, found["parser"], found["of"]) == (0, "right-branching", "candidate")
    (corpus,) = found["corpora"]
    assert corpus["pairs"] == [60, 12]  # ten lists of six, and every fifth list
    assert corpus["values"].keys() == {"top constituents", "tree depth", "input length"}
    for values in corpus["values"].values():
        assert values.keys() == {"tree", "sequential", "majority", "random"}
    assert corpus["metrics"].keys() == {"tree", "sequential"}
    assert found["spearman"]["map"] == dict.fromkeys(corpus["values"])  # one corpus is none
    assert json.loads(run(monkeypatch, capsys, *given, "--json")[1]) == found  # the same for a seed
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run(monkeypatch, capsys, *given)
    assert code == 0
    assert f"{corpus['values']['tree depth']['tree']:.4f}" in out
    assert "trained on 60 pairs" in out


def test_one_model_alone_has_no_gain(lists: Path, models: str, monkeypatch: Any, capsys: Any) -> None:
    model = models.partition(",")[0]
    code, out, _ = run(monkeypatch, capsys, f"{lists}={model}", "--parser", "flat", "--epochs", "1", "--json")
    assert code == 0
    assert json.loads(out)["corpora"][0]["models"] == {"tree": model}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["wikiqa"], "does not say what to probe"),
        (["{lists}=bm25", "--parser", "flat"], "bm25 has no vectors of pairs"),
        (["{lists}=nowhere/model", "--parser", "flat"], "nowhere/model"),
        (["{lists}={models}", "--parser", "guess"], "unknown parser 'guess'"),
        (["{lists}={models}", "--parser", "flat", "--of", "pair"], "not of 'pair'"),
        (["{lists}={models}", "--parser", "flat", "--epochs", "0"], "epochs is 0"),
        (["nothing.jsonl={models}", "--parser", "flat"], "nothing.jsonl does not exist"),
        (["{lists}={models}", "--parser", "file:nothing.mrg"], "nothing.mrg"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], said: str, lists: Path, models: str, monkeypatch: Any, capsys: Any
) -> None:
    given = [one.format(lists=lists, models=models) for one in arguments]
    code, out, err = run(monkeypatch, capsys, *given)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
