"""Runs against judgements: what trec_eval says of them, whatever either of the two lacks."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anselm.data.datasets import Dataset
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.report import Report, compare, evaluate
from anselm.evaluation.score_files import save_scores

with warnings.catch_warnings():  # its own imports warn on some versions
    warnings.simplefilter("ignore")
    import pytrec_eval

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

DEPTHS = (1, 2, 3, 5, 10, 100)
TREC_NAMES = {"map": "map_cut", "p": "P", "ndcg": "ndcg_cut", "recall": "recall", "success": "success"}
METRICS = ["map", "mrr", *(f"{name}@{k}" for name in (*TREC_NAMES, "mrr") for k in DEPTHS)]


def trec_eval(qrels: Qrels, run: Run, judged_only: bool = False) -> dict[str, dict[str, float]]:
    """By question, of those in both. RR@k is the reciprocal rank of a run that was cut at k in trec_eval's order."""
    measures = {"map", "recip_rank", *(f"{name}.{','.join(map(str, DEPTHS))}" for name in TREC_NAMES.values())}
    found = pytrec_eval.RelevanceEvaluator(qrels, measures, judged_docs_only_flag=judged_only).evaluate(run)
    if judged_only:
        run = {q: {d: score for d, score in row.items() if d in qrels.get(q, {})} for q, row in run.items()}
    cuts = {k: pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut(run, k)) for k in DEPTHS}
    return {
        question: {"map": row["map"], "mrr": row["recip_rank"]}
        | {f"{ours}@{k}": row[f"{theirs}_{k}"] for ours, theirs in TREC_NAMES.items() for k in DEPTHS}
        | {f"mrr@{k}": cuts[k].get(question, {"recip_rank": 0.0})["recip_rank"] for k in DEPTHS}
        for question, row in found.items()
    }


def cut(run: Run, k: int) -> Run:
    def first(row: dict[str, float]) -> dict[str, float]:
        return dict(sorted(row.items(), key=lambda item: (np.float32(item[1]), item[0]), reverse=True)[:k])

    return {question: first(row) for question, row in run.items() if row}


def ours(qrels: Qrels, run: Run, judged_only: bool = False) -> Report:
    """From files, as a user has them."""
    with TemporaryDirectory() as folder:
        judgements, ranking = Path(folder, "a.qrels"), Path(folder, "a.run")
        judgements.write_text("".join(f"{q} 0 {d} {label}\n" for q, row in qrels.items() for d, label in row.items()))
        ranking.write_text("".join(f"{q} Q0 {d} 1 {score!r} x\n" for q, row in run.items() for d, score in row.items()))
        return evaluate(ranking, judgements, metrics=METRICS, ties="trec", judged_only=judged_only)


def check(qrels: Qrels, run: Run, judged_only: bool) -> None:
    if not qrels.keys() & run.keys():
        with pytest.raises(InputError, match=r"has none of the \d questions .*; do its ids match the data's\?"):
            ours(qrels, run, judged_only)
        return
    report, theirs = ours(qrels, run, judged_only), trec_eval(qrels, run, judged_only)
    assert report.ids == list(qrels)
    for row in report.measured:
        expected = theirs.get(row.pop("id"), dict.fromkeys(METRICS, 0.0))
        assert row == pytest.approx(expected, abs=1e-9)
    for name in METRICS:  # as trec_eval -c: over all questions of the judgements
        assert report.metrics[name] == pytest.approx(sum(row[name] for row in theirs.values()) / len(qrels), abs=1e-9)


# Few distinct scores make ties the rule; the free ones add pairs that are equal only in single precision.
SCORES = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-1e3, 1e3), st.floats(0.5, 0.5 + 1e-7))
DOCUMENTS = st.sampled_from([f"d{d}" for d in range(14)])  # d10 is before d9, as strings
QUESTIONS = st.sampled_from([f"q{q}" for q in range(4)])


def judgements(lowest: int, highest: int) -> st.SearchStrategy[Qrels]:
    """trec_eval writes beyond its memory where the best grade of a question is below -1."""
    rows = st.dictionaries(DOCUMENTS, st.integers(lowest, highest), min_size=1)
    rows = rows.filter(lambda row: max(row.values()) >= -1)
    return st.dictionaries(QUESTIONS, rows, min_size=1)


RUNS = st.dictionaries(QUESTIONS, st.dictionaries(DOCUMENTS, SCORES, min_size=1), min_size=1)
WHOLE_RUNS = st.fixed_dictionaries({f"q{q}": st.dictionaries(DOCUMENTS, SCORES, min_size=10) for q in range(4)})


@settings(max_examples=200, deadline=None)
@given(judgements(-2, 3), st.one_of(RUNS, WHOLE_RUNS))
@example({"q0": {"d1": 1}}, {"q0": {"d0": 1.0, "d1": 0.5}})  # nothing but relevant candidates is judged
def test_any_run_earns_what_trec_eval_says(qrels: Qrels, run: Run) -> None:
    check(qrels, run, judged_only=False)


@settings(max_examples=100, deadline=None)
@given(judgements(1, 1), WHOLE_RUNS, st.integers(1, 10))
def test_judgements_of_the_relevant_alone(qrels: Qrels, run: Run, k: int) -> None:
    """As of BEIR and MS MARCO, with runs cut at k."""
    check(qrels, cut(run, k), judged_only=False)


@settings(max_examples=100, deadline=None)
@given(judgements(0, 3), st.one_of(RUNS, WHOLE_RUNS))
def test_judged_only_is_trec_eval_j(qrels: Qrels, run: Run) -> None:
    """Grades below 0 are judgements for us, where trec_eval -J takes -1 and -2 for none."""
    check(qrels, run, judged_only=True)


