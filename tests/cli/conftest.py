"""Files that commands are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import FAQ


@pytest.fixture
def faq(tmp_path: Path) -> Path:
    path = tmp_path / "faq.txt"
    path.write_text(FAQ)
    return path


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    path = tmp_path / "lists.jsonl"
    rows = [
        {
            "id": f"q{i}",
            "question": f"oak {i}?",
            "candidates": [{"text": "elm", "label": 0}, {"text": "oak", "label": 1}],
        }
        for i in range(5)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Ten questions, the last four without an answer; the better the match, the likelier it is right."""
    path = tmp_path / "judged.jsonl"
    rows = [
        {
            "id": f"q{i}",
            "question": "oak elm fir",
            "candidates": [
                {"text": " ".join(["oak", "elm", "fir"][: 1 + i % 3]), "label": int(i < 6)},
                {"text": "ash", "label": 0},
            ],
        }
        for i in range(10)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
