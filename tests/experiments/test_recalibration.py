"""From data to a checkpoint: what is fitted to it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anselm.checkpoints.card import renew_card, write_card
from anselm.checkpoints.catalogue import SHIPPED, load_model
from anselm.data.datasets import Dataset, load_training_data
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.report import evaluate
from anselm.experiments.recalibration import calibrate, fit_to_texts, recalibrate
from anselm.metrics.thresholds import Rule
from anselm.ranking.ranker import Ranker
from anselm.ranking.scorers import load_calibration
from anselm.scorer import Scores
from anselm.train.beliefs import fit_calibration


def make(number: int, labels: Sequence[float], texts: Sequence[str]) -> Question:
    pairs = enumerate(zip(texts, labels, strict=True))
    return Question(f"q{number}", "oak?", tuple(Candidate(str(i), text, label) for i, (text, label) in pairs))


def test_what_it_was_fitted_on_is_written_down(real_data: Path, tmp_path: Path) -> None:
    fit_to_texts("jaccard", load_training_data("wikiqa", data_dir=real_data), tmp_path / "mine")
    record = json.loads((tmp_path / "mine" / "calibration.json").read_text())
    assert record["fitted_on"] == "wikiqa train (raw)"


class Backwards:
    """The shorter the better, on lists where the longer is right."""

    name, capacity, pairwise, language = "backwards", None, True, None

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [np.array([-float(len(c.text)) for c in question.candidates]) for question in questions]

    def save(self, folder: Path) -> None: ...


LISTS = Dataset("d", "train", "raw", tuple(make(i, [0, 1, 0, 0], ["a", "bbbb", "cc", "dd"]) for i in range(50)))


def test_a_score_that_falls_with_relevance_is_worth_the_share_of_the_relevant() -> None:
    """One of four is relevant, so each has a probability of 1/4, and none is said to be better than the best."""
    fitted = calibrate(Backwards(), LISTS)
    assert fitted.texts.candidate.weights == {"score": 0.0}
    ranking = Ranker(Backwards(), fitted).rank("oak?", ["a", "bbbb"])
    assert [result.probability for result in ranking] == pytest.approx([0.25, 0.25], abs=0.01)
    assert fitted.fitted_on == "d train (raw)"


def test_a_name_that_is_taken_costs_no_fitting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anselm.experiments.recalibration.calibrate", lambda *_: pytest.fail("it was fitted"))
    with pytest.raises(InputError, match="exists already"):
        fit_to_texts("bm25", LISTS, tmp_path)


def test_a_trained_model_reports_under_its_path(tmp_path: Path) -> None:
    seen: list[Question] = []

    def watch(questions):
        for question in questions:
            seen.append(question)
            yield question

    fit_to_texts("bm25", LISTS, tmp_path / "mine", watch)
    assert len(seen) == 2 * 50  # once for the words, once for the probabilities
    assert evaluate(tmp_path / "mine", LISTS).model == str(tmp_path / "mine")
    assert load_calibration(tmp_path / "mine").fitted_on.startswith("d train (raw)")


HELPFUL = Dataset(
    "d", "dev", "raw", (*(make(i, [0, 1], ["elm", "oak"]) for i in range(9)), make(9, [0, 0], ["oak", "elm"]))
)


def test_recalibrating_what_was_never_calibrated_fits_what_training_would(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model": "jaccard"}')
    found = recalibrate(tmp_path, HELPFUL, Rule("fixed", 0.7))
    assert found.before is None
    assert found.calibration == replace(calibrate(load_model(tmp_path), HELPFUL), threshold=0.7)
    assert load_calibration(tmp_path) == found.calibration


def test_recalibrating_goes_on_from_what_was_believed(tmp_path: Path) -> None:
    fit_to_texts("bm25", LISTS, tmp_path / "mine")
    old, before = load_calibration(tmp_path / "mine"), (tmp_path / "mine" / "statistics.json").read_bytes()
    found = recalibrate(tmp_path / "mine", HELPFUL, Rule())
    scores = load_model(tmp_path / "mine").score(list(HELPFUL))
    assert found.calibration == fit_calibration(list(HELPFUL), scores, Rule(), "d dev (raw)", old)
    assert found.calibration != fit_calibration(list(HELPFUL), scores, Rule(), "d dev (raw)")
    assert load_calibration(tmp_path / "mine") == found.calibration
    assert (tmp_path / "mine" / "statistics.json").read_bytes() == before
    assert found.before is not None
    assert found.after.log_loss < found.before.log_loss
    assert found.after.triggering == found.after.tradeoff.at(0.5)


def test_a_copy_leaves_the_checkpoint_as_it_is(tmp_path: Path) -> None:
    fit_to_texts("bm25", LISTS, tmp_path / "mine")
    (tmp_path / "mine" / "more").mkdir()
    (tmp_path / "mine" / "more" / "notes.txt").write_text("inside")
    old = load_calibration(tmp_path / "mine")
    found = recalibrate(tmp_path / "mine", HELPFUL, Rule(), tmp_path / "copy")
    assert load_calibration(tmp_path / "mine") == old
    assert load_calibration(tmp_path / "copy") == found.calibration != old
    assert found.checkpoint == tmp_path / "copy"
    assert (tmp_path / "copy" / "more" / "notes.txt").read_text() == "inside"


@pytest.mark.parametrize("out", [None, "copy"])
def test_the_card_says_what_the_probabilities_were_fitted_on(out: str | None, tmp_path: Path) -> None:
    fit_to_texts("bm25", LISTS, tmp_path / "mine")
    write_card(tmp_path / "mine", "bm25", LISTS, LISTS, best=0.5)
    before = (tmp_path / "mine" / "README.md").read_text().splitlines()
    recalibrate(tmp_path / "mine", replace(HELPFUL, name=r"my\new.jsonl"), Rule(), tmp_path / out if out else None)
    after = (tmp_path / (out or "mine") / "README.md").read_text().splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [
        ("| calibrated on | d, train (raw): 50 lists, 200 pairs |",
         r"| calibrated on | my\new.jsonl, dev (raw): 10 lists, 20 pairs |"),
    ]  # fmt: skip


def test_the_card_of_the_shipped_model_can_be_renewed(tmp_path: Path) -> None:
    shutil.copy(SHIPPED / "default" / "README.md", tmp_path)
    renew_card(tmp_path, HELPFUL)
    card = (tmp_path / "README.md").read_text()
    assert "| calibrated on | d, dev (raw): 10 lists, 20 pairs |" in card
    assert "far too low" not in card


def test_a_card_of_one_s_own_stays_as_it_is(tmp_path: Path) -> None:
    fit_to_texts("bm25", LISTS, tmp_path / "mine")
    recalibrate(tmp_path / "mine", HELPFUL, Rule())
    assert not (tmp_path / "mine" / "README.md").exists()
    own = b"Not UTF-8: \xff, and calibrated on | things |\r\n"
    (tmp_path / "mine" / "README.md").write_bytes(own)
    recalibrate(tmp_path / "mine", HELPFUL, Rule())
    assert (tmp_path / "mine" / "README.md").read_bytes() == own


def test_a_shipped_model_is_not_written_to_by_its_path_either() -> None:
    with pytest.raises(InputError, match="comes with the package and stays as it is; give --out DIR"):
        recalibrate(SHIPPED / "bm25", HELPFUL, Rule())


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        ([None, None], "d has no labels, so there is nothing to fit probabilities to"),
        ([0, None], "no candidate in d has a label above 0; probabilities need relevant ones too"),
        ([1, 2], "every candidate in d has a label above 0; probabilities need irrelevant ones too"),
    ],
)
def test_lists_that_nothing_can_be_fitted_to(labels: list[float | None], problem: str, tmp_path: Path) -> None:
    fit_to_texts("bm25", LISTS, tmp_path / "mine")
    record = (tmp_path / "mine" / "calibration.json").read_text()
    with pytest.raises(InputError, match=problem):
        recalibrate(tmp_path / "mine", Dataset("d", "dev", "raw", (make(0, labels, ["oak", "elm"]),)), Rule())
    assert (tmp_path / "mine" / "calibration.json").read_text() == record


def test_calibration_on_wikiqa_carries_over(real_data: Path, tmp_path: Path) -> None:
    """Fitted on dev, the probabilities of BM25 hold on test, where those that it is shipped with do not as well."""
    dev = load_training_data("wikiqa", data_dir=real_data, usual="dev")
    assert (dev.split, dev.protocol, len(dev)) == ("dev", "raw", 296)
    recalibrate("bm25", dev, Rule(), tmp_path / "mine")
    shipped, fitted = (evaluate(m, "wikiqa", "test", "raw", data_dir=real_data) for m in ("bm25", tmp_path / "mine"))
    assert fitted.ece < 0.02 < shipped.ece
    assert fitted.triggering["precision"] > shipped.triggering["precision"]
