"""Where a row gains: thirds of questions, by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anselm.cli.recorded_results import show_gains
from anselm.data.datasets import Dataset
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.experiments.gains import NoisyWords, gains_of, thirds
from anselm.experiments.results import Result, summary, write_result

LENGTHS = (1, 2, 3, 4, 5, 6)
QUESTIONS = [
    Question(f"q{n}", " ".join(["cave"] * n), (Candidate("a", "cold ice"), Candidate("b", "ice"))) for n in LENGTHS
]
OURS, THEIRS = (0.5, 0.5, 0.6, 0.8, 1.0, 1.0), (0.5, 0.5, 0.5, 0.5, 0.4, 0.2)


def result(row: str, values: tuple[float, ...], against: str = "") -> Result:
    return Result(
        paper="p", table="table-1", row=row, corpus="wikiqa", protocol="clean", split="test", model="tree", seeds=[1],
        metrics={"map": summary([0.5])}, published={}, parameters=1, device="CPU", seconds=1.0, data_sha256="",
        commit="", against=against, values=list(values),
    )  # fmt: skip


def test_the_gain_of_each_third() -> None:
    ours, theirs = result("ours", OURS, "theirs"), result("theirs", THEIRS)
    found = list(gains_of(ours, [ours, theirs], QUESTIONS))
    asked = [one for one in found if one.trait == "words of the question"]
    assert [(one.least, one.most, one.questions) for one in asked] == [(1, 2, 2), (3, 4, 2), (5, 6, 2)]
    assert [one.gain for one in asked] == pytest.approx([0.0, 0.2, 0.7])
    (answered,) = (one for one in found if one.trait == "words of a candidate")  # all are as long
    assert (answered.least, answered.questions, answered.gain) == (1.5, 6, pytest.approx(0.3))


def test_the_row_beside_one_that_is_named_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for one in (result("ours", OURS, "theirs"), result("theirs", THEIRS), result("alone", OURS, "nobody")):
        write_result(one, tmp_path)
    lists = Dataset("wikiqa", "test", "clean", tuple(QUESTIONS))
    monkeypatch.setattr("anselm.data.datasets.load_dataset", lambda *_: lists)
    show_gains(tmp_path, "p/table-1/ours", None, True)
    assert {(row["row"], row["against"]) for row in json.loads(capsys.readouterr().out)} == {("ours", "theirs")}
    with pytest.raises(InputError, match="no recorded row of p/table-1/alone"):
        show_gains(tmp_path, "p/table-1/alone", None, True)


def test_equal_values_stay_together() -> None:
    values = np.array([1.0, 1.0, 1.0, 1.0, 2.0, 9.0])
    assert [part.tolist() for part in thirds(values)] == [[0, 1, 2, 3], [4, 5]]
    assert [part.tolist() for part in thirds(np.array([1.0, 2.0, 3.0, 4.0]))] == [[0, 1], [2], [3]]  # edges are 2 and 3


def test_noise_is_what_the_vocabulary_does_not_have() -> None:
    noisy = NoisyWords()
    clean = Question("q", "where is the cave", (Candidate("a", "in the ice"),))
    assert noisy(clean) == 0
    assert noisy(replace(clean, text="whree iz teh cavee")) > 0
    assert noisy(Question("q", "???", ())) == 0


def test_values_that_do_not_fit_are_refused() -> None:
    ours, theirs = result("ours", OURS, "theirs"), result("theirs", THEIRS)
    with pytest.raises(InputError, match="no recorded values"):
        list(gains_of(ours, [ours], QUESTIONS))
    with pytest.raises(InputError, match="6 values, but there are 5 questions"):
        list(gains_of(ours, [ours, theirs], QUESTIONS[1:]))
