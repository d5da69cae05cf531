"""What a first pass keeps, beside a count by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from anselm.data.question import Candidate, Question
from anselm.ranking import first_pass
from anselm.ranking.first_pass import fuse, nearest
from anselm.scorer import Scores

TEXTS = ["apples are red", "pears are green", "apples are sweet", "fruit of a tree", "trains", "a fast train"]
QUESTION = Question("q", "are apples sweet", tuple(Candidate(str(i), text) for i, text in enumerate(TEXTS)))


@dataclass
class Fixed:
    """Scores by a table."""

    scores: dict[str, float]
    language: str | None = "English"
    name: str = "fixed"
    capacity: int | None = 2
    pairwise: bool = True

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [np.array([self.scores.get(one.text, 0.0) for one in q.candidates]) for q in questions]

    def save(self, folder: Path) -> None: ...


class WithVectors(Fixed):
    def text_vectors(self, texts: list[str]) -> np.ndarray:
        return np.array(
            [[1.0, 0.0] if text in ("are apples sweet", "apples are red") else [0.0, 1.0] for text in texts]
        )


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    likes = Fixed({"fruit of a tree": 3.0, "trains": 2.0})
    monkeypatch.setattr(first_pass, "fast_scorer", lambda: likes)


def kept(scorer: Fixed, count: int) -> list[str]:
    return [one.text for one in nearest(scorer, QUESTION, count).candidates]


def test_orders_take_turns() -> None:
    assert fuse(np.array([3, 1, 2, 0]), np.array([1, 0, 3, 2])).tolist() == [3, 1, 0, 2]


def test_words_and_the_fast_ranker_take_turns_and_candidates_keep_their_order(fast: None) -> None:
    assert kept(Fixed({}), 2) == ["apples are sweet", "fruit of a tree"]
    assert kept(Fixed({}), 4) == ["apples are red", "apples are sweet", "fruit of a tree", "trains"]
    assert [one.id for one in nearest(Fixed({}), QUESTION, 2).candidates] == ["2", "3"]


def test_a_model_of_another_language_has_its_own_vectors_or_words_alone(fast: None) -> None:
    assert kept(Fixed({}, language=None), 2) == ["apples are red", "apples are sweet"]
    assert kept(WithVectors({}, language="German"), 2) == ["apples are red", "apples are sweet"]
    assert kept(WithVectors({}, language="German"), 1) == ["apples are sweet"]