def test_by_hand() -> None:
    """q1: relevant at ranks 2 and 4 of 4, a third one not found; q2 is not in the run, and q3 not judged."""
    qrels = {"q1": {"b": 1, "d": 1, "z": 1}, "q2": {"a": 1}}
    run = {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "q3": {"a": 1.0}}
    report = ours(qrels, run)
    q1, q2 = report.measured
    assert (q1["id"], q2["id"]) == ("q1", "q2")
    assert (q1["map"], q1["map@3"]) == (pytest.approx((1 / 2 + 2 / 4) / 3), pytest.approx(1 / 2 / 3))
    assert (q1["mrr"], q1["mrr@1"], q1["p@1"], q1["p@10"]) == (0.5, 0.0, 0.0, 0.2)
    assert q1["recall@10"] == pytest.approx(2 / 3)
    gained, best = 1 / np.log2(3) + 1 / np.log2(5), 1 + 1 / np.log2(3) + 1 / 2
    assert q1["ndcg@10"] == pytest.approx(gained / best)
    assert {value for name, value in q2.items() if name != "id"} == {0.0}
    assert (report.questions, report.metrics["mrr"]) == (2, 0.25)
    assert report.to_dict()["coverage"] == {
        "questions_missing": 1, "candidates": 4, "unjudged": 2, "relevant_missing": 2,
    }  # fmt: skip
    assert json.dumps(report.per_question)
    judged = ours(qrels, run, judged_only=True)
    assert judged.per_question[0]["map"] == pytest.approx((1 + 1) / 3)
    assert (judged.judged_only, judged.coverage) == (True, report.coverage)


def test_judged_only_leaves_nothing_to_rank_where_the_relevant_alone_are_judged() -> None:
    qrels, found = {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0}}
    assert not ours(qrels, found).trivial  # a perfect run has made no mistake where it could have
    assert ours(qrels, found | {"q": {"x": 2.0, "a": 1.0}}, judged_only=True).trivial
    assert not ours({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 0.0}}, judged_only=True).trivial


LISTS = Dataset(
    "d", "test", "official",
    tuple(Question(q, "oak?", tuple(Candidate(c, "oak", float(c == "b")) for c in "abc")) for q in ("q0", "q1")),
)  # fmt: skip


def test_a_run_over_whole_lists_may_be_cut(tmp_path: Path) -> None:
    """The official scorer wants every candidate, so its numbers are there for a whole run only."""
    path = tmp_path / "a.run"
    lines = [f"{q} Q0 {c} 1 {score} x\n" for q in ("q0", "q1") for c, score in (("a", 3), ("b", 2), ("c", 1))]
    path.write_text("".join(lines))
    whole = evaluate(path, LISTS, metrics=["map", "recall@1"])
    assert whole.semeval is not None
    assert whole.semeval["map"] == whole.metrics["map"] == 0.5
    path.write_text("".join(lines[:4]))
    short = evaluate(path, LISTS, metrics=["map", "recall@1"])
    assert (short.semeval, short.metrics["map"], short.pairs) == (None, 0.25, 6)
    path.write_text("".join(lines[:3]) + "q1 Q0 x 1 9 x\n" + "".join(lines[4:]))  # as many as there are, not the same
    assert evaluate(path, LISTS, metrics=["map"]).semeval is None


def test_a_run_is_saved_as_it_was_and_its_ties_are_in_its_own_order(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q1 Q0 x 1 2 t\nq1 Q0 b 2 2 t\nq1 Q0 a 3 2 t\n")
    report = evaluate(tmp_path / "a.run", LISTS, metrics=["mrr"], ties="source")
    assert [row["mrr"] for row in report.per_question] == [0.0, 0.5]
    save_scores(report, tmp_path / "b.run")
    lines = [line.split()[:5] for line in (tmp_path / "b.run").read_text().splitlines()]
    assert lines == [["q1", "Q0", id, str(rank), "2.0"] for rank, id in enumerate("xba", start=1)]


def test_unlabelled_candidates_of_a_list_are_not_relevant_or_left_out() -> None:
    texts = {"a": ("oak oak", None), "b": ("elm", 0.0), "c": ("oak", 1.0)}
    candidates = tuple(Candidate(id, text, label) for id, (text, label) in texts.items())
    data = Dataset("d", "all", "raw", (Question("q", "oak?", candidates),))
    assert evaluate("overlap", data, metrics=["mrr"]).metrics == {"mrr": 0.5}  # a tie, which is taken pessimistically
    judged = evaluate("overlap", data, metrics=["mrr"], judged_only=True)
    assert judged.metrics == {"mrr": 1.0}
    assert judged.trust is not None
    assert judged.trust.reliability.counts.sum() == 2


def test_runs_are_compared_on_all_questions(tmp_path: Path) -> None:
    """Also on those that one of them lacks; and never on different ones."""
    (tmp_path / "a.run").write_text("".join(f"q{i} Q0 b 1 1 x\n" for i in range(2)))
    (tmp_path / "b.run").write_text("q0 Q0 b 1 1 x\n")
    a, b = (evaluate(tmp_path / name, LISTS, metrics=["map"]) for name in ("a.run", "b.run"))
    row = compare(a, b)["map"]
    assert (row.mean_a, row.mean_b, row.n) == (1.0, 0.5, 2)
    other = evaluate(tmp_path / "b.run", Dataset("d", "test", "raw", LISTS.questions[:1]), metrics=["map"])
    with pytest.raises(InputError, match="measured on different questions"):
        compare(a, other)
