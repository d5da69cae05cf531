"""Entries of a FAQ and sentences in one list: the more probable come first, whatever their scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anselm.data.question import Candidate, Question
from anselm.metrics.calibration import Beliefs, Calibration
from anselm.metrics.logistic import Logistic
from anselm.ranking.bulk import rank_file
from anselm.ranking.ranker import Ranker
from anselm.scorer import Scores

ENTRIES = Beliefs(Logistic(-3.0, {"score": 1.0}))
SENTENCES = Beliefs(Logistic(0.0, {"score": 1.0}))
SCORES = {"entry at 4": 4.0, "entry at 1": 1.0, "sentence at 2": 2.0, "sentence at -1": -1.0, " ": 9.0}
MIXED = ["entry at 4", "entry at 1", "sentence at 2", "sentence at -1", " "]


class Known:
    name, capacity, pairwise, language = "known", None, True, None

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [np.array([SCORES[candidate.text] for candidate in question.candidates]) for question in questions]

    def save(self, folder: Path) -> None: ...


def question_of(texts: Sequence[str]) -> Question:
    kinds = [{"question": "Asked?"} if text.startswith("entry") else {"heading": ""} for text in texts]
    return Question(
        "q", "What?", tuple(Candidate(f"c{i}", t, **kind) for i, (t, kind) in enumerate(zip(texts, kinds, strict=True)))
    )


def ranker() -> Ranker:
    return Ranker(Known(), Calibration(SENTENCES, 0.5, "", ENTRIES, SENTENCES))


def test_the_more_probable_come_first() -> None:
    """An entry at 4 has a logit of 1, a sentence at 2 one of 2; what is empty comes last."""
    (ranking,) = ranker().rank_lists([question_of(MIXED)])
    assert [result.text for result in ranking] == ["sentence at 2", "entry at 4", "sentence at -1", "entry at 1", " "]
    logits = [2.0, 1.0, -1.0, -2.0]
    probabilities = [result.probability for result in ranking][:4]
    assert np.allclose(np.array(probabilities, dtype=float), [1 / (1 + math.exp(-one)) for one in logits])
    assert ranking.best.text == "sentence at 2"


def test_of_one_kind_the_scores_decide() -> None:
    (ranking,) = ranker().rank_lists([question_of(["entry at 1", "entry at 4"])])
    assert [result.text for result in ranking] == ["entry at 4", "entry at 1"]


def test_a_run_is_in_the_order_of_its_scores(tmp_path: Path) -> None:
    rank_file(ranker(), iter([question_of(MIXED[:4])]), tmp_path / "out.run")
    scores = [float(line.split()[-2]) for line in (tmp_path / "out.run").read_text().splitlines()]
    assert scores == [4.0, 2.0, 1.0, -1.0]
