"""Exported models over word vectors: without torch they score what the model scores."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxscript")

from anselm.checkpoints.catalogue import all_models, build_model, load_model
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError, MissingExtraError
from anselm.export.exporter import export
from anselm.ranking.scorers import load_scorer
from anselm.runtime.words import ExportedWords
from anselm.text.lemmas import find_lemmatiser
from tests.exported_checkpoints import load_words

WORDS = ["bees", "honey", "hive", "nectar", "garden", "wood", "where", "is", "the", "sweet"]
SMALL = {"embedding": 12, "width": 12, "filters": 8, "hidden": 6, "heads": 6, "max_length": 30, "max_question": 8}


def make_lists() -> list[Question]:
    """Texts of all lengths, longer than what is read among them, and one without a word."""
    rng = np.random.default_rng(0)

    def text(most: int) -> str:
        return " ".join(rng.choice(WORDS, rng.integers(1, most)))

    lists = [
        Question(f"q{i}", text(14), tuple(Candidate(str(j), text(45), float(j == 0)) for j in range(1 + i % 6)))
        for i in range(9)
    ]
    odd = Question("odd", "?!", (Candidate("0", ""), Candidate("1", "nectar nobody knows"), Candidate("2", "hive")))
    return [*lists, odd, Question("none", "bees", ())]


LISTS = make_lists()


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    rng = np.random.default_rng(1)
    rows = [f"{word} {' '.join(f'{x:.3f}' for x in rng.normal(size=12))}" for word in WORDS]
    path.write_text("\n".join(rows) + "\n")
    return path


def make_checkpoint(name: str, vectors: Path, folder: Path, **settings: object) -> Path:
    known = {field.name for field in fields(import_module(all_models()[name].module).Config)}
    small = {key: value for key, value in SMALL.items() if key in known}
    model = build_model(name, {**small, "vectors": str(vectors), **settings}, LISTS)
    folder.mkdir()
    model.save(folder)
    return folder


@pytest.fixture(scope="module")
def exported(vectors: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_checkpoint("iggsa", vectors, tmp_path_factory.mktemp("iggsa") / "model", composition="attention")
    export(folder, None, [])
    return folder


def flat(scores: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(scores)


def test_lemmas_are_read_without_torch_too_or_the_extra_is_named(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(exported, folder)
    record = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**record, "config": {**record["config"], "lemmas": True}}))
    find_lemmatiser.cache_clear()
    monkeypatch.setitem(sys.modules, "simplemma", None)
    with pytest.raises(MissingExtraError, match=r"anselm\[lemmas\]"):
        load_words(folder)
    monkeypatch.setattr("anselm.text.vocabulary.find_lemmatiser", lambda: None)
    monkeypatch.setattr("anselm.text.vocabulary.lemmas_of", lambda words: [word.removesuffix("s") for word in words])
    assert load_words(folder).vocabulary(["woods"]) == load_words(exported).vocabulary(["wood"])


def test_iggsa_scores_the_same_without_torch(exported: Path) -> None:
    scorer = load_scorer(exported)
    assert isinstance(scorer, ExportedWords)
    found = scorer.score(LISTS)
    assert [len(row) for row in found] == [len(question.candidates) for question in LISTS]
    np.testing.assert_allclose(flat(found), flat(load_model(exported).score(LISTS)), atol=1e-5)


def test_neither_batch_nor_order_matters(exported: Path) -> None:
    scorer = load_words(exported)
    together = scorer.score(LISTS)
    for question, expected in zip(LISTS, together, strict=True):
        np.testing.assert_allclose(scorer.score([question])[0], expected, atol=1e-6)
        turned = Question(question.id, question.text, question.candidates[::-1])
        np.testing.assert_allclose(scorer.score([turned])[0][::-1], expected, atol=1e-6)
    np.testing.assert_allclose(flat(scorer.score(LISTS, budget=40)), flat(together), atol=1e-6)
    assert scorer.score([]) == []


@pytest.mark.parametrize("name", ["qa-cnn", "local-attention-gate", "abcnn1", "abcnn2"])
def test_others_that_read_in_parallel_are_exported_too(name: str, vectors: Path, tmp_path: Path) -> None:
    folder = make_checkpoint(name, vectors, tmp_path / "model")
    export(folder, tmp_path / "out", [])
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"checksums.json", "config.json", "vocabulary.txt", "onnx"}
    found = load_scorer(tmp_path / "out").score(LISTS)
    np.testing.assert_allclose(flat(found), flat(load_model(folder).score(LISTS)), atol=1e-5)


@pytest.mark.parametrize("name", ["qa-lstm", "ctrn"])
def test_a_recurrent_one_is_refused(name: str, vectors: Path, tmp_path: Path) -> None:
    """Traced, its loop has as many steps as the example has words: other lengths would fail, or be scored wrongly."""
    folder = make_checkpoint(name, vectors, tmp_path / "model")
    with pytest.raises(InputError, match=f"'{name}' cannot be exported"):
        export(folder, None, [])
    assert not (folder / "onnx").exists()


def test_no_torch_is_loaded(exported: Path) -> None:
    code = (
        "import sys; from anselm.ranking.ranker import Ranker;"
        f"found = Ranker.load({str(exported)!r}).rank('where is the honey', ['honey is sweet', 'wood']);"
        "print(len(found.results), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["2", "False"], done.stderr


def test_saved_and_loaded(exported: Path, tmp_path: Path) -> None:
    scorer = load_words(exported)
    scorer.save(tmp_path)
    np.testing.assert_array_equal(flat(load_scorer(tmp_path).score(LISTS)), flat(scorer.score(LISTS)))


def test_other_words_are_refused(exported: Path, tmp_path: Path) -> None:
    """Each would mean another one's vector, and no shape would tell."""
    load_words(exported).save(tmp_path)
    words = (exported / "vocabulary.txt").read_text().splitlines()
    (tmp_path / "vocabulary.txt").write_text("\n".join([*words[1:], words[0]]) + "\n")
    with pytest.raises(FormatError, match="not the words that the model was trained with"):
        load_scorer(tmp_path)


def test_a_model_of_whole_lists_is_refused(vectors: Path, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    settings = {"embedding": 12, "width": 12, "filters": 4, "vectors": str(vectors)}
    build_model("attentive-clustering", settings, LISTS).save(tmp_path)
    with pytest.raises(InputError, match="sees whole lists"):
        export(tmp_path, None, [])


def test_a_damaged_folder_is_named(exported: Path, tmp_path: Path) -> None:
    load_words(exported).save(tmp_path)
    (tmp_path / "vocabulary.txt").unlink()
    with pytest.raises(FormatError, match=r"vocabulary\.txt: the file with the words is missing"):
        load_words(tmp_path)
    record = json.loads((tmp_path / "config.json").read_text())
    record["config"]["max_length"] = "long"
    (tmp_path / "config.json").write_text(json.dumps(record))
    with pytest.raises(FormatError, match="'max_length' is 'long'"):
        load_words(tmp_path)
