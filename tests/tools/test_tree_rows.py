"""A parser for many texts at once gives the trees of the one that is used; what is trained is written and read."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from anselm.annotations.evalb import score_brackets  # noqa: E402
from anselm.annotations.span_parser import SpanParser  # noqa: E402
from anselm.annotations.trees import read_brackets, write_brackets  # noqa: E402
from anselm.checkpoints.checksums import write_checkpoint  # noqa: E402
from anselm.encoding.tokenizer import PairTokenizer  # noqa: E402
from anselm.errors import FormatError  # noqa: E402
from anselm.experiments import parser_runs  # noqa: E402
from anselm.experiments.results import Result  # noqa: E402
from anselm.models.frames.parser_examples import make_examples, take_inventory  # noqa: E402
from anselm.models.frames.parser_network import ParserConfig, ParserNetwork  # noqa: E402
from anselm.models.frames.parser_training import Plan  # noqa: E402
from tools.tree_rows import rows  # noqa: E402
from tools.tree_rows.batch_parser import BatchParser  # noqa: E402
from tools.tree_rows.differences import describe, pairs  # noqa: E402
from tools.tree_rows.plan import plan  # noqa: E402

SHIPPED = Path(__file__).parents[2] / "src/anselm/shipped/default/tokenizer.json"
TREES = [
    read_brackets("(S (NP (DT The) (NN cave)) (VP (VBZ is) (ADJP (JJ cold))) (. .))"),
    read_brackets("(SBARQ (WHADVP (WRB How)) (SQ (VBZ is) (NP (DT the) (NN cave)) (VP (VBN made))) (. ?))"),
    read_brackets("(S (VP (VB Go)))"),
]
INVENTORY = take_inventory(TREES)

pytestmark = pytest.mark.usefixtures("one_thread")


def encoder(tokenizer: PairTokenizer) -> Any:
    torch.manual_seed(1)
    shape = transformers.BertConfig(
        vocab_size=tokenizer.size, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    return transformers.BertModel(shape, add_pooling_layer=False)


@pytest.fixture
def tokenizer() -> PairTokenizer:
    return PairTokenizer.load(SHIPPED, 0)


@pytest.fixture
def network(tokenizer: PairTokenizer) -> Any:
    config = ParserConfig("layers", width=16, heads=2, layers=1, hidden=32, dropout=0.0)
    return ParserNetwork(encoder(tokenizer), config, len(INVENTORY.labels), len(INVENTORY.tags)).eval()


class Alone:
    """In place of processes."""

    @staticmethod
    def imap(make: Any, given: Any, chunksize: int) -> Any:
        return map(make, given)


def test_many_at_once_have_the_trees_that_each_has(network: Any, tokenizer: PairTokenizer) -> None:
    used, many = SpanParser.__new__(SpanParser), BatchParser.__new__(BatchParser)
    used.inventory, used.heads, used.tokenizer, used.unknown = INVENTORY, network.heads(), tokenizer, 100
    many.inventory, many.network, many.tokenizer, many.pool = INVENTORY, network, tokenizer, Alone()  # type: ignore[assignment]

    def engine(rows: Any) -> Any:
        with torch.no_grad():
            return np.asarray(network(*(torch.from_numpy(rows[name]) for name in ("ids", "mask", "shapes"))))

    used.engine = engine
    texts = ["The ice caves of the glacier are cold. Go!", "", "How is a cave made?", "Go"]
    found = many.annotate(texts)
    assert found == [tuple(map(write_brackets, trees)) for trees in used.parse(texts)]
    assert [len(trees) for trees in found] == [2, 0, 1, 1]


def test_what_is_written_is_read(
    network: Any, tokenizer: PairTokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = make_examples(TREES, INVENTORY, tokenizer)
    learned = parser_runs.Learned(network, INVENTORY, tokenizer, examples, 0, score_brackets(TREES, TREES))
    with write_checkpoint(tmp_path / "parser") as folder:
        parser_runs.write_network(folder, learned, Plan())
    monkeypatch.setattr(parser_runs, "load_pretrained", lambda _: (encoder(tokenizer), tokenizer))
    again, inventory, _ = parser_runs.load_network(tmp_path / "parser")
    assert inventory == INVENTORY
    for (name, one), other in zip(network.named_parameters(), again.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-3), name


def test_further_trees_are_read_as_the_sample_is(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text("(ROOT (S (NP-SBJ (PRP It)) (VP (VBZ is) (ADJP-PRD (JJ cold))) (. .)))\n(ROOT (X (-NONE- *)))\n")
    (found,) = parser_runs.read_others(path, 3)
    assert [span.label for span in found.spans()] == ["S", "NP", "VP", "ADJP"]
    path.write_text("(S (NP")
    with pytest.raises(FormatError, match=r"trees\.mrg"):
        parser_runs.read_others(path, 3)


def test_questions_by_hand_are_whole() -> None:
    asked = parser_runs.read_asked()
    assert len(asked) == 40
    assert all(tree.label in ("SBARQ", "SQ", "SBAR") for tree in asked)


def row(name: str, values: list[float], seeds: list[float], corpus: str = "wikiqa") -> Result:
    return Result(
        paper="p", table="t", row=name, corpus=corpus, protocol="clean", split="test", model="tree", seeds=[1, 2],
        metrics={"map": {"mean": sum(seeds) / 2, "values": seeds}}, published={}, parameters=1, device="cpu",
        seconds=1.0, data_sha256="", commit="", values=values,
    )  # fmt: skip


def test_differences_are_of_rows_on_the_same_questions_and_encoder() -> None:
    low, high = [0.1, 0.2, 0.3, 0.4] * 5, [0.3, 0.5, 0.4, 0.6] * 5
    rows = [
        row("direct-fine-tuning", low, [0.24, 0.26]),
        row("tree", high, [0.44, 0.46]),
        row("tree-110m", high, [0.4, 0.5]),
        row("direct-fine-tuning-110m", low, [0.2, 0.3], "trecqa"),
    ]
    assert [(one.row, other.row) for one, other in pairs(rows)] == [("tree", "direct-fine-tuning")]
    (line,) = describe(rows)
    assert "| wikiqa test | tree | direct-fine-tuning | +0.200 (" in line
    assert "< 0.001 / 0.005 | 0.005 |" in line  # 20 differences of one sign; by hand t = 0.2 / 0.0141 with 2 degrees


def test_rows_are_planned_as_jobs() -> None:
    """Settings of a search at once, then the other seeds; a transfer once, before the rows that go on from it."""
    asked = ["table-4/tree-110m:trecqa:1,2", "table-4/transfer-then-adapt:wikiqa:1,1", "table-4/transfer-tree:wikiqa:1"]
    jobs = {job.id.removeprefix("tree-aggregation-transformer.table-4."): job for job in plan(Path("/f"), asked[:1])}
    assert list(jobs) == ["tree-110m.trecqa.1.0", "tree-110m.trecqa.1.1", "tree-110m.trecqa.2"]
    first, second, last = jobs.values()
    assert (first.after, second.after, list(last.after)) == ([], [], [first.id, second.id])
    assert last.command.startswith("cat /f/journals/")
    assert last.command.endswith(" trecqa 1 2")
    maker, *others = plan(Path("/f"), [asked[1].replace("1,1", "1"), asked[2]])
    assert maker.command.startswith("python3 -m tools.tree_rows.transfer /f/transfers ")
    assert [list(job.after) for job in others] == [[maker.id]] * 3  # a row, and two settings of the other
    assert maker.memory > others[0].memory
    seeds = [job.id for job in plan(Path("/f"), ["table-4/transfer-then-adapt-110m:trecqa:3,1,2"])]
    assert [id.startswith("transfer.") for id in seeds] == [True, True, False, False, False, False]


def test_of_several_settings_the_best_model_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([0.5, 0.7, 0.6])
    written = []

    class Model:
        def save(self, folder: Path) -> None:
            written.append(value)

    monkeypatch.setattr(rows.jobs, "run_corpus", None)
    rows.keep_models(tmp_path, lambda *_: SimpleNamespace(dev=value))
    job = SimpleNamespace(recipe=SimpleNamespace(row="tree"), seed=1)
    for value in found:
        rows.jobs.run_corpus(job, "wikiqa", Model(), 0.0, None)
    assert written == [0.5, 0.7]
