"""Evaluating models and published runs on data sets."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from anselm.data.datasets import Dataset
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.report import compare, evaluate


def make(labels: list[float], texts: list[str], **meta: object) -> Question:
    candidates = tuple(
        Candidate(str(i), text, label) for i, (text, label) in enumerate(zip(texts, labels, strict=True))
    )
    return Question(f"q{meta.get('id', 0)}", "oak?", candidates, meta)


def test_the_worst_copy_stands_for_a_question() -> None:
    good, bad = make([1, 0], ["oak", "elm"], group="a", id=1), make([0, 1], ["oak", "elm"], group="a", id=2)
    other = make([1, 0], ["oak", "elm"], group="b", id=3)
    whole = evaluate("bm25", Dataset("d", "test", "raw", (good, bad, other)), metrics=["mrr"])
    worst = evaluate("bm25", Dataset("d", "test", "worst-copy", (good, bad, other), "group"), metrics=["mrr"])
    assert (whole.questions, whole.metrics["mrr"]) == (3, pytest.approx(2.5 / 3))
    assert (worst.questions, worst.metrics["mrr"]) == (2, pytest.approx(0.75))
    assert worst.pairs == 6


def test_a_constant_scorer_earns_the_worst_order(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("".join(f"q0 Q0 {i} 1 0.5 x\n" for i in range(4)))
    report = evaluate(
        tmp_path / "a.run", Dataset("d", "all", "raw", (make([1, 0, 0, 0], ["oak"] * 4),)), metrics=["mrr"]
    )
    assert report.metrics["mrr"] == 0.25


def test_a_calibrated_model_is_asked_how_far_it_can_be_trusted(tmp_path: Path) -> None:
    """Scores are 0 for no shared word; the calibration turns them into sigmoid(0) = 0.5 and shares near 1 into 1."""
    (tmp_path / "config.json").write_text('{"model": "overlap", "config": {"stopword_weight": 1, "stem": false}}')
    (tmp_path / "calibration.json").write_text('{"slope": 1000, "intercept": 0, "threshold": 0.6}')
    answered, empty = make([1, 0], ["oak", "elm"]), make([0, 0], ["fir", "elm"])
    report = evaluate(tmp_path, Dataset("d", "all", "raw", (answered, empty)))
    assert report.triggering == {"threshold": 0.6, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert report.ece == pytest.approx(3 / 4 * 0.5)
    assert report.semeval is None
    assert "values" not in json.dumps(report.to_dict())


def test_semeval_numbers_come_with_its_official_protocol() -> None:
    data = (make([1, 0], ["oak", "elm"]),)
    report = evaluate("bm25", Dataset("semeval-2016", "test", "official", data))
    assert report.semeval is not None
    assert (report.semeval["map"], report.semeval["mrr"]) == (1.0, 100.0)
    assert evaluate("bm25", Dataset("semeval-2016", "test", "clean", data)).semeval is None


def test_a_run_must_score_every_candidate(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q0 Q0 0 1 0.5 x\n")
    with pytest.raises(InputError, match=r"a\.run has no score for candidate '1' of question 'q0'"):
        evaluate(tmp_path / "a.run", Dataset("d", "all", "raw", (make([1, 0], ["oak", "elm"]),)))


def test_compare_is_paired() -> None:
    lists = tuple(make([1, 0], ["oak", "elm " * (i + 1)], id=i) for i in range(20))
    data = Dataset("d", "all", "raw", lists)
    rows = compare(evaluate("bm25", data), evaluate("jaccard", data))
    assert rows["map"].n == 20
    assert rows["map"].difference == 0.0
    np.testing.assert_array_equal(evaluate("bm25", data).values["map"], np.ones(20))


def test_the_published_wikiqa_run_earns_its_published_scores(real_data: Path) -> None:
    """The CNN row of the corpus's paper on its 237 questions, and the same run on the 243 of the other papers."""
    run = real_data / "wikiqa" / "emnlp-table" / "WikiQA.CNN.test.rank"
    theirs = evaluate(run, real_data / "wikiqa" / "WikiQA-test-filtered.ref")
    others = evaluate(run, real_data / "wikiqa" / "WikiQA-test.ref", protocol="clean")
    assert (theirs.questions, others.questions) == (237, 243)
    assert (round(theirs.metrics["map"], 4), round(theirs.metrics["mrr"], 4)) == (0.6190, 0.6281)
    assert (round(others.metrics["map"], 4), round(others.metrics["mrr"], 4)) == (0.6284, 0.6373)
