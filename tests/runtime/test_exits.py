"""A reader in parts against one that is whole, and against the formula at the top of runtime/exits.py, row by row."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from anselm.data.question import Candidate, Question
from anselm.errors import AnselmError, FormatError
from anselm.models.features import encode_lists
from anselm.models.registry import load_model
from anselm.runtime.engines import FIRST, open_graph
from anselm.runtime.exits import ASKED, SOFT, Parts, may_leave
from anselm.runtime.general import General, load_general
from tests.runtime.conftest import GENERAL, LISTS

NEVER, ALWAYS = -1e9, 1e9


@pytest.fixture(scope="session", params=["exact", "rounded"])
def whole(request: pytest.FixtureRequest) -> Path:
    return Path(request.getfixturevalue(request.param))


@pytest.fixture(scope="session")
def parted(whole: Path) -> Path:
    from anselm.recipes.exits import add_exits

    return add_exits(whole, whole.with_name(f"{whole.name}-parted"), LISTS, {1: 0.0}, "anyone's")


def scores(model: General, *exits: float, lists: Sequence[Question] = LISTS) -> NDArray[np.float64]:
    model.reader = replace(model.reader, exits=exits)
    return np.concatenate(model.score(lists))


def test_who_is_read_to_the_end_has_the_score_of_the_whole(whole: Path, parted: Path, engine: str) -> None:
    found = scores(load_general(parted), NEVER)
    np.testing.assert_allclose(found, np.concatenate(load_general(whole).score(LISTS)), atol=1e-5)


def test_who_leaves_has_the_estimate_of_the_head(exact: Path, reader: Path, engine: str, tmp_path: Path) -> None:
    """The head's own numbers, on the states that transformers has after the first layer."""
    torch = pytest.importorskip("torch")
    from anselm.recipes import exits

    head = exits.Head(32)
    with torch.no_grad():
        for parameter in head.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    part, _ = exits.cut(*_graph_and_states(exact), [head])
    graph = open_graph(exits.write_graph(part, tmp_path / "onnx" / "reader.onnx"), None, [FIRST])
    model: Any = load_model(reader)
    whole, said = model.tokenizer(["How do bees make honey?", "Bees make honey from nectar."])
    first, second = [*model.tokenizer.before, *whole, *model.tokenizer.between], [*said, *model.tokenizer.after]
    ids, types = torch.tensor([first + second]), torch.tensor([[0] * len(first) + [1] * len(second)])
    mask = torch.ones_like(ids)
    with torch.no_grad():
        states = model.encoder(ids, attention_mask=mask, token_type_ids=types, output_hidden_states=True).hidden_states
        q, a = states[1][0, : len(first)].mean(dim=0), states[1][0, len(first) :].mean(dim=0)
        expected = head.estimate(torch.cat([q * a, (q - a).abs(), states[1][0, 0]])[None])
    rows = {"ids": ids.numpy(), "mask": mask.numpy(), "types": types.numpy()}
    np.testing.assert_allclose(graph(rows)["signals"], expected, atol=1e-5)
    np.testing.assert_allclose(graph(rows)["states"], states[1], atol=1e-5)


def _graph_and_states(folder: Path) -> tuple[Any, list[str]]:
    import onnx

    from anselm.recipes.exits import states_after

    path = folder / "onnx" / "reader.onnx"
    return onnx.load(path), [states_after(onnx.load(path), 1, path)]


def test_the_batch_does_not_matter(parted: Path, engine: str) -> None:
    model = load_general(parted, threads=1)
    found = scores(model, NEVER)
    middle = float(np.median(found))
    expected = scores(model, middle)
    assert 0.2 < (np.abs(expected - found) > 1e-6).mean() < 0.8  # some leave, some do not
    bound = 1e-4 if parted.name.startswith("exact") else 0.02 * expected.std()
    others = [
        model.score(LISTS, budget=1),
        model.score(LISTS, budget=100_000),
        [model.score([question])[0] for question in LISTS],
    ]
    for other in others:
        np.testing.assert_allclose(np.concatenate(other), expected, atol=bound)


