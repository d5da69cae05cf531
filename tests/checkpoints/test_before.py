"""Checkpoints of earlier versions, kept as files, load and score as they did."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from anselm.checkpoints.checkpoint import Checkpoint, name_runtime, write_config
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError
from anselm.ranking.scorers import load_calibration, load_scorer

BEFORE = Path(__file__).parent / "before"  # written by 0.1.0 as it was on 2026-11-16
LISTS = [
    Question(
        "q1", "where is the hive", (Candidate("a", "the hive is in the garden"), Candidate("b", "honey is sweet"))
    ),
    Question(
        "q2",
        "how do bees make honey",
        (
            Candidate("a", "bees make honey from nectar"),
            Candidate("b", "the wood is in the garden"),
            Candidate("c", ""),
        ),
    ),
]


@pytest.mark.parametrize("name", ["lexical", "words", "pairs"])
def test_it_scores_as_it_did(name: str) -> None:
    if name != "lexical":
        pytest.importorskip("torch")
    expected = json.loads((BEFORE / "scores.json").read_text())[name]
    for found, row in zip(load_scorer(BEFORE / name).score(LISTS), expected, strict=True):
        np.testing.assert_allclose(found, row, atol=1e-6)
    assert load_calibration(BEFORE / name) is not None


def test_what_runs_it_is_said_by_its_configuration(tmp_path: Path) -> None:
    """An export that does not say so yet is known by its files."""
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"")
    write_config(tmp_path, "cross-encoder", {"title": False}, terms="mine")
    assert Checkpoint.read(tmp_path).runtime == "pairs"
    (tmp_path / "vocabulary.txt").write_text("left over")
    assert Checkpoint.read(tmp_path).runtime == "words"
    name_runtime(tmp_path, "pairs")
    found = Checkpoint.read(tmp_path)
    assert (found.runtime, found.terms, found.config) == ("pairs", "mine", {"title": False})
    name_runtime(tmp_path, "abacus")
    with pytest.raises(FormatError, match=r"'abacus', and there is pairs, words, blended, cascade"):
        _ = Checkpoint.read(tmp_path).runtime
