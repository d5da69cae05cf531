"""CSV and TSV: grouping, quoting in one and none in the other, and errors that name the line."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.data.formats.delimited import read_csv, read_tsv, write_csv, write_tsv
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError

Reader = Callable[[Path], Iterator[Question]]


def test_rows_are_grouped_by_question_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text('Question,answer,label\nWho?,Ann,1\nWhy?,"So, ""because""\nof it",0\nWho?,Bob,0\n')
    assert list(read_csv(path)) == [
        Question("1", "Who?", (Candidate("0", "Ann", 1.0), Candidate("1", "Bob", 0.0))),
        Question("2", "Why?", (Candidate("0", 'So, "because"\nof it', 0.0),)),
    ]


LISTS = [
    Question("q1", 'Tabs\tand "quotes", commas', (Candidate("a", "line\nbreak", 2.0), Candidate("b", '"x'))),
    Question("q2", "Two questions", (Candidate("a", "é", 0.1234567),)),
    Question("q3", "Two questions", (Candidate("a", "same text, other id", 1234567.0),)),
]


def round_trip(lists: list[Question], write: Callable[..., int], read: Reader, folder: Path) -> list[Question]:
    file, path = io.StringIO(), folder / "pairs"
    assert write(lists, file) == len(lists)
    path.write_text(file.getvalue(), encoding="utf-8", newline="")
    return list(read(path))


def test_csv_holds_every_text(tmp_path: Path) -> None:
    assert round_trip(LISTS, write_csv, read_csv, tmp_path) == LISTS


def test_tsv_holds_quotation_marks_but_blanks_for_tabs_and_line_breaks(tmp_path: Path) -> None:
    first, *others = round_trip(LISTS, write_tsv, read_tsv, tmp_path)
    assert (first.text, [c.text for c in first.candidates]) == ('Tabs and "quotes", commas', ["line break", '"x'])
    assert others == LISTS[1:]


texts = st.text(st.sampled_from("a\"'\t\r\n,; \x0b\u2028"), min_size=1).filter(str.strip)
pairs = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), max_size=3)


@pytest.mark.parametrize(("write", "read"), [(write_csv, read_csv), (write_tsv, read_tsv)])
@given(values=pairs)
def test_a_round_trip_never_changes_the_rows(
    write: Callable[..., int], read: Reader, values: list[tuple[str, list[str]]], tmp_path_factory: Any
) -> None:
    lists = [
        Question(f"q{i}", text, tuple(Candidate(f"a{j}", answer, float(j)) for j, answer in enumerate(answers)))
        for i, (text, answers) in enumerate(values)
    ]
    back = round_trip(lists, write, read, tmp_path_factory.mktemp("rows"))
    assert [(q.id, [(c.id, c.label) for c in q.candidates]) for q in back] == [
        (q.id, [(c.id, c.label) for c in q.candidates]) for q in lists
    ]
    assert ["".join(q.text.split()) for q in back] == ["".join(q.text.split()) for q in lists]


def test_quotation_marks_in_tsv_are_text(tmp_path: Path) -> None:
    """A CSV reader would take the rows between two marks for one."""
    path = tmp_path / "pairs.tsv"
    path.write_text('question\tanswer\tlabel\nWho?\t"Ann\t1\nWho?\tBob\t0\n\nWho?\t"Cy" said so\t0\nWho?\tDi"\t0\n')
    [question] = read_tsv(path)
    assert [candidate.text for candidate in question.candidates] == ['"Ann', "Bob", '"Cy" said so', 'Di"']


@pytest.mark.parametrize("id", ["a\tb", "a\nb", "a\r"])
def test_an_id_that_tsv_cannot_hold_is_refused(id: str) -> None:
    for question in (Question(id, "?", (Candidate("a", "x"),)), Question("q", "?", (Candidate(id, "x"),))):
        with pytest.raises(FormatError, match="has a tab or line break in it"):
            write_tsv([question], io.StringIO())


def test_an_id_that_is_the_text_is_still_an_id(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("question_id,question,answer\nWho?,Who?,Ann\n2,Why?,Bob\n")
    assert [question.id for question in read_csv(path)] == ["Who?", "2"]


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
    "question,answer,question_id\nWho?,Ann,2\nWhy?,Bob,\n": "line 3: question_id is given in some rows and empty in",
    "question,answer,answer_id\nWho?,Ann,1\nWho?,Bob,\n": "line 3: answer_id is given in some rows and empty in",
    "question,answer,Answer \nWho?,Ann,Bob\n": "line 1: two columns are named 'answer' in the header (question, answer",
    "question,answer,label\nWho?,Ann," + "9" * 999 + "\n": "line 2: the label of the answer must be a finite number",
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
