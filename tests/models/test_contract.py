"""What must hold for every model that can be named: built small from the `TINY` of its file, or as it ships."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anselm.checkpoints.catalogue import DEFAULT, FAST, all_models, build_model, import_model, load_model
from anselm.checkpoints.checkpoint import PAIRS
from anselm.data.question import Candidate, Question
from anselm.encoding.lists import best_window, window_candidates
from anselm.errors import AnselmError, MissingExtraError
from anselm.ranking.scorers import load_scorer


def ask(text: str, *candidates: str, right: int = 0) -> Question:
    rows = (Candidate(str(i), candidate, float(i == right)) for i, candidate in enumerate(candidates))
    return Question(text, text, tuple(rows), {"title": "Bees"})


LONG = "the hive stands in the garden where the bees make sweet honey of nectar and of wood " * 3
LISTS = [
    ask("How do bees make honey?", "Bees make honey of nectar.", "The hive is made of wood.", LONG, "Nectar", right=3),
    ask("Where is the hive?", "The hive stands in the garden."),
    ask("What is this sweet wood", "honey is sweet", "the wood", "the", "what wood is the garden of", right=1),
]
EMPTY = Question("none", "what", ())
# Settings that make something else of a model.
MORE: dict[str, tuple[str, dict[str, Any]]] = {
    "cross-encoder, first": ("cross-encoder", {"pooling": "first"}),
    "cross-encoder, narrowing": ("cross-encoder", {"pooling": "first", "candidate_layers": 1}),
    "cross-encoder, title": ("cross-encoder", {"title": True}),
    "cross-encoder, neighbours": ("cross-encoder", {"neighbours": 1}),
    "cross-encoder, list": ("cross-encoder", {"list_layers": 2}),
}
HERE = [name for name, entry in all_models().items() if entry.ready or not entry.shipped]  # without what is fetched
CASES: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in HERE} | MORE
SHIPPED = [name for name, entry in all_models().items() if entry.ready]
UNTRAINED = {name: name for name in SHIPPED} | {"general": DEFAULT, "late-interaction": FAST}  # what there is of each
Make = Callable[[str], Any]
every = pytest.mark.parametrize("case", CASES)
trainable = pytest.mark.parametrize("case", [case for case, (name, _) in CASES.items() if name not in UNTRAINED])
shipped = pytest.mark.parametrize("name", SHIPPED)


@pytest.fixture(scope="module")
def fresh(request: pytest.FixtureRequest) -> Make:
    """A new model, untrained, or one that comes trained."""

    def make(case: str) -> Any:
        name, settings = CASES[case]
        if name in UNTRAINED:
            return load_scorer(UNTRAINED[name])
        torch = pytest.importorskip("torch")
        request.getfixturevalue("one_thread")
        try:
            module = import_model(name)
        except MissingExtraError as error:
            pytest.skip(str(error))
        torch.manual_seed(1)
        return build_model(name, {**module.TINY, **parts(request, module), **settings}, LISTS).eval()

    return make


def parts(request: pytest.FixtureRequest, module: Any) -> dict[str, str]:
    """An encoder and word vectors, where a model has them."""
    known = {field.name for field in fields(module.Config)}
    found = {}
    if "base" in known:
        found["base"] = str(request.getfixturevalue("tiny_encoder"))
    if "vectors" in known:
        found["vectors"] = str(request.getfixturevalue("vector_file")(module.TINY["embedding"]))
    return found


@pytest.fixture(scope="module")
def model(fresh: Make) -> Make:
    """One for all tests that do not change it."""
    return cache(fresh)


def assert_same(found: Any, expected: Any, case: str) -> None:
    """In int8 the last bit of a float is now and then a step of 255."""
    bound = 1e-3 if case in ("default", "general") else 1e-5
    np.testing.assert_allclose(np.hstack(found), np.hstack(expected), atol=bound, rtol=0)


def turned(question: Question) -> Question:
    return replace(question, candidates=question.candidates[::-1])


@every
def test_one_finite_score_per_candidate(case: str, model: Make) -> None:
    scores = model(case).score(LISTS)
    assert [len(row) for row in scores] == [4, 1, 4]
    assert np.isfinite(np.concatenate(scores)).all()
    assert min(np.ptp(scores[0]), np.ptp(scores[2])) > 1e-5  # and they tell candidates apart


@every
def test_lists_without_candidates_and_no_lists(case: str, model: Make) -> None:
    scorer = model(case)
    scores = scorer.score([EMPTY, LISTS[0], EMPTY, LISTS[1], EMPTY])
    assert [len(row) for row in scores] == [0, 4, 0, 1, 0]
    assert_same([scores[1], scores[3]], scorer.score(LISTS[:2]), case)
    assert [len(row) for row in scorer.score([EMPTY])] == [0]
    assert scorer.score([]) == []


@every
def test_empty_texts_have_a_score(case: str, model: Make) -> None:
    assert np.isfinite(np.concatenate(model(case).score([ask("", "", "the"), ask("who", "")]))).all()


@every
def test_a_list_alone_or_among_others_gets_the_same_scores(case: str, model: Make) -> None:
    scorer = model(case)
    together = scorer.score(LISTS)
    for question, expected in zip(LISTS, together, strict=True):
        assert_same(scorer.score([question])[0], expected, case)
    if "budget" in inspect.signature(scorer.score).parameters:  # how many tokens a batch has
        for small in (1, 100):
            assert_same(scorer.score(LISTS[::-1], budget=small), together[::-1], case)


@every
def test_what_says_that_it_scores_pairs_alone_does(case: str, model: Make) -> None:
    scorer, question = model(case), LISTS[0]
    if scorer.pairwise:
        alone = scorer.score([replace(question, candidates=(candidate,)) for candidate in question.candidates])
        assert_same(alone, scorer.score([question]), case)


@every
def test_the_order_of_candidates_matters_to_those_alone_that_say_so(case: str, model: Make) -> None:
    scorer = model(case)
    found, expected = scorer.score([turned(LISTS[0])])[0][::-1], scorer.score([LISTS[0]])[0]
    if getattr(scorer, "ordered", False):
        assert np.abs(found - expected).max() > 1e-4
    else:
        assert_same(found, expected, case)


@every
def test_equal_texts_get_equal_scores(case: str, model: Make) -> None:
    scorer = model(case)
    if not getattr(scorer, "ordered", False):
        scores = scorer.score([ask("where is the hive", "the garden", "wood", "the garden", "the garden")])[0]
        assert np.ptp(scores[[0, 2, 3]]) < 1e-6  # rows of a matrix product may be rounded apart


@every
def test_saved_and_loaded_it_scores_the_same(case: str, model: Make, tmp_path: Path) -> None:
    scorer = model(case)
    scorer.save(tmp_path)
    loaded: Any = load_scorer(tmp_path)
    assert loaded.name == scorer.name
    assert loaded.pairwise == scorer.pairwise
    assert not getattr(loaded, "training", False)
    assert getattr(loaded, "config", None) == getattr(scorer, "config", None)
    for expected, found in zip(scorer.score(LISTS), loaded.score(LISTS), strict=True):
        np.testing.assert_array_equal(found, expected)


def together(model: Any, questions: list[Question] = LISTS) -> Any:
    """A batch of all of them, as in training."""
    import torch

    lists = model.featurize(questions)
    return model.collate(model.place(lists, torch.device("cpu")), lists.pick(np.arange(len(lists))))


def widened(batch: Any, columns: int = 5) -> Any:
    """With more padding, whatever tokens it holds. The tables of a batch are `x` and `x_mask`, or all of one `mask`."""
    import torch

    names = [field.name for field in fields(batch)]
    masks = {name: name.replace("_mask", "s") for name in names if name.endswith("_mask")} or {"mask": "ids"}
    changed: dict[str, Any] = {}
    for mask, ids in masks.items():
        shown = torch.nn.functional.pad(getattr(batch, mask), (0, columns))
        changed |= {mask: shown, ids: torch.nn.functional.pad(getattr(batch, ids), (0, columns)).masked_fill(~shown, 3)}
    if "groups" in names:
        groups = tuple(replace(group, width=group.width + columns) for group in batch.groups)
        changed |= {"groups": groups, "types": torch.nn.functional.pad(batch.types, (0, columns))}
    return replace(batch, **changed)


@trainable
def test_padding_does_not_matter(case: str, model: Make) -> None:
    import torch

    scorer = model(case)
    batch = together(scorer)
    with torch.no_grad():
        assert_same(scorer(widened(batch)).numpy(), scorer(batch).numpy(), case)


@trainable
def test_one_step_of_training_changes_weights_and_breaks_none(case: str, fresh: Make) -> None:
    from anselm.train.hyperparameters import make_training
    from anselm.train.loop import Loop

    learner = fresh(case)
    before = {name: tensor.clone() for name, tensor in learner.state_dict().items()}
    steady = {"schedule": "constant", "warmup": 0.0, "log_steps": 1, "batch_lists": 9, "epochs": 1.0}
    progress = Loop(learner, LISTS, make_training({**learner.usual, **steady}), None).run()
    after = learner.state_dict()
    assert progress.steps == 1
    assert progress.loss is not None
    assert all(bool(tensor.isfinite().all()) for tensor in after.values())
    assert {name for name, tensor in after.items() if not tensor.equal(before[name])}
    assert not np.array_equal(learner.eval().score(LISTS)[0], fresh(case).score(LISTS)[0])


@trainable
def test_scoring_leaves_a_model_in_training_as_it_was(case: str, fresh: Make) -> None:
    learner = fresh(case).train()
    modes = [module.training for module in learner.modules()]
    np.testing.assert_array_equal(np.hstack(learner.score(LISTS)), np.hstack(learner.score(LISTS)))  # no dropout
    assert [module.training for module in learner.modules()] == modes


@trainable
def test_a_file_says_what_each_of_its_names_is(case: str) -> None:
    pytest.importorskip("torch")
    module: Any = import_model(CASES[case][0])
    assert module.VARIANTS.keys() == module.MODELS.keys()
    assert module.TINY.keys() <= {field.name for field in fields(module.Config)}


@shipped
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
        ({"config.json": '{"model": "bm25", "config": {"k2": 1}}'}, "unknown setting of the model 'bm25': 'k2'"),
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


@every
def test_representations_are_what_the_scores_are_read_off(case: str, model: Make) -> None:
    scorer = model(case)
    if not hasattr(scorer, "representations"):
        pytest.skip("it has none")
    found, weights = scorer.representations([EMPTY, *LISTS]), scorer.head.weight.detach().numpy()[0]
    assert [len(row) for row in found] == [0, 4, 1, 4]
    assert_same([row @ weights + scorer.head.bias.item() for row in found[1:]], scorer.score(LISTS), case)


@every
def test_what_can_be_exported_scores_a_pair_by_its_tokens_alone(case: str, model: Make) -> None:
    """A graph is made of `signals`, so a model of pairs must say that it has no runtime where its score is another."""
    scorer = model(case)
    if getattr(scorer, "exports_to", None) != PAIRS:
        pytest.skip("it is not exported as a model of pairs")
    torch = pytest.importorskip("torch")
    lists = scorer.featurize(LISTS)
    windowed, owner = window_candidates(lists, scorer.room(lists))
    batch = scorer.collate(scorer.place(windowed, torch.device("cpu")), windowed)
    with torch.no_grad():
        signals = scorer.signals(batch.ids, batch.mask, batch.types)[:, 0].numpy()
    assert_same([best_window(signals, owner, len(lists.labels))], scorer.score(LISTS), case)
