"""TREC qrels and runs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from anselm.data.formats.trec import read_qrels, read_run, write_qrels, write_run
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError


def test_qrels_round_trip(tmp_path: Path) -> None:
    lists = [Question("q1", "", (Candidate("d1", "", 2.0), Candidate("d2", "", 0.0)))]
    file = io.StringIO()
    assert write_qrels(lists, file) == 1
    assert file.getvalue() == "q1 0 d1 2\nq1 0 d2 0\n"
    (tmp_path / "a.qrels").write_text(file.getvalue() + "\n")
    assert list(read_qrels(tmp_path / "a.qrels")) == lists


def test_run_round_trip_keeps_every_digit(tmp_path: Path) -> None:
    file = io.StringIO()
    write_run([("q1", [("d2", 0.1 + 0.2), ("d1", -1.0)])], file, tag="bm25")
    assert file.getvalue().splitlines()[1] == "q1 Q0 d1 2 -1.0 bm25"
    (tmp_path / "run").write_text(file.getvalue())
    assert read_run(tmp_path / "run") == {"q1": {"d2": 0.1 + 0.2, "d1": -1.0}}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("q 0 d", "line 1: 3 columns where 4 are needed (question, iteration, candidate, label)"),
        ("q 0 d good", "must be a number, not 'good'"),
        ("q 0 d 1\nq 0 d 0", "line 2: candidate 'd' of question 'q' is judged twice"),
    ],
)
def test_bad_qrels(line: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(line)
    with pytest.raises(FormatError) as caught:
        list(read_qrels(tmp_path / "a.qrels"))
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("q Q0 d 1 0.5", "5 columns where 6 are needed"),
        ("q Q0 d 1 high t", "must be a number, not 'high'"),
        ("q Q0 d 1 nan t", "finite"),
        ("q Q0 d 1 1 t\nq Q0 d 2 0 t", "line 2: candidate 'd' of question 'q' is ranked twice"),
    ],
)
def test_bad_runs(line: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "run").write_text(line)
    with pytest.raises(FormatError) as caught:
        read_run(tmp_path / "run")
    assert problem in str(caught.value)


def test_what_the_format_cannot_hold_is_turned_away() -> None:
    with pytest.raises(FormatError, match="white space"):
        write_run([("q 1", [("d", 1.0)])], io.StringIO())
    with pytest.raises(FormatError, match=r"whole-number labels, but candidate 'd' has 0\.5"):
        write_qrels([Question("q", "", (Candidate("d", "", 0.5),))], io.StringIO())
    with pytest.raises(FormatError, match="no candidate has a label"):
        write_qrels([Question("q", "", (Candidate("d", ""),))], io.StringIO())


def test_qrels_as_beir_has_them(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\nq2\ta\t2\n")
    found = {
        question.id: dict(zip("ab", question.labels, strict=False)) for question in read_qrels(tmp_path / "a.qrels")
    }
    assert found == {"q1": {"a": 1.0, "b": 0.0}, "q2": {"a": 2.0}}
    (tmp_path / "a.qrels").write_text("query-id\tcorpus-id\tscore\nq1\t0\ta\t1\n")
    with pytest.raises(FormatError, match="line 2: 4 columns where 3 are needed"):
        list(read_qrels(tmp_path / "a.qrels"))
