"""rerankers' own documents and results, where it is installed."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("rerankers")

import rerankers
from rerankers.models.ranker import BaseRanker
from rerankers.results import RankedResults

from anselm.integrations.rerankers import AnselmRanker
from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker
from tests.integrations.conftest import QUESTION, TEXTS, UNANSWERED


def test_results_have_scores_ranks_ids_and_metadata(
    ranker: Ranker, expected: Ranking[Result], verdicts: list[dict[str, object]]
) -> None:
    mine = AnselmRanker(ranker)
    assert isinstance(mine, BaseRanker)
    given = [rerankers.Document(text, doc_id=f"d{place}", metadata={"page": place}) for place, text in enumerate(TEXTS)]
    for found in (
        mine.rank(QUESTION, given),
        mine.rank(QUESTION, list(TEXTS), [f"d{place}" for place in range(4)], [{"page": place} for place in range(4)]),
    ):
        assert isinstance(found, RankedResults)
        for place, (result, one, known) in enumerate(zip(found, expected, verdicts, strict=True)):
            assert (result.rank, result.score, result.text) == (place + 1, known["probability"], one.text)
            assert (result.doc_id, result.document.metadata) == (f"d{one.index}", known | {"page": one.index})
    assert given[1].metadata == {"page": 1}  # theirs is as it was


def test_thresholds_and_what_else_a_ranker_does(ranker: Ranker) -> None:
    assert [one.doc_id for one in AnselmRanker(ranker, score_threshold=0.5).rank(QUESTION, TEXTS)] == [1]
    refused = AnselmRanker(ranker, answerability_threshold=0.1)
    assert refused.rank(UNANSWERED, TEXTS).results == []
    assert refused.rank(QUESTION, []).results == []
    assert refused.score(QUESTION, TEXTS[1]) == pytest.approx(ranker.rank(QUESTION, TEXTS[1:2]).best.probability)
    assert [one.doc_id for one in AnselmRanker(ranker).rank(QUESTION, list(TEXTS)).top_k(1)] == [1]
    assert asyncio.run(AnselmRanker(ranker).rank_async(QUESTION, list(TEXTS)))[0].doc_id == 1
