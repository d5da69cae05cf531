"""The accurate model itself, where ANSELM_ACCURATE_ENCODER is the folder of all-mpnet-base-v2, or of its archives."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anselm.data.question import Candidate, Question
from anselm.fetch.fetched_models import fetch
from anselm.ranking.ranker import Ranker

QUESTION = "How do I get my money back?"
RIGHT = "Refunds are paid within five days of the return reaching us."
OTHERS = [f"Room {number} is on the {number}th floor and has a view of the lake." for number in range(4, 34)]


@pytest.fixture(scope="module")
def accurate(tmp_path_factory: pytest.TempPathFactory) -> Any:
    if not (source := os.environ.get("ANSELM_ACCURATE_ENCODER")):
        pytest.skip("ANSELM_ACCURATE_ENCODER is not set")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANSELM_CACHE", str(tmp_path_factory.mktemp("cache")))
        fetch("accurate", Path(source), lambda *_: None)  # which checks each file against what is shipped
        yield Ranker.load("accurate")


def test_it_finds_what_shares_no_word(accurate: Ranker) -> None:
    ranking = accurate.rank(QUESTION, [*OTHERS, RIGHT])
    assert ranking.best.text == RIGHT
    assert ranking.answerable
    assert [result.read for result in ranking] == [True] * 20 + [False] * 11
    assert all(result.probability is not None for result in ranking)


def test_no_answer_is_told(accurate: Ranker) -> None:
    assert accurate.rank(QUESTION, OTHERS).answerable is False


def test_a_list_scores_the_same_alone_and_among_others(accurate: Ranker) -> None:
    lists = [
        Question(str(size), QUESTION, tuple(Candidate(one, one) for one in [RIGHT, *OTHERS[:size]]))
        for size in (1, 7, 30)
    ]
    for question, scores in zip(lists, accurate.scorer.score(lists), strict=True):
        np.testing.assert_allclose(accurate.scorer.score([question])[0], scores, atol=1e-6)


def test_it_says_why(accurate: Ranker) -> None:
    explanation = accurate.rank(QUESTION, [RIGHT, *OTHERS[:3]], top=1, explain=True).best.explanation
    assert explanation is not None
    heaviest = max(explanation.answer, key=lambda word: word.weight)
    assert heaviest.text in ("Refunds", "return", "paid")