def test_long_answers_are_read_to_the_end(whole: Path, parted: Path) -> None:
    tokenizer = load_general(parted).tokenizer
    said = [len(ids) for q in LISTS for ids in tokenizer([candidate.text for candidate in q.candidates])]
    asked = [len(tokenizer([q.text])[0]) for q in LISTS for _ in q.candidates]
    short = (np.array(said) <= GENERAL.long) & (np.array(asked) <= ASKED)
    changed = np.abs(scores(load_general(parted), ALWAYS) - np.concatenate(load_general(whole).score(LISTS))) > 1e-4
    np.testing.assert_array_equal(changed, short)
    assert 5 < short.sum() < len(short) - 5


def test_the_short_last_window_of_a_long_answer_is_read_to_the_end(whole: Path, parted: Path) -> None:
    model = load_general(parted)
    lists = [Question("q", "Where?", tuple(Candidate(str(n), "honey " * n) for n in range(80, 140)))]
    np.testing.assert_allclose(scores(model, ALWAYS, lists=lists), load_general(whole).score(lists)[0], atol=1e-5)


def test_long_questions_are_read_to_the_end(exact: Path) -> None:
    model = load_general(exact)
    asked = ["honey " * count for count in (1, ASKED, ASKED + 1)]
    lists = encode_lists([Question(text, text, (Candidate("0", "bees"),)) for text in asked], model.tokenizer)
    assert lists.texts.lengths[lists.questions].tolist() == [1, ASKED, ASKED + 1]
    assert may_leave(lists, model.config).tolist() == [True, True, False]


def naive(row: int, signals: list[NDArray[Any]], exits: tuple[float, ...], weights: tuple[float, float]) -> Any:
    estimate = signals[0][row]
    if not exits:
        return estimate
    weight = min(1.0, max(0.0, (float(estimate @ np.array(weights)) - exits[0]) / SOFT))
    return estimate + weight * (naive(row, signals[1:], exits[1:], weights) - estimate) if weight else estimate


def test_parts_are_mixed_as_the_formula_says() -> None:
    rng = np.random.default_rng(1)
    rows, weights, exits = 60, (0.8, 3.0), (-1.0, 0.5)
    given = [rng.normal(0, 1, (rows, 2)).astype(np.float32) for _ in range(3)]
    reached: list[int] = []

    def part(place: int) -> Any:
        def run(batch: Mapping[str, Any]) -> dict[str, Any]:
            mine = batch["before"][:, 0, 0].astype(int)  # the number of each row
            reached.append(len(mine))
            return {"signals": given[place][mine].copy(), "states": batch["before"]}

        return run

    ones = np.ones((rows, 5))
    batch = {"before": np.arange(rows, dtype=np.float32)[:, None, None], "mask": ones, "types": ones}
    parts = Parts([part(place) for place in range(3)], exits, weights)
    np.testing.assert_allclose(parts(batch), [naive(row, given, exits, weights) for row in range(rows)], atol=1e-6)
    assert rows > reached[1] > reached[2] > 0
    np.testing.assert_array_equal(parts.to_the_end()(batch), given[2])


def test_scores_have_no_jumps() -> None:
    """However near to an exit, a small change of the estimate changes the score a little."""
    states = np.zeros((1, 1, 1), dtype=np.float32)

    def first(batch: Mapping[str, Any]) -> dict[str, Any]:
        return {"signals": batch["estimate"].copy(), "states": states}

    parts = Parts([first, lambda batch: {"signals": np.ones((1, 2), dtype=np.float32)}], (0.3,), (1.0, 0.0))
    ones = np.ones((1, 1), dtype=np.int64)
    line = np.linspace(-1, 2, 3001, dtype=np.float32)
    found = [parts({"estimate": np.array([[x, 0.0]], np.float32), "mask": ones, "types": ones})[0, 0] for x in line]
    assert np.abs(np.diff(found)).max() < 0.01
    assert found[0] == line[0]
    assert found[-1] == 1


