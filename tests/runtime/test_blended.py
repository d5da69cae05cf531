"""The general ranker against the formula of models/general.py, computed pair by pair with transformers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anselm.checkpoints.catalogue import load_model
from anselm.checkpoints.checkpoint import ENCODER_GRAPH, READER_GRAPH
from anselm.data.question import Candidate, Question
from anselm.errors import AnselmError, FormatError
from anselm.ranking.ranker import Ranker
from anselm.ranking.scorers import load_scorer
from anselm.runtime.blended import Blended
from anselm.runtime.vector_store import VectorStore
from tests.exported_checkpoints import GENERAL, LISTS, LONG, SHORT, load_blended, make_general

ENTRIES = [
    Question("q6", "How do bees make honey?", (
        Candidate("0", "From nectar.", question="What is honey made of?"),
        Candidate("1", "In the garden.", question="Where is the hive?"),
        Candidate("2", LONG, question="What is sweet?"),
        Candidate("3", "", question="Is the hive made of wood?"),
    )),
    Question("q7", "Where is the hive?", (
        Candidate("0", "In the garden.", question="Where is the hive?"),
        Candidate("1", "Where is the hive? In the garden."),  # the same text, but no entry
    )),
    Question("q8", "Where is the hive?", (
        Candidate("0", "In the garden.", heading="The bees, The hive"),
        Candidate("1", "In the garden.", heading=""),
        Candidate("2", "In the garden."),
    )),
    Question("q9", "Where is the hive?", (
        Candidate("0", "In it.", heading="The bees", paragraph="The garden is green. In it. Bees live there."),
        Candidate("1", "In it.", heading="The bees"),
        Candidate("2", "Bees live there.", heading="", paragraph=LONG),
    )),
]  # fmt: skip
EVERY = [*LISTS, *ENTRIES]


def naive(reader: Path, questions: list[Question]) -> list[list[float]]:
    """Each pair by itself, without padding; long answers are cut into windows as the cross-encoder does it."""
    import torch

    from anselm.models.crossencoder import CrossEncoder
    from anselm.models.frames.pretrained import load_pretrained

    model = load_model(reader)
    assert isinstance(model, CrossEncoder)
    untouched = load_pretrained(model.config.base)[0].eval()
    parts = model.tokenizer

    def vector(tokens: list[int]) -> Any:
        ids = torch.tensor([[*parts.before, *tokens[:254], *parts.after]])
        return torch.nn.functional.normalize(untouched(ids).last_hidden_state[0].mean(dim=0), dim=0)

    def signals(asked: list[int], said: list[int]) -> list[float]:
        first, second = [*parts.before, *asked, *parts.between], [*said, *parts.after]
        ids, types = torch.tensor([first + second]), torch.tensor([[0] * len(first) + [1] * len(second)])
        return model.signals(ids, torch.ones_like(ids), types)[0].tolist()

    def windows(tokens: list[int], room: int) -> list[list[int]]:
        step = room - min(32, room // 2)
        return [tokens[start : start + room] for start in range(0, max(1, len(tokens) - room + step), step)]

    def score(question: str, candidate: Candidate) -> float:
        heading = f"{candidate.heading}: " if candidate.heading else ""
        above = f"{candidate.question} " if candidate.question else heading
        texts = [above + candidate.text, above + (candidate.paragraph or candidate.text), candidate.text]
        whole, said, around, alone = parts([question, *texts])
        asked = whole[: model.config.max_question]
        room = model.config.max_length - model.overhead - len(asked)
        relevance = max(signals(asked, part)[0] for part in windows(said, room))

        def similar(tokens: list[int], entry: bool = False) -> float:
            room = 254 if entry or len(tokens) <= GENERAL.compared_whole else GENERAL.compared_window
            return max(float(vector(whole) @ vector(part)) for part in windows(tokens, room))

        if candidate.question:
            share = GENERAL.answer_share
            both = (1 - share) * similar(around, entry=True) + share * similar(alone)
            return GENERAL.entries[0] * relevance + GENERAL.entries[1] * both
        return GENERAL.blend[0] * relevance + GENERAL.blend[1] * similar(around)

    with torch.no_grad():
        return [[score(q.text, candidate) for candidate in q.candidates] for q in questions]


def test_scores_are_the_formula(reader: Path, exact: Path, engine: str) -> None:
    found, expected = load_blended(exact).score(EVERY), naive(reader, EVERY)
    assert [len(row) for row in found] == [len(question.candidates) for question in EVERY]
    np.testing.assert_allclose(np.concatenate(found), np.concatenate(expected), atol=1e-4)
    assert np.concatenate(found).std() > 0.05
    entry, text = found[-3]
    assert abs(entry - text) > 0.05  # one text, other weights
    in_paragraph, by_itself, _ = found[-1]
    assert abs(in_paragraph - by_itself) > 0.01
    below, plain, alone = found[-2]
    assert abs(below - plain) > 0.01
    assert plain == pytest.approx(alone, abs=1e-5)


def fresh(model: Blended) -> Blended:
    """Without the vectors of texts that were encoded before, which would hide what a batch does to them."""
    model.vectors = VectorStore()
    return model


@pytest.mark.parametrize("kind", ["exact", "rounded"])
def test_the_batch_does_not_matter(kind: str, engine: str, exact: Path, rounded: Path) -> None:
    folder = exact if kind == "exact" else rounded
    model = load_blended(folder, threads=1)
    expected = np.concatenate(model.score(EVERY))
    bound = 1e-4 if kind == "exact" else 0.02 * expected.std()
    turned = [replace(question, candidates=question.candidates[::-1]) for question in EVERY]
    others = [
        fresh(model).score(EVERY, budget=1),
        fresh(model).score(EVERY, budget=100_000),
        [fresh(model).score([question])[0] for question in EVERY],
        [row[::-1] for row in fresh(model).score(turned)],
        load_blended(folder, threads=2).score(EVERY),
        model.score(EVERY),  # with vectors that are known
    ]
    for found in others:
        np.testing.assert_allclose(np.concatenate(found), expected, atol=bound)


def test_lists_without_candidates_have_no_scores(exact: Path) -> None:
    model, empty = load_blended(exact), Question("q", "Who?", ())
    assert [row.tolist() for row in model.score([empty, empty])] == [[], []]
    assert model.score([]) == []


def test_int8_is_near(exact: Path, rounded: Path) -> None:
    whole, near = (np.concatenate(load_blended(folder).score(LISTS)) for folder in (exact, rounded))
    assert np.corrcoef(whole, near)[0, 1] > 0.98
    assert 0 < np.abs(whole - near).max() < 0.5 * whole.std()


def test_a_text_is_encoded_once(exact: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_blended(exact)
    encoded: list[int] = []
    encode = model.encoder

    def count(inputs: Mapping[str, Any]) -> Any:
        encoded.append(len(inputs["ids"]))
        return encode(inputs)

    monkeypatch.setattr(model, "encoder", replace(encode, run=count))
    first, second = LISTS[1], replace(LISTS[1], text="Where is the wood?")
    expected = model.score([first])[0]
    assert sum(encoded) == 3  # the question and its two candidates
    model.score([second])
    assert sum(encoded) == 4
    np.testing.assert_array_equal(model.score([first])[0], expected)
    assert sum(encoded) == 4


def test_several_threads_get_the_same_scores(exact: Path) -> None:
    model = load_blended(exact, threads=1)
    expected = np.concatenate(load_blended(exact, threads=1).score(EVERY))
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: np.concatenate(model.score(EVERY)), range(8)):
            np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_general_checkpoint_ranks(exact: Path, tmp_path: Path) -> None:
    assert isinstance(load_scorer(exact), Blended)
    assert Ranker.load(exact).rank("How do bees make honey?", ["From nectar.", "The hive."]).model == str(exact)
    copy = tmp_path / "copy"
    copy.mkdir()
    load_blended(exact).save(copy)
    np.testing.assert_array_equal(load_blended(copy).score(LISTS)[0], load_blended(exact).score(LISTS)[0])


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"blend": [1, 2, 3]}, r"'blend' is \[1, 2, 3\], which is no list of two numbers"),
        ({"entries": [1]}, r"'entries' is \[1\], which is no list of two numbers"),
        ({"long": 12}, "unknown settings: long; made by another version of Anselm, it must be made again"),
        ({"candidate_layers": -1}, "'candidate_layers' is -1, which is no whole number from 0 on"),
        ({"shape": 3}, "unknown settings: shape"),
    ],
)
def test_settings_that_cannot_be_are_named(settings: dict[str, Any], problem: str, exact: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(exact, tmp_path / "copy")
    record = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**record, "config": record["config"] | settings}))
    with pytest.raises(FormatError, match=problem):
        load_blended(folder)


def test_a_missing_graph_is_named(exact: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(exact, tmp_path / "copy")
    (folder / ENCODER_GRAPH).unlink()
    with pytest.raises(AnselmError, match=r"encoder\.onnx"):
        load_blended(folder).score(LISTS)


def test_only_a_reader_of_pairs_becomes_one(tiny_encoder: Path, tmp_path: Path) -> None:
    from anselm.models.crossencoder import build
    from tools.default_model.general import export_general

    build("cross-encoder", {"base": str(tiny_encoder), "list_layers": 1}).save(tmp_path)
    with pytest.raises(AnselmError, match="is not a cross-encoder of single pairs"):
        export_general(tmp_path, tmp_path / "out", LISTS)
    with pytest.raises(AnselmError, match="exported files"):
        load_model("general")


@pytest.mark.parametrize("int8", [False, True])
def test_reader_can_be_trained_further(stirred: Path, tmp_path: Path, int8: bool) -> None:
    """Exported without rounding, its weights come back as they were; in int8, within a few steps of each column."""
    from anselm.train.fit import make_model

    before: Any = load_model(stirred)
    folder = make_general(stirred, tmp_path / "general", int8)
    after: Any = make_model(str(folder), {}, seed=1)
    assert (after.config.max_length, after.config.max_question) == (SHORT["max_length"], SHORT["max_question"])
    own = before.state_dict()
    assert own.keys() == after.state_dict().keys()
    for name, tensor in after.state_dict().items():
        allowed = 0.05 * own[name].abs().max() if int8 else 0.0
        assert (tensor - own[name]).abs().max() <= allowed, name
        assert (tensor - own[name]).abs().mean() <= allowed / 10, name  # most are moved by less than a step
    relevance = load_blended(folder).features(after.featurize(LISTS))[:, 0]
    scores = np.concatenate(after.score(LISTS))
    if int8:  # the graph rounds what flows through it, too
        assert np.corrcoef(scores, relevance)[0, 1] > 0.95
    else:
        np.testing.assert_allclose(scores, relevance, atol=1e-4)


def test_training_further_refuses(exact: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from anselm.train.fit import make_model

    folder = tmp_path / "damaged"
    shutil.copytree(exact, folder)
    (folder / "onnx" / "reader.onnx").write_bytes(b"nothing like it")
    with pytest.raises(FormatError, match=r"reader\.onnx"):
        make_model(str(folder), {}, seed=1)
    shutil.copy(exact / ENCODER_GRAPH, folder / "onnx" / "reader.onnx")
    (folder / "checksums.json").unlink()
    with pytest.raises(FormatError, match="not the reader of a general ranker"):
        make_model(str(folder), {}, seed=1)


def test_layers_of_ones_own_come_between_the_reader_and_a_new_head(stirred_exact: Path) -> None:
    torch = pytest.importorskip("torch")
    from anselm.train.fit import make_model

    plain, one, other = (
        make_model(str(stirred_exact), {"list_layers": layers}, seed) for layers, seed in ((0, 1), (1, 1), (1, 2))
    )
    states: list[Any] = [model.state_dict() for model in (plain, one, other)]
    assert torch.equal(states[0]["encoder.embeddings.word_embeddings.weight"],
                       states[1]["encoder.embeddings.word_embeddings.weight"])  # fmt: skip
    assert not torch.equal(states[0]["head.weight"], states[1]["head.weight"])
    assert not torch.equal(states[1]["head.weight"], states[2]["head.weight"])


def test_a_reader_without_a_head_is_refused(stirred_exact: Path) -> None:
    pytest.importorskip("torch")
    from anselm.models.frames.dequantized import fill, thaw
    from anselm.train.fit import make_model

    weights = thaw(stirred_exact / READER_GRAPH)
    del weights["head.bias"]
    with pytest.raises(FormatError, match=r"no 'head\.bias' that fits"):
        fill(make_model(str(stirred_exact), {}, seed=1), weights, stirred_exact / READER_GRAPH)


@pytest.mark.parametrize(
    ("name", "settings", "layers", "pooling"),
    [
        ("cross-encoder", {}, 1, "first"),
        ("cross-encoder", {"list_layers": 1}, 1, "first"),
        ("cross-encoder", {"pooling": "mean"}, 0, "mean"),
        ("cross-encoder", {"candidate_layers": 0}, 0, "first"),
        ("frozen-attention", {}, None, "mean"),
    ],
)
def test_what_goes_on_from_a_narrowing_reader_narrows_where_it_can(
    name: str, settings: dict[str, Any], layers: int | None, pooling: str, stirred_exact: Path
) -> None:
    from anselm.models.crossencoder import build

    if not load_blended(stirred_exact).config.candidate_layers:
        pytest.skip("a reader that does not narrow")
    config = build(name, {"base": str(stirred_exact), **settings}).config
    assert (getattr(config, "candidate_layers", None), config.pooling) == (layers, pooling)
