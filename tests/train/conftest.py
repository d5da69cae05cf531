"""The tests of this folder and the scripts that they start share `standin`; here are lists that can be learnt."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

WORDS = ("bees", "honey", "hive", "nectar", "garden", "wood")


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """The right answer repeats the word that is asked for."""
    path = tmp_path / "lists.jsonl"
    rows = [
        {
            "id": f"q{i}",
            "question": f"where is the {WORDS[i % 6]}",
            "candidates": [{"text": f"the {word} is sweet", "label": int(word == WORDS[i % 6])} for word in WORDS[:4]],
        }
        for i in range(40)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