def test_heads_learn_what_the_reader_says() -> None:
    torch = pytest.importorskip("torch")
    from anselm.recipes.exits import fit

    torch.manual_seed(3)
    features = 5 + 3 * torch.randn(6000, 12)
    signals = torch.stack([40 + 7 * features[:, 0] - features[:, 5], 0.1 * features[:, 7].abs()], dim=1)
    head = fit(features[:5000], signals[:5000])
    with torch.no_grad():
        found = head.estimate(features[5000:])
    for column in range(2):
        assert np.corrcoef(found[:, column], signals[5000:, column])[0, 1] > 0.97
        assert abs(float((found - signals[5000:])[:, column].mean())) < 0.1 * float(signals[:, column].std())


def test_what_is_kept(parted: Path, tmp_path: Path) -> None:
    assert json.loads((parted / "config.json").read_text())["terms"] == "anyone's"
    copy = tmp_path / "copy"
    copy.mkdir()
    load_general(parted).save(copy)
    np.testing.assert_array_equal(load_general(copy).score(LISTS)[0], load_general(parted).score(LISTS)[0])
    (copy / "onnx" / "reader-2.onnx").unlink()
    with pytest.raises(AnselmError, match=r"reader-2\.onnx"):
        load_general(copy)


def test_a_reader_in_parts_can_be_trained_further(stirred_exact: Path, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from anselm.recipes.exits import add_exits
    from anselm.recipes.training import make_model

    parted = add_exits(stirred_exact, tmp_path / "parted", LISTS, {1: 0.0})
    one, other = (make_model(str(folder), {}, seed=1).state_dict() for folder in (stirred_exact, parted))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_refusals(whole: Path, parted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from anselm.recipes.exits import add_exits

    with pytest.raises(AnselmError, match="has exits already"):
        add_exits(parted, tmp_path / "again", LISTS, {1: 0.0})
    with pytest.raises(FormatError, match="can be cut after layer 2"):
        add_exits(whole, tmp_path / "deep", LISTS, {2: 0.0})
    with pytest.raises(AnselmError, match="short enough for an exit"):
        add_exits(whole, tmp_path / "none", [Question("q", "Where?", (Candidate("0", "honey " * 50),))], {1: 0.0})
    ranker: Any = load_general(whole)
    ranker.tokenizer = SimpleNamespace(types=(0, 0))
    monkeypatch.setattr("anselm.recipes.exits.load_general", lambda folder: ranker)
    with pytest.raises(AnselmError, match="token types 0 and 1"):
        add_exits(whole, tmp_path / "untyped", LISTS, {1: 0.0})
    assert not list(tmp_path.iterdir())


def swap(folder: Path) -> None:
    first, second = (folder / "onnx" / name for name in ("reader.onnx", "reader-2.onnx"))
    kept = first.read_bytes()
    shutil.copy(second, first)
    second.write_bytes(kept)


def without_exits(folder: Path) -> None:
    set_exits(folder, [])


def set_exits(folder: Path, exits: object) -> None:
    record = json.loads((folder / "config.json").read_text())
    record["config"]["exits"] = exits
    (folder / "config.json").write_text(json.dumps(record))


@pytest.mark.parametrize(
    "damage",
    [
        swap,
        without_exits,
        lambda folder: shutil.copy(folder / "onnx" / "reader.onnx", folder / "onnx" / "reader-2.onnx"),
        lambda folder: shutil.copy(folder / "onnx" / "encoder.onnx", folder / "onnx" / "reader.onnx"),
    ],
)
def test_parts_that_do_not_go_together_are_named(
    damage: Callable[[Path], object], parted: Path, tmp_path: Path, engine: str
) -> None:
    folder = shutil.copytree(parted, tmp_path / "copy")
    damage(folder)
    with pytest.raises(FormatError, match="or not this part of one"):
        load_general(folder)


@pytest.mark.parametrize("exits", [1.0, None, [float("nan")], ["low"]])
def test_exits_that_cannot_be(exits: object, parted: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from anselm.recipes.training import make_model

    folder = shutil.copytree(parted, tmp_path / "copy")
    set_exits(folder, exits)
    for use in (load_general, lambda folder: make_model(str(folder), {}, seed=1)):
        with pytest.raises(FormatError, match="which is no list of numbers"):
            use(folder)
