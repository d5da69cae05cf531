"""Ranking lists and asking documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import anselm
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.calibration import Calibration, Platt
from anselm.models.scorer import Scores
from anselm.ranker import Passage, Ranker

FAQ = ["Parking is free for guests.", "The shop opens at nine in the morning.", "Returns are accepted for 30 days."]
QUESTION = "When does the shop open in the morning?"


class ByLength:
    """The longer the better: a model whose scores are plain to see."""

    name = "length"

    def __init__(self, capacity: int | None = None) -> None:
        self.capacity = capacity
        self.seen: list[int] = []

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        self.seen += [len(question.candidates) for question in questions]
        return [np.array([float(len(c.text)) for c in question.candidates]) for question in questions]

    def save(self, folder: Path) -> None: ...


def test_best_first_with_the_position_in_the_input() -> None:
    ranking = anselm.rank(QUESTION, FAQ)
    assert ranking.answerable
    assert ranking.best is ranking.results[0]
    assert (ranking.best.index, ranking.best.text, ranking.best.id) == (1, FAQ[1], None)
    assert sorted(result.index for result in ranking) == [0, 1, 2]
    scores = [result.score for result in ranking]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= result.probability <= 1 for result in ranking)


def test_ids_come_back_where_they_were_given() -> None:
    mixed = [FAQ[0], Candidate("open", FAQ[1]), {"id": 7, "text": FAQ[2]}, {"text": "No id."}]
    ids = {result.index: result.id for result in anselm.rank(QUESTION, mixed)}
    assert ids == {0: None, 1: "open", 2: "7", 3: None}
    assert "id" not in anselm.rank(QUESTION, FAQ).to_dict()["results"][0]


def test_equal_scores_stay_in_the_order_of_the_input() -> None:
    ranking = Ranker(ByLength()).rank("?", ["aa", "bbb", "cc", "dd"])
    assert [result.index for result in ranking] == [1, 0, 2, 3]


def test_top_keeps_the_best() -> None:
    assert [result.index for result in anselm.rank(QUESTION, FAQ, top=1)] == [1]
    with pytest.raises(InputError, match="top must be at least 1, not 0"):
        anselm.rank(QUESTION, FAQ, top=0)


def test_the_threshold_decides_whether_there_is_an_answer() -> None:
    calibration = Calibration(Platt(1.0, -5.0), 0.5)
    assert Ranker(ByLength(), calibration).rank("?", ["12345"]).answerable  # sigmoid(0) = 0.5 reaches it
    ranking = Ranker(ByLength(), calibration).rank("?", ["1234"])
    assert not ranking.answerable
    assert ranking.best is None
    assert ranking.results[0].probability == pytest.approx(1 / (1 + np.e))


def test_nothing_in_common_is_no_answer() -> None:
    assert not anselm.rank("Who painted this?", FAQ).answerable


@pytest.mark.parametrize(
    ("question", "candidates", "problem"),
    [
        ("", FAQ, "the question is empty"),
        (" \n", FAQ, "the question is empty"),
        ("Who?", [], "there are no candidates"),
        ("Who?", ["Ann", ""], "candidate 1 is empty"),
        ("Who?", ["Ann", 3], "candidate 1 must be a string or an object"),
        ("Who?", [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "two candidates have the id 'a'"),
    ],
)
def test_bad_input_is_named(question: str, candidates: list, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        anselm.rank(question, candidates)


def test_ask_texts_files_and_folders(tmp_path: Path) -> None:
    text = "Welcome to us. The shop opens at nine\nin the morning. Parking is free."
    (tmp_path / "info.txt").write_text(text)
    (tmp_path / "other.md").write_text("# Nothing\n\nNothing *here* either.\n")
    for documents in ([text], [tmp_path / "info.txt"], [tmp_path]):
        ranking = anselm.ask(QUESTION, documents, top=2)
        best = ranking.best
        assert isinstance(best, Passage)
        assert text[best.start : best.end] == best.text == "The shop opens at nine\nin the morning."
        assert (best.before, best.after) == ("Welcome to us.", "Parking is free.")
        assert len(ranking.results) == 2
    assert best.source == str(tmp_path / "info.txt")


def test_neighbours_are_of_the_same_document() -> None:
    ranking = anselm.ask(QUESTION, ["One thing. Another.", "The shop opens in the morning.", "A third."])
    assert isinstance(ranking.best, Passage)
    assert (ranking.best.source, ranking.best.before, ranking.best.after) == ("document 1", "", "")


def test_a_model_with_a_limit_sees_only_what_the_first_pass_keeps() -> None:
    scorer = ByLength(capacity=3)
    text = " ".join(["A long sentence that has nothing at all to do with it."] * 50 + ["The shop opens."])
    ranking = Ranker(scorer).ask("When does the shop open?", [text])
    assert scorer.seen == [3]
    index = {result.text: result.index for result in ranking}
    assert index["The shop opens."] == 50  # its place among all sentences, not among those kept


def test_documents_without_sentences_are_named() -> None:
    with pytest.raises(InputError, match="no sentences"):
        anselm.ask("Who?", [" \n "])
