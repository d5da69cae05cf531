"""What `anselm train parser` leaves: a folder that parses, with its weights in it once."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from anselm.annotations.span_parser import load_span_parser  # noqa: E402
from anselm.annotations.trees import read_brackets  # noqa: E402
from anselm.checkpoints.checksums import write_checkpoint  # noqa: E402
from anselm.encoding.tokenizer import PairTokenizer  # noqa: E402
from anselm.errors import FormatError  # noqa: E402
from anselm.experiments import parser_runs  # noqa: E402
from anselm.models.frames.parser_network import ParserConfig  # noqa: E402
from anselm.models.frames.parser_training import Plan  # noqa: E402

SHIPPED = Path(__file__).parents[2] / "src/anselm/shipped/default/tokenizer.json"
TREES = [
    read_brackets("(S (NP (DT The) (NN cave)) (VP (VBZ is) (ADJP (JJ cold))) (. .))"),
    read_brackets("(S (NP (DT The) (NN ice)) (VP (VBZ melts)) (. .))"),
    read_brackets("(S (VP (VB Go)))"),
]

pytestmark = pytest.mark.usefixtures("one_thread")


def tiny_encoder(_: str) -> tuple[Any, PairTokenizer]:
    torch.manual_seed(1)
    tokenizer = PairTokenizer.load(SHIPPED, 0)
    shape = transformers.BertConfig(
        vocab_size=tokenizer.size, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    return transformers.BertModel(shape, add_pooling_layer=False), tokenizer


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_runs, "load_pretrained", tiny_encoder)
    monkeypatch.setattr(parser_runs, "read_treebank", lambda *_: TREES)
    monkeypatch.setattr(parser_runs, "read_asked", lambda: TREES[:1])
    monkeypatch.setattr(parser_runs, "make_questions", lambda *_: [])


@pytest.mark.usefixtures("few_trees")
def test_weights_are_written_once(tmp_path: Path) -> None:
    config = ParserConfig(width=16, heads=2, layers=1, hidden=32)
    found = parser_runs.make_parser(tmp_path / "parser", None, config, Plan(epochs=1), lambda _: None)
    parser = load_span_parser(tmp_path / "parser")
    names = {path.name for path in (tmp_path / "parser").rglob("*") if path.is_file()}
    assert names == {
        "README.md", "checksums.json", "config.json", "encoder.json", "heads.npz", "model.onnx", "tokenizer.json"
    }  # fmt: skip
    assert [tree.words() for tree in parser.parse(["The cave is cold."])[0]] == [["The", "cave", "is", "cold", "."]]
    assert (found.sentences, found.test.sentences) == (3, 3)
    with pytest.raises(FormatError, match=r"model\.safetensors.*only parses"):
        parser_runs.load_network(tmp_path / "parser")


@pytest.mark.usefixtures("few_trees")
def test_a_folder_with_both_is_still_read(tmp_path: Path) -> None:
    """As earlier versions wrote it: the trained weights beside the graph."""
    config, plan = ParserConfig(width=16, heads=2, layers=1, hidden=32), Plan(epochs=1)
    learned = parser_runs.learn_parser(None, config, plan, lambda _: None, None)
    with write_checkpoint(tmp_path / "earlier") as folder:
        parser_runs.write_network(folder, learned, plan)
        parser_runs.write_graph(folder, learned)
    copytree(tmp_path / "earlier", tmp_path / "now", ignore=lambda *_: ["model.safetensors", "checksums.json"])
    texts = ["The cave is cold.", "Ice melts"]
    assert load_span_parser(tmp_path / "earlier").parse(texts) == load_span_parser(tmp_path / "now").parse(texts)
    assert parser_runs.load_network(tmp_path / "earlier")[1] == learned.inventory
