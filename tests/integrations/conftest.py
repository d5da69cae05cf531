"""What the tests of all frameworks rank."""

from __future__ import annotations

import pytest

from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker

QUESTION = "When does the shop open?"
TEXTS = ("Parking is free.", "The shop opens at nine in the morning.", "The shop is in the old town.", "")
UNANSWERED = "Who painted the Mona Lisa?"


@pytest.fixture(scope="session")
def ranker() -> Ranker:
    return Ranker.load("default")


@pytest.fixture(scope="session")
def expected(ranker: Ranker) -> Ranking[Result]:
    """What Anselm says without any framework."""
    return ranker.rank(QUESTION, TEXTS)


@pytest.fixture(scope="session")
def verdicts(expected: Ranking[Result]) -> list[dict[str, object]]:
    """What metadata should say of each, best first."""
    known = {"answerable": expected.answerable, "answerability": pytest.approx(expected.answerability, abs=1e-6)}
    return [{"probability": pytest.approx(one.probability, abs=1e-6)} | known for one in expected]
