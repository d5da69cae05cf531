"""The candidates of one question: plain lines or JSONL, with the ids that were given and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.data.formats.lines import read_candidates
from anselm.data.question import Candidate
from anselm.errors import FormatError


def read(folder: Path, text: str) -> list[str | Candidate]:
    path = folder / "candidates"
    path.write_text(text, encoding="utf-8")
    return read_candidates(path)


def test_plain_lines_are_strings(tmp_path: Path) -> None:
    assert read(tmp_path, 'Ann\n"Bob"\n\n\n') == ["Ann", '"Bob"']


def test_no_id_is_made_up(tmp_path: Path) -> None:
    lines = ('{"text": "Ann"}', '{"id": "b", "text": "Bob", "label": 1}', '{"id": "", "text": "Cy"}', '"Di"')
    assert read(tmp_path, "\n".join((*lines, '{"id": 7, "text": "Ed"}'))) == [
        "Ann",
        Candidate("b", "Bob", 1.0),
        "Cy",
        "Di",
        Candidate("7", "Ed"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "there are no candidates"),
        ("Ann\n\nBob\n", "line 2: the candidate is empty"),
        ('{"text": "Ann"}\nBob\n', "line 2: not valid JSON"),
        ('{"text": "Ann"}\n{"id": "b"}\n', 'line 2: candidate 1 must be a string or an object with a "text"'),
        ('{"id": "a", "text": "Ann"}\n{"id": "a", "text": "Bob"}\n', "two candidates have the id 'a'"),
        (r'{"text": "Ann \ud800"}', "line 1: not valid JSON: .*half a character"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, text)
