"""Exported models score as torch does, whatever else is in the batch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from anselm.checkpoints.catalogue import load_model
from anselm.checkpoints.checkpoint import GRAPH
from anselm.data.question import Question
from anselm.errors import FormatError
from anselm.runtime import pairs as exported
from anselm.scorer import Scores
from tests.exported_checkpoints import LISTS, load_pairs

EXACT = 1e-4
# In int8 a difference in the last bit of a float moves a value to the next of 255 steps now and then. This bounds what
# that does to a score, as a part of the scores' standard deviation.
STEP = 0.02


def flat(scores: list[Scores]) -> Scores:
    return np.concatenate(scores)


def test_scores_are_torch_s(checkpoint: Path, engine: str) -> None:
    expected = load_model(checkpoint).score(LISTS)
    found = load_pairs(checkpoint).score(LISTS)
    assert [len(row) for row in found] == [len(question.candidates) for question in LISTS]
    np.testing.assert_allclose(flat(found), flat(expected), atol=EXACT)
    assert flat(expected).std() > 0.05


def test_as_many_candidates_as_in_torch() -> None:
    pytest.importorskip("torch")
    from anselm.models import crossencoder

    assert exported.ExportedPairs.capacity == crossencoder.CrossEncoder.capacity


@pytest.mark.parametrize("kind", ["plain", "int8"])
def test_the_batch_does_not_matter(kind: str, engine: str, request: pytest.FixtureRequest) -> None:
    """Small and large batches, each list alone, candidates in another order, one thread or two."""
    folder = request.getfixturevalue(kind)
    model = load_pairs(folder, threads=1)
    expected = model.score(LISTS)
    bound = EXACT if kind == "plain" else STEP * flat(expected).std()
    turned = [Question(q.id, q.text, q.candidates[::-1], q.meta) for q in LISTS]
    others = [
        model.score(LISTS, budget=1),
        model.score(LISTS, budget=100_000),
        [model.score([question])[0] for question in LISTS],
        [row[::-1] for row in model.score(turned)],
        load_pairs(folder, threads=2).score(LISTS),
    ]
    for found in others:
        np.testing.assert_allclose(flat(found), flat(expected), atol=bound)


def test_int8_is_near(plain: Path, int8: Path, engine: str) -> None:
    exact, near = flat(load_pairs(plain).score(LISTS)), flat(load_pairs(int8).score(LISTS))
    assert np.abs(near - exact).max() < 0.4 * exact.std()
    assert np.corrcoef(near, exact)[0, 1] > 0.99
    assert np.abs(near - exact).max() > 0


def test_equal_pairs_get_equal_scores(int8: Path) -> None:
    question = LISTS[0]
    twice = Question("q", question.text, question.candidates * 2)
    first, second = np.split(load_pairs(int8).score([twice, question], budget=50)[0], 2)
    np.testing.assert_array_equal(first, second)


def test_nothing_to_score(plain: Path) -> None:
    assert load_pairs(plain).score([]) == []
    assert [len(row) for row in load_pairs(plain).score([LISTS[3], LISTS[3]])] == [0, 0]


def test_saved_it_is_the_same(int8: Path, tmp_path: Path) -> None:
    model = load_pairs(int8)
    model.save(tmp_path)
    np.testing.assert_array_equal(flat(load_pairs(tmp_path).score(LISTS)), flat(model.score(LISTS)))


def with_config(folder: Path, tmp_path: Path, **settings: object) -> Path:
    copy = shutil.copytree(folder, tmp_path / "copy")
    record = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(record | {"config": record["config"] | settings}))
    return copy


def test_a_graph_with_several_signals_is_named(plain: Path, tmp_path: Path, engine: str) -> None:
    """One that gives the score and its square, say: which of them is the score, nothing tells."""
    onnx = pytest.importorskip("onnx")
    folder = shutil.copytree(plain, tmp_path / "copy")
    model = onnx.load(folder / GRAPH)
    last = next(node for node in model.graph.node if "signals" in node.output)
    last.output[:] = ["one"]
    model.graph.node.append(onnx.helper.make_node("Mul", ["one", "one"], ["square"]))
    model.graph.node.append(onnx.helper.make_node("Concat", ["one", "square"], ["signals"], axis=1))
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 2
    onnx.save(model, folder / GRAPH)
    with pytest.raises(FormatError, match="it gives 2 signals of a row, and 1 are needed") as caught:
        load_pairs(folder).score(LISTS)
    assert str(caught.value).startswith(str(folder / GRAPH))


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"max_length": "long"}, "the setting 'max_length' is 'long', which is no int"),
        ({"title": None}, "the setting 'title' is None, which is no bool"),
        ({"max_length": 20}, "max_length 20 leaves no room for a candidate"),
    ],
)
def test_settings_that_do_not_fit_are_named(
    settings: dict[str, object], problem: str, plain: Path, tmp_path: Path
) -> None:
    folder = with_config(plain, tmp_path, **settings)
    with pytest.raises(FormatError) as caught:
        load_pairs(folder).score(LISTS)
    assert str(caught.value).startswith(f"{folder / 'config.json'}: {problem}")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


DAMAGES = {
    "cut model": ("onnx/model.onnx", cut, "not a whole ONNX model"),
    "empty model": ("onnx/model.onnx", b"", "not a"),
    "text for a model": ("onnx/model.onnx", b"version https://git-lfs.github.com/spec/v1\n", "not a whole ONNX model"),
    "no model": ("onnx/model.onnx", Path.unlink, "the file with the exported model is missing"),
    "no tokenizer": ("tokenizer.json", Path.unlink, "the tokenizer is missing"),
    "broken tokenizer": ("tokenizer.json", b"{", "not a tokenizer"),
    "broken encoder": ("encoder.json", b"[]", "not the configuration of an encoder"),
    "fewer words": ("encoder.json", b'{"vocab_size": 20}', "it gives ids up to 153, but the encoder knows 20"),
    "other words": ("encoder.json", b'{"vocab_size": 999, "vocabulary_sha256": "0"}', "not the tokenizer that the"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_named_in_one_sentence(damage: str, int8: Path, tmp_path: Path, engine: str) -> None:
    file, harm, problem = DAMAGES[damage]
    folder = shutil.copytree(int8, tmp_path / "copy")
    (folder / file).write_bytes(harm) if isinstance(harm, bytes) else harm(folder / file)
    with pytest.raises(FormatError, match=problem) as caught:
        load_pairs(folder)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_torch_is_never_imported(int8: Path, engine: str) -> None:
    """With everything that only the extras bring made impossible to import."""
    code = (
        "import sys; blocked = ['torch', 'transformers', 'onnx', 'onnxscript', 'safetensors', 'scipy'];"
        "sys.modules.update(dict.fromkeys(blocked));"
        "from anselm import Ranker;"
        f"print(Ranker.load({str(int8)!r}).rank('Where is the hive?', ['In the garden.', 'Honey']).best.text)"
    )
    run = subprocess.run([sys.executable, "-c", code], env=os.environ.copy(), capture_output=True, text=True)
    assert run.stderr == ""
    assert run.stdout.strip() in ("In the garden.", "Honey")
