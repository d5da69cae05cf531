"""YahooQA: pairs by tabs become lists by question text."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.data.corpora.yahooqa import CORPORA, read_pairs
from anselm.data.question import Candidate, Question
from anselm.errors import CountError, FormatError, MissingDataError

[YAHOOQA] = CORPORA


def save(folder: Path, *lines: str) -> Path:
    path = folder / "test.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_lines_with_the_same_question_are_one_list(tmp_path: Path) -> None:
    path = save(tmp_path, "how to fly ?\tbuy a ticket\t0", "how to fly ?\tgrow wings\t1", "how to swim ?\tget wet\t1")
    assert list(read_pairs(path)) == [
        Question(
            "Q1", "how to fly ?", (Candidate("Q1-A1", "buy a ticket", 0.0), Candidate("Q1-A2", "grow wings", 1.0))
        ),
        Question("Q2", "how to swim ?", (Candidate("Q2-A1", "get wet", 1.0),)),
    ]


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "test.txt"
    path.write_bytes("\ufeffhow ?\tso\t1\r\nhow ?\tno\t0\r\n".encode())
    [question] = read_pairs(path)
    assert (question.text, [candidate.label for candidate in question.candidates]) == ("how ?", [1.0, 0.0])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a\tb", r"line 2: has 2 columns, not 3 \(question, answer, label\)"),
        ("a\tb\tc\t1", "line 2: has 4 columns, not 3"),
        ("a\tb\tyes", "line 2: the label is 'yes'; there is 0, 1"),
        ("a\t \t1", "line 2: the question or the answer is empty"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        list(read_pairs(save(tmp_path, "how ?\tso\t1", line)))


def test_a_question_that_comes_back_is_an_error(tmp_path: Path) -> None:
    path = save(tmp_path, "how ?\tso\t1", "why ?\tso\t1", "how ?\tno\t0")
    with pytest.raises(FormatError, match="line 3: the question of line 1 comes back"):
        list(read_pairs(path))


def test_the_published_counts_are_demanded(tmp_path: Path) -> None:
    (tmp_path / "yahooqa").mkdir()
    with pytest.raises(MissingDataError, match="vanzytay/YahooQA_Splits"):
        list(YAHOOQA.read("test", "raw", tmp_path))
    save(tmp_path / "yahooqa", "how ?\tso\t1")
    with pytest.raises(CountError, match="must have 6,283 questions, but 1 were found"):
        list(YAHOOQA.read("test", "raw", tmp_path))
