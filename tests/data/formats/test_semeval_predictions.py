"""SemEval's prediction format: read, and told apart from what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.data.formats.semeval_predictions import Prediction, read_predictions, read_relevancy
from anselm.errors import FormatError


def test_lines_of_the_official_format(tmp_path: Path) -> None:
    path = tmp_path / "a.pred"
    path.write_text("Q1_R1\tQ1_R1_C1\t0\t0.30000000000000004\ttrue\n\nQ1_R1\tQ1_R1_C2\t0\t5e-1\tfalse\n")
    assert list(read_predictions(path)) == [
        Prediction("Q1_R1", "Q1_R1_C1", 0, 0.1 + 0.2, True),
        Prediction("Q1_R1", "Q1_R1_C2", 0, 0.5, False),
    ]


def test_relevancy_by_question_and_candidate(tmp_path: Path) -> None:
    path = tmp_path / "a.relevancy"
    path.write_text("Q1\tQ1_R1\t1\t1\ttrue\r\nQ1\tQ1_R2\t2\t0.5\tfalse\r\n\r\nQ2\tQ2_R1\t1\t1\tfalse\r\n")
    assert read_relevancy(path) == {"Q1": {"Q1_R1": True, "Q1_R2": False}, "Q2": {"Q2_R1": False}}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("Q1\tC1\t0\t0.5", "has 4 columns, not 5"),
        ("Q1\tC1\t0\t0.5\tyes", "the label is 'yes'; there is true, false"),
        ("Q1\tC1\t0\thigh\ttrue", "rank '0' or score 'high' is not a number"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "a.pred"
    path.write_text(f"Q1\tC0\t0\t1\ttrue\n{line}\n")
    with pytest.raises(FormatError, match=f"line 2: {problem}"):
        list(read_predictions(path))


def test_the_official_random_baseline_is_read(real_data: Path) -> None:
    path = real_data / "semeval_cqa/2016/gold/subtask_A_baseline_random.txt"
    lines = list(read_predictions(path))
    assert len(lines) == 3_270
    assert lines[0] == Prediction("Q318_R6", "Q318_R6_C1", 0, 0.341656072212579, False)
