"""CSV and TSV: grouping, quoting, and errors that name the line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from anselm.data.formats.delimited import read_csv, read_tsv, write_csv, write_tsv
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError


def test_rows_are_grouped_by_question_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text('Question,answer,label\nWho?,Ann,1\nWhy?,"So, ""because""\nof it",0\nWho?,Bob,0\n')
    assert list(read_csv(path)) == [
        Question("1", "Who?", (Candidate("0", "Ann", 1.0), Candidate("1", "Bob", 0.0))),
        Question("2", "Why?", (Candidate("0", 'So, "because"\nof it', 0.0),)),
    ]


@pytest.mark.parametrize(("write", "read", "name"), [(write_csv, read_csv, "p.csv"), (write_tsv, read_tsv, "p.tsv")])
def test_round_trip(write, read, name: str, tmp_path: Path) -> None:
    lists = [
        Question("q1", 'Tabs\tand "quotes", commas', (Candidate("a", "line\nbreak", 2.0), Candidate("b", "x"))),
        Question("q2", "Two questions", (Candidate("a", "é", 0.5),)),
        Question("q3", "Two questions", (Candidate("a", "same text, other id", 0.0),)),
    ]
    file = io.StringIO()
    assert write(lists, file) == 3
    (tmp_path / name).write_text(file.getvalue(), encoding="utf-8")
    assert list(read(tmp_path / name)) == lists


BAD = {
    "q,a\nx,y\n": "line 1: no column 'question' in the header (q, a)",
    "": "line 1: no column 'question' in the header (nothing)",
    "question,answer\nWho?,Ann,1\n": "line 2: 3 columns where the header has 2",
    "question,answer,label\nWho?,Ann,good\n": "line 2: the label of the answer must be a number, not 'good'",
    "question,answer\n ,Ann\n": "line 2: the question is empty",
    "question,answer\nWho?,\n": "line 2: the answer is empty",
    'question,answer\nWho?,"Ann\n': "line 2: not valid CSV",
    "question,answer,answer_id\nWho?,Ann,a\nWho?,Bob,a\n": "the id 'a'",
    "question,answer,question_id\nWho?,Ann,q\nWhy?,Bob,q\n": "line 3: the question_id 'q' has another question text",
}


@pytest.mark.parametrize(("content", "problem"), BAD.items())
def test_a_bad_row_is_named(content: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(content)
    with pytest.raises(FormatError) as caught:
        list(read_csv(path))
    assert str(path) in str(caught.value)
    assert problem in str(caught.value)


def test_answers_beyond_the_csv_modules_own_limit(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("question,answer\nWho?," + "x" * 200_000 + "\n")
    (question,) = read_csv(path)
    assert len(question.candidates[0].text) == 200_000
