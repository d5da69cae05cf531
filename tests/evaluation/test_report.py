"""Evaluating models and published runs on data sets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from anselm.data.datasets import Dataset
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.report import compare, evaluate
from anselm.ranking.ranker import Ranker
from anselm.scorer import Scores


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
    assert (whole.copies, worst.copies) == (None, 3)


def test_what_has_no_worst_copy_is_left_out() -> None:
    """Answer triggering and calibration error would count copies where the metrics count questions."""
    copies = tuple(make([1, 0], ["oak", "elm"], group="a", id=i) for i in range(2))
    whole = evaluate("bm25", Dataset("d", "test", "raw", copies))
    worst = evaluate("bm25", Dataset("d", "test", "worst-copy", copies, "group"))
    assert whole.triggering is not None
    assert whole.ece is not None
    assert worst.triggering is None
    assert worst.misjudged is None
    assert worst.ece is None


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
    assert report.triggering == {"threshold": 0.6, "share_answered": 0.5, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert report.ece == pytest.approx(3 / 4 * 0.5)
    assert report.misjudged == {
        "answerable": 1, "refused": 0, "unanswerable": 1, "answered_anyway": 0,
        "share_refused": 0.0, "share_answered_anyway": 0.0, "right_first": 1, "share_right_first": 1.0,
    }  # fmt: skip
    assert report.semeval is None
    assert not {"values", "trust"} & json.loads(json.dumps(report.to_dict())).keys()


def test_the_answer_is_the_candidate_with_the_best_score(tmp_path: Path) -> None:
    """Also where the calibration makes no difference between candidates; ties of scores stay pessimistic."""
    (tmp_path / "config.json").write_text('{"model": "overlap"}')
    (tmp_path / "calibration.json").write_text('{"slope": 0, "intercept": 0, "threshold": 0.5}')
    lists = (make([0, 1], ["elm", "oak"]), make([0, 1], ["oak", "oak"], id=1))
    report = evaluate(tmp_path, Dataset("d", "all", "raw", lists))
    assert report.triggering == {"threshold": 0.5, "share_answered": 1.0, "precision": 0.5, "recall": 0.5, "f1": 0.5}


def test_semeval_numbers_come_with_its_official_protocol(tmp_path: Path) -> None:
    """Whatever the corpus is called; decisions only where the model, or the file, makes some."""
    data = (make([1, 0], ["oak", "elm"]),)
    report = evaluate("bm25", Dataset("other", "test", "official", data))
    assert report.semeval is not None
    assert (report.semeval["map"], report.semeval["mrr"], report.semeval["f1"]) == (1.0, 100.0, 1.0)
    assert evaluate("bm25", Dataset("semeval-2016", "test", "clean", data)).semeval is None
    (tmp_path / "config.json").write_text('{"model": "bm25"}')
    plain = evaluate(tmp_path, Dataset("semeval-2016", "test", "official", data))
    assert plain.semeval == {"map": 1.0, "average_recall": 1.0, "mrr": 100.0}
    assert plain.triggering is None
    assert "misjudged" not in plain.to_dict()


def test_predictions_stand_in_for_a_run(tmp_path: Path) -> None:
    """By score the relevant one is second; it is the one that was called true."""
    path = tmp_path / "system.pred"
    path.write_text("q0\t0\t0\t0.1\ttrue\nq0\t1\t0\t0.9\tfalse\n")
    data = (make([1, 0], ["oak", "elm"]),)
    report = evaluate(path, Dataset("d", "test", "official", data), metrics=["mrr"])
    assert (report.model, report.metrics) == (str(path), {"mrr": 0.5})
    assert report.semeval is not None
    assert [report.semeval[name] for name in ("mrr", "precision", "recall", "f1", "accuracy")] == [50.0, 1, 1, 1, 1]
    assert evaluate(path, Dataset("d", "test", "raw", data)).semeval is None


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("q0\t0\t0\t1\ttrue\nq0\t0\t0\t2\ttrue\n", "candidate '0' of question 'q0' is there twice"),
        ("q0\t0\t0\tnan\ttrue\n", "the score of candidate '0' must be finite, not nan"),
        ("q0\t0\t0\t1\tmaybe\n", "line 1: the label is 'maybe'"),
        ("q0\t0\t0\t1\ttrue\n", "a.pred have no line for candidate '1' of question 'q0'"),
    ],
)
def test_predictions_that_do_not_fit_are_named(lines: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "a.pred").write_text(lines)
    with pytest.raises(InputError, match=problem):
        evaluate(tmp_path / "a.pred", Dataset("d", "all", "raw", (make([1, 0], ["oak", "elm"]),)))


def test_a_report_carries_the_name_that_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Dataset("d", "all", "raw", (make([1, 0], ["oak", "elm"]),))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.json").write_text('{"model": "bm25"}')
    (tmp_path / "bm25").write_text("a file that happens to have a model's name")
    monkeypatch.chdir(tmp_path)
    assert [evaluate(name, data).model for name in ("default", "bm25", "mine")] == ["default", "bm25", "mine"]


def test_the_random_baseline_of_semeval_earns_its_published_numbers(real_data: Path) -> None:
    """gold/subtask_A_baseline_random.txt.score"""
    folder = real_data / "semeval_cqa" / "2016" / "gold"
    report = evaluate(folder / "subtask_A_baseline_random.txt", "semeval-2016", "test", "official", data_dir=real_data)
    assert report.semeval is not None
    found = {name: round(value, 2 if name == "mrr" else 4) for name, value in report.semeval.items()}
    assert found == {
        "map": 0.5280, "average_recall": 0.6652, "mrr": 58.71,
        "precision": 0.4056, "recall": 0.7457, "f1": 0.5255, "accuracy": 0.4526,
    }  # fmt: skip


class Constant:
    """A scorer of somebody's own."""

    name, capacity, pairwise, language = "constant", None, True, None

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [np.zeros(len(question.candidates)) for question in questions]

    def save(self, folder: Path) -> None: ...


