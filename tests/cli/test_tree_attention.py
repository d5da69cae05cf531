"""anselm rank --explain and --graph with a model that reads along trees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

from anselm.cli.rank import draw_graph
from anselm.cli.show import show_ranking
from anselm.errors import InputError
from anselm.ranking.ranker import Ranker

pytest.importorskip("torch")
pytest.importorskip("transformers")

TREES = """
(SBARQ (WHADVP (WRB How)) (SQ (VBP do) (NP (NNS bees)) (VP (VB make) (NP (NN honey)))) (. ?))
(S (NP (NNS Bees)) (VP (VBP make) (NP (NP (NN honey)) (PP (IN of) (NP (NN nectar))))) (. .))
(S (NP (DT The) (NN hive)) (VP (VBZ is) (VP (VBN made) (PP (IN of) (NP (NN wood))))) (. .))
"""
QUESTION = "How do bees make honey?"
TEXTS = ["Bees make honey of nectar.", "The hive is made of wood.", ""]


@pytest.fixture(scope="module")
def ranker(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path) -> Ranker:
    import torch

    from anselm.checkpoints.catalogue import build_model, import_model

    folder = tmp_path_factory.mktemp("tree")
    (folder / "trees.mrg").write_text(TREES)
    torch.manual_seed(1)
    settings = {"base": str(tiny_encoder), "parser": f"file:{folder / 'trees.mrg'}"}
    build_model("tree", {**import_model("tree").TINY, **settings}, []).save(folder)
    return Ranker.load(folder)


def test_results_have_the_trees_that_were_read(ranker: Ranker) -> None:
    ranking = ranker.rank(QUESTION, TEXTS, explain=True)
    assert ranking.best.trees is not None
    for result in ranking:
        words = [one.word for one, _ in result.trees.candidate.walk() if one.word] if result.trees else []
        assert "".join(words) == result.text.replace(" ", "")
    record: Any = json.loads(json.dumps(ranking.to_dict()))
    assert record["results"][0]["trees"]["question"]["label"] == "SBARQ"
    assert "trees" not in ranker.rank(QUESTION, TEXTS).to_dict()["results"][0]


def test_they_are_drawn_in_a_terminal(ranker: Ranker) -> None:
    console = Console(force_terminal=True, width=100, record=True, color_system=None)
    show_ranking(console, ranker.rank(QUESTION, TEXTS, explain=True))
    drawn = console.export_text()
    assert "What drew attention in the question" in drawn
    assert "WHADVP WRB How" in drawn


@pytest.mark.parametrize("name", ["trees.svg", "trees.html"])
def test_and_as_a_picture(ranker: Ranker, tmp_path: Path, name: str) -> None:
    ranking = ranker.rank(QUESTION, TEXTS, context=True)
    assert ranking.context is None
    draw_graph(ranking, tmp_path / name)
    drawn = (tmp_path / name).read_text(encoding="utf-8")
    assert ">WHADVP<" in drawn
    if name.endswith("svg"):
        ElementTree.fromstring(drawn)


def test_a_model_without_either_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="bm25 has no graphs over the candidates of a list and no trees"):
        Ranker.load("bm25").rank(QUESTION, TEXTS, context=True)
