"""What must hold for every model that ships with the package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from anselm.checkpoints.catalogue import all_models, find_checkpoint, load_model
from anselm.data.question import Candidate, Question
from anselm.errors import AnselmError
from anselm.ranking.scorers import load_scorer

LISTS = [
    Question("q1", "How do bees make honey?", tuple(Candidate(str(i), text) for i, text in enumerate([
        "Bees make honey from nectar.", "The hive is made of wood.", "Honey bees dance.", "Nectar is sweet.",
    ]))),
    Question("q2", "Where is the hive?", (Candidate("0", "The hive stands in the garden."),)),
    Question("q3", "What is this", tuple(Candidate(str(i), "the same text") for i in range(3))),
]  # fmt: skip

SHIPPED = [name for name in all_models() if find_checkpoint(name)]
models = pytest.mark.parametrize("name", SHIPPED)


def bound(name: str) -> float:
    """How far two scores of one pair may be apart: in int8 the last bit of a float is now and then a step of 255."""
    return 1e-3 if name == "default" else 0.0


@models
def test_one_finite_score_per_candidate(name: str) -> None:
    scores = load_scorer(name).score(LISTS)
    assert [len(row) for row in scores] == [4, 1, 3]
    assert all(np.isfinite(row).all() for row in scores)


@models
def test_a_list_alone_or_among_others_gets_the_same_scores(name: str) -> None:
    model = load_scorer(name)
    together = model.score(LISTS)
    for question, expected in zip(LISTS, together, strict=True):
        np.testing.assert_allclose(model.score([question])[0], expected, atol=bound(name), rtol=0)


@models
def test_the_order_of_candidates_does_not_matter(name: str) -> None:
    model = load_scorer(name)
    turned = Question("q1", LISTS[0].text, LISTS[0].candidates[::-1])
    found = model.score([turned])[0][::-1]
    np.testing.assert_allclose(found, model.score([LISTS[0]])[0], rtol=1e-12, atol=bound(name))


@models
def test_equal_texts_get_equal_scores(name: str) -> None:
    assert len(set(load_scorer(name).score([LISTS[2]])[0].tolist())) == 1


@models
def test_saved_and_loaded_it_scores_the_same(name: str, tmp_path: Path) -> None:
    model = load_scorer(name)
    model.save(tmp_path)
    for expected, found in zip(model.score(LISTS), load_scorer(tmp_path).score(LISTS), strict=True):
        np.testing.assert_array_equal(found, expected)


@models
def test_scores_are_the_same_in_every_process(name: str) -> None:
    """Down to the last bit, also where Python's hashes differ: ties are ties everywhere."""
    code = (
        "from anselm.ranking.scorers import load_scorer; from anselm.data.question import Candidate, Question;"
        "words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa'.split();"
        "texts = [' '.join(words[i:] + words[: i % 3]) for i in range(10)];"
        "question = Question('q', ' '.join(words), tuple(Candidate(str(i), t) for i, t in enumerate(texts)));"
        f"print(load_scorer({name!r}).score([question])[0].tolist())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(runs) == 1
    assert runs != {b""}


def test_fitted_statistics_are_saved_too(tmp_path: Path) -> None:
    from anselm.models.lexical import Lexical

    model = Lexical("bm25").fit([candidate.text for question in LISTS for candidate in question.candidates])
    model.save(tmp_path)
    np.testing.assert_array_equal(load_model(tmp_path).score(LISTS)[0], model.score(LISTS)[0])
    assert not np.allclose(model.score(LISTS)[0], Lexical("bm25").score(LISTS)[0])


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "is not a checkpoint: there is no config.json"),
        ({"config.json": "{"}, "config.json, line 1: not whole JSON"),
        ({"config.json": "[]"}, 'an object with a "model" is needed'),
        ({"config.json": '{"model": "bm52"}'}, "unknown model"),
        ({"config.json": '{"model": "bm25", "config": {"k2": 1}}'}, "does not fit the model 'bm25'"),
        ({"config.json": '{"model": "bm25"}', "statistics.json": "{}"}, "not word statistics"),
    ],
)
def test_a_broken_checkpoint_is_named(files: dict[str, str], problem: str, tmp_path: Path) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(AnselmError) as caught:
        load_model(tmp_path)
    assert problem in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(AnselmError, match=r"unknown model 'bm52'; there is .*Did you mean 'bm25'\?"):
        load_model("bm52")