def test_rankers_and_scorers_are_evaluated_as_their_names_are() -> None:
    data = Dataset("d", "all", "raw", (make([1, 0], ["oak", "elm"]), make([0, 0], ["elm", "fir"])))
    named = evaluate("bm25", data)
    ranker = Ranker.load("bm25")
    assert named.triggering is not None
    assert evaluate(ranker, data).to_dict() == named.to_dict()
    scorer = evaluate(ranker.scorer, data)
    assert (scorer.model, scorer.metrics, scorer.ece) == ("bm25", named.metrics, None)
    assert evaluate(Ranker(ranker.scorer, name="mine"), data).to_dict() == scorer.to_dict() | {"model": "mine"}
    assert evaluate(Constant(), data, metrics=["mrr"]).metrics == {"mrr": 0.25}
    with pytest.raises(InputError, match="a name, a path, a Ranker or a scorer, not 7"):
        evaluate(7, data)  # type: ignore[arg-type]


def test_every_question_has_its_values() -> None:
    good, bad = make([1, 0], ["oak", "elm"], group="a", id=1), make([0, 1], ["oak", "elm"], group="a", id=2)
    whole = evaluate("bm25", Dataset("d", "test", "raw", (good, bad)), metrics=["mrr", "p@1"])
    worst = evaluate("bm25", Dataset("d", "test", "worst-copy", (good, bad), "group"), metrics=["mrr"])
    assert whole.measured == [{"id": "q1", "mrr": 1.0, "p@1": 1.0}, {"id": "q2", "mrr": 0.5, "p@1": 0.0}]
    assert worst.measured == worst.per_question == [{"id": "a", "mrr": 0.5}]


def test_every_question_has_what_came_first_and_the_verdict(tmp_path: Path) -> None:
    """After its id and its metrics. Of equal scores the metrics take the irrelevant first, and so is it here."""
    (tmp_path / "config.json").write_text('{"model": "overlap", "config": {"stopword_weight": 1, "stem": false}}')
    data = Dataset("d", "all", "raw", (make([0, 1], ["elm", "oak"]), make([1, 0], ["oak", "oak"], id=1)))
    rows = evaluate(tmp_path, data, metrics=["mrr"]).per_question
    assert list(rows[0]) == ["id", "mrr", "question", "any_relevant", "first_id", "first_text", "first_relevant"]
    assert rows[0] == {
        "id": "q0", "mrr": 1.0, "question": "oak?", "any_relevant": True, "first_id": "1", "first_text": "oak",
        "first_relevant": True,
    }  # fmt: skip
    assert (rows[1]["mrr"], rows[1]["first_id"], rows[1]["first_relevant"]) == (0.5, "1", False)
    assert evaluate(tmp_path, data, metrics=["mrr"], ties="source").per_question[1]["first_id"] == "0"
    (tmp_path / "calibration.json").write_text('{"slope": 1, "intercept": 0, "threshold": 0.7}')
    judged = evaluate(tmp_path, data, metrics=["mrr"]).per_question[0]
    assert list(judged)[-2:] == ["answerable", "answerability"]
    assert (judged["answerable"], judged["answerability"]) == (True, pytest.approx(1 / (1 + np.exp(-1))))


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
