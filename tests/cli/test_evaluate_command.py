"""anselm evaluate and compare."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import anselm, as_json


def test_a_run_out_is_a_run_in(lists: Path, tmp_path: Path) -> None:
    as_json("rank", "--input", lists, "--output", tmp_path / "out.run", "--model", "bm25")
    assert (tmp_path / "out.run").read_text().split()[:4] == ["q0", "Q0", "1", "1"]
    report = as_json("evaluate", tmp_path / "out.run", "--data", lists)
    assert report["metrics"] == as_json("evaluate", "bm25", "--data", lists)["metrics"]


def test_evaluate_and_compare(lists: Path) -> None:
    report = as_json("evaluate", "bm25", "--data", lists, "--metrics", "map,mrr,p@1")
    assert report["metrics"] == {"map": 1.0, "mrr": 1.0, "p@1": 1.0}
    assert (report["model"], report["questions"], report["pairs"], report["protocol"]) == ("bm25", 5, 10, "raw")
    assert "protocol raw" in anselm("evaluate", "bm25", "--data", lists).stdout.decode()
    compared = as_json("compare", "bm25", "tfidf", "--data", lists)
    assert compared["models"] == ["bm25", "tfidf"]
    assert compared["comparisons"]["map"]["difference"] == 0.0
    assert "paired randomisation test" in anselm("compare", "bm25", "tfidf", "--data", lists).stdout.decode()


def test_a_model_is_shown_as_it_was_named(lists: Path, tmp_path: Path) -> None:
    as_json("train", "--base", "bm25", "--data", lists, "--out", tmp_path / "mine")
    assert as_json("compare", "bm25", tmp_path / "mine", "--data", lists)["models"] == ["bm25", str(tmp_path / "mine")]
    assert as_json("rank", "oak?", "-c", "-", "-m", tmp_path / "mine", stdin=b"oak\n")["model"] == str(
        tmp_path / "mine"
    )
    assert as_json("rank", "oak?", "-c", "-", stdin=b"oak\n")["model"] == "default"


def test_evaluate_a_published_run(tmp_path: Path) -> None:
    """AP of q1 is 1/2 and of q2 is 1; q3 has no answer and counts in raw only."""
    (tmp_path / "a.qrels").write_text("q1 0 a 0\nq1 0 b 1\nq2 0 a 1\nq2 0 b 0\nq3 0 a 0\n")
    (tmp_path / "a.run").write_text(
        "q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\nq2 Q0 a 1 2.0 x\nq2 Q0 b 2 1.0 x\nq3 Q0 a 1 1 x\n"
    )
    clean = as_json("evaluate", tmp_path / "a.run", "--data", tmp_path / "a.qrels", "--protocol", "clean")
    raw = as_json("evaluate", tmp_path / "a.run", "--data", tmp_path / "a.qrels")
    assert (clean["metrics"]["map"], clean["questions"]) == (0.75, 2)
    assert (raw["metrics"]["map"], raw["questions"]) == (0.5, 3)


def test_a_run_against_judgements_of_the_relevant_alone(tmp_path: Path) -> None:
    """As BEIR's and MS MARCO's: what nobody judged is not relevant, unless it is to be left out."""
    qrels, a, b = (tmp_path / name for name in ("qrels.dev.tsv", "a.run", "b.run"))
    qrels.write_text("q1\t0\tb\t1\nq2\t0\tz\t1\nq3\t0\ta\t1\n")
    a.write_text("q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\nq1 Q0 c 3 1 x\nq2 Q0 a 1 1 x\n")
    b.write_text("q1 Q0 b 1 2 x\nq9 Q0 a 1 1 x\n")
    found = as_json("evaluate", a, "--data", qrels, "--metrics", "map,mrr@1", "--per-question")
    assert found["metrics"] == {"map": pytest.approx(0.5 / 3), "mrr@1": 0.0}
    assert found["coverage"] == {"questions_missing": 1, "candidates": 4, "unjudged": 3, "relevant_missing": 2}
    assert found["per_question"][0] == {
        "id": "q1", "map": 0.5, "mrr@1": 0.0, "any_relevant": True, "first_id": "a", "first_relevant": False,
    }  # fmt: skip
    assert found["per_question"][1] == {
        "id": "q2",
        "map": 0.0,
        "mrr@1": 0.0,
        "any_relevant": False,
        "first_id": "a",
        "first_relevant": False,
    }
    assert [row["id"] for row in found["per_question"]] == ["q1", "q2", "q3"]
    assert "per_question" not in as_json("evaluate", a, "--data", qrels)
    judged = as_json("evaluate", a, "--data", qrels, "--metrics", "map", "--judged-only")
    assert (judged["judged_only"], judged["metrics"]) == (True, {"map": pytest.approx(1 / 3)})
    told = anselm("evaluate", a, "--data", qrels, "--per-question")
    shown = " ".join(told.stdout.decode().split())
    assert "1 of 3 questions (they count as 0), 2 relevant candidates (not found); not judged: 3 of its 4" in shown
    rows = [line.split("\t") for line in told.stdout.decode().splitlines()[-4:]]
    metrics = ["map", "mrr", "p@1", "p@5", "ndcg@10", "recall@5"]
    assert rows[0] == ["id", "question", "first is", "verdict", "first id", "first", *metrics]
    assert [row[:6] for row in rows[1:]] == [
        ["q1", "", "wrong", "", "a", ""], ["q2", "", "none right", "", "a", ""], ["q3", "", "missing", "", "", ""],
    ]  # fmt: skip
    assert rows[3][6:] == ["0.0000"] * 6
    assert told.stderr == b""
    compared = as_json("compare", a, b, "--data", qrels, "--metrics", "map")
    assert compared["comparisons"]["map"]["n"] == compared["questions"] == 3
    assert compared["comparisons"]["map"]["difference"] == pytest.approx(-0.5 / 3)
    assert [row["questions_missing"] for row in compared["coverage"]] == [1, 2]
    b.write_text("9 Q0 a 1 1 x\n")
    wrong = anselm("evaluate", b, "--data", qrels)
    assert (wrong.returncode, wrong.stderr.count(b"\n")) == (2, 1)
    assert b"has none of the 3 questions" in wrong.stderr


def test_lists_that_any_order_is_right_for_are_told(tmp_path: Path, lists: Path) -> None:
    path = tmp_path / "relevant.csv"
    path.write_text("question,answer,label\noak?,elm,1\noak?,oak,1\n")
    assert b"every candidate that is ranked" in anselm("evaluate", "bm25", "--data", path).stderr
    assert anselm("evaluate", "bm25", "--data", lists).stderr == b""


def test_what_was_refused_and_what_was_answered_without_an_answer(judged: Path, tmp_path: Path) -> None:
    """In the words and with the counts of docs/verdict.md; of lists with answers alone one of the two is not there."""
    told = anselm("evaluate", "bm25", "--data", judged)
    assert b"note: 4 of 10 questions have no relevant candidate and count 0; --protocol clean leaves" in told.stderr
    counted = as_json("evaluate", "bm25", "--data", judged)["misjudged"]
    assert (counted["answerable"], counted["unanswerable"]) == (6, 4)
    shown = told.stdout.decode()
    assert "refused, though answerable   answered, though not" in shown
    assert f"{counted['refused']} of 6 ({counted['share_refused']:.0%})" in shown
    assert f"{counted['answered_anyway']} of 4 ({counted['share_answered_anyway']:.0%})" in shown
    assert "6 of 10 questions have an answer; the other 4 count 0 in the metrics above" in shown
    first = shown[shown.index("right first") :].splitlines()[2]  # below the line under the names
    assert first.startswith(f"{counted['right_first']} of 6 ({counted['share_right_first']:.0%}) ")
    assert as_json("evaluate", "bm25", "--data", judged, "--metrics", "p@1")["metrics"]["p@1"] == pytest.approx(
        counted["right_first"] / 10
    )
    assert "share answered" in shown
    clean = anselm("evaluate", "bm25", "--data", judged, "--protocol", "clean").stdout.decode()
    assert ("refused, though answerable" in clean, "answered, though not" in clean) == (True, False)
    assert "count 0" not in clean
    as_json("rank", "--input", judged, "--output", tmp_path / "a.run", "--model", "bm25")
    assert "misjudged" not in as_json("evaluate", tmp_path / "a.run", "--data", judged)


def test_each_question_is_shown_with_what_came_first(judged: Path) -> None:
    """A row for each, with tabs; in it what --json has."""
    lines = anselm("evaluate", "bm25", "--data", judged, "--per-question", "--metrics", "map,p@1").stdout.decode()
    row = as_json("evaluate", "bm25", "--data", judged, "--per-question")["per_question"][2]
    assert (row["question"], row["first_text"], row["first_relevant"]) == ("oak elm fir", "oak elm fir", True)
    said = f"{'answered' if row['answerable'] else 'refused'} {row['answerability']:.0%}"
    assert "\t".join(["q2", "oak elm fir", "right", said, "0", "oak elm fir", "1.0000", "1.0000"]) in lines.splitlines()
    outcomes = [line.split("\t")[2] for line in lines.splitlines()[-10:]]
    assert outcomes == ["right"] * 6 + ["none right"] * 4


def test_columns_of_a_log_are_named_beside_a_faq(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("what,which\nwhen open,when do you OPEN\nbikes,\n")
    (tmp_path / "faq.csv").write_text("question,reply text\nWhen do you open?,At nine.\nIs it free?,Yes.\n")
    given = ("--data", tmp_path / "log.csv", "--faq", tmp_path / "faq.csv")
    named = ("--columns", "asked=what,right=which,answer=reply text")
    assert as_json("evaluate", "bm25", *given, *named)["misjudged"]["answerable"] == 1
    assert as_json("compare", "bm25", "tfidf", *given, *named)["questions"] == 2
    assert as_json("calibrate", "bm25", *given, *named, "--out", tmp_path / "mine")["questions"] == 2
    for wrong, problem in (("right=what,asked=what", b"cannot be both"), ("left=x", b"asked=NAME,right=NAME, or some")):
        done = anselm("evaluate", "bm25", *given, "--columns", wrong)
        assert (done.returncode, problem in done.stderr) == (2, True)


def test_evaluate_draws_a_picture(judged: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    report = as_json("evaluate", "bm25", "--data", judged, "--plot", tmp_path / "picture.png")
    assert report == as_json("evaluate", "bm25", "--data", judged)
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
