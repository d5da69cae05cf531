"""From data to a checkpoint: which data is taken, and what is fitted to it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from anselm.data.datasets import Dataset, all_corpora
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.calibration import load_calibration
from anselm.evaluation.report import evaluate
from anselm.models.scorer import Scores
from anselm.ranker import Ranker
from anselm.recipes.fitting import calibrate, load_training_data, train


def make(number: int, labels: Sequence[float], texts: Sequence[str]) -> Question:
    pairs = enumerate(zip(texts, labels, strict=True))
    return Question(f"q{number}", "oak?", tuple(Candidate(str(i), text, label) for i, (text, label) in pairs))


@pytest.mark.parametrize("corpus", all_corpora().values(), ids=lambda corpus: corpus.name)
def test_every_corpus_lists_the_protocol_that_keeps_all_last(corpus) -> None:
    name, rule = list(corpus.protocols.items())[-1]
    assert name in ("raw", "official")
    assert rule.worst_of is None
    assert all(rule.keeps(make(0, labels, ["a", "b"]), "test") for labels in ([0, 0], [1, 1], [0, 1]))


@pytest.mark.parametrize("name", [name for name, corpus in all_corpora().items() if "train" not in corpus.splits])
def test_a_corpus_without_train_says_what_it_has(name: str, tmp_path: Path) -> None:
    splits = ", ".join(all_corpora()[name].splits)
    with pytest.raises(InputError, match=f"{name} has no split 'train' to fit on; name one of {splits}"):
        load_training_data(name, data_dir=tmp_path)


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (("wikiqa",), ("wikiqa", "train", "raw")),
        (("SemEval2016",), ("SemEval2016", "train", "official")),
        (("wikiqa", "dev"), ("wikiqa", "dev", "raw")),
        (("wikiqa", None, "clean"), ("wikiqa", "train", "clean")),
        (("faq.jsonl",), ("faq.jsonl", None, None)),
    ],
)
def test_what_is_read_unless_told_otherwise(given: tuple, asked: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anselm.recipes.fitting.load_dataset", lambda *arguments: arguments)
    assert load_training_data(*given) == (*asked, None)


def test_the_training_split_and_every_question_are_the_default(real_data: Path) -> None:
    found = load_training_data("wikiqa", data_dir=real_data)
    assert (found.split, found.protocol, len(found)) == ("train", "raw", 2_118)
    chosen = load_training_data("wikiqa", "dev", "clean", real_data)
    assert (chosen.split, chosen.protocol, len(chosen)) == ("dev", "clean", 126)
    semeval = load_training_data("semeval-2016", data_dir=real_data)
    assert (semeval.split, semeval.protocol, len(semeval)) == ("train", "official", 607)


def test_what_it_was_fitted_on_is_written_down(real_data: Path, tmp_path: Path) -> None:
    train("jaccard", load_training_data("wikiqa", data_dir=real_data), tmp_path / "mine")
    record = json.loads((tmp_path / "mine" / "calibration.json").read_text())
    assert record["fitted_on"] == "wikiqa train (raw)"


def test_a_file_is_taken_whole(tmp_path: Path) -> None:
    lines = [{"question": "oak?", "candidates": [{"text": "elm", "label": label}]} for label in (0, 1)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = load_training_data(tmp_path / "a.jsonl")
    assert (found.split, found.protocol, len(found)) == ("all", "raw", 2)


def test_a_beir_folder_is_fitted_on_its_training_part(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "oak"}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "oak?"}\n')
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    with pytest.raises(InputError, match=r"train\.tsv does not exist; splits in this BEIR folder: test"):
        load_training_data(tmp_path)
    assert len(load_training_data(tmp_path, "test")) == 1


class Backwards:
    """The shorter the better, on lists where the longer is right."""

    name = "backwards"
    capacity = None

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [np.array([-float(len(c.text)) for c in question.candidates]) for question in questions]

    def save(self, folder: Path) -> None: ...


LISTS = Dataset("d", "train", "raw", tuple(make(i, [0, 1, 0, 0], ["a", "bbbb", "cc", "dd"]) for i in range(50)))


def test_a_score_that_falls_with_relevance_is_worth_the_share_of_the_relevant() -> None:
    """One of four is relevant, so each has a probability of 1/4, and none is said to be better than the best."""
    fitted = calibrate(Backwards(), LISTS)
    assert fitted.platt.slope == 0.0
    assert fitted.platt.probability([-4.0, 0.0]) == pytest.approx([0.25, 0.25], abs=0.01)
    assert fitted.fitted_on == "d train (raw), where a better score is no sign of relevance"
    ranking = Ranker(Backwards(), fitted).rank("oak?", ["a", "bbbb"])
    probabilities = [result.probability for result in ranking]
    assert probabilities == sorted(probabilities, reverse=True)
    assert ranking.answerable


def test_a_name_that_is_taken_costs_no_fitting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anselm.recipes.fitting.calibrate", lambda *_: pytest.fail("it was fitted"))
    with pytest.raises(InputError, match="exists already"):
        train("bm25", LISTS, tmp_path)


def test_a_trained_model_reports_under_its_path(tmp_path: Path) -> None:
    seen: list[Question] = []

    def watch(questions):
        for question in questions:
            seen.append(question)
            yield question

    train("bm25", LISTS, tmp_path / "mine", watch)
    assert len(seen) == 2 * 50  # once for the words, once for the probabilities
    assert evaluate(tmp_path / "mine", LISTS).model == str(tmp_path / "mine")
    assert load_calibration(tmp_path / "mine").fitted_on.startswith("d train (raw)")
