"""Haystack's own documents and pipelines, where it is installed."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("haystack")

import haystack

from anselm.errors import InputError
from anselm.integrations.haystack import AnselmRanker
from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker
from tests.integrations.conftest import QUESTION, TEXTS, UNANSWERED

DOCUMENTS = [haystack.Document(content=text, id=f"d{place}", meta={"page": place}) for place, text in enumerate(TEXTS)]


def test_documents_come_back_in_order_with_their_ids_and_meta(
    ranker: Ranker, expected: Ranking[Result], verdicts: list[dict[str, object]]
) -> None:
    result = AnselmRanker(ranker).run(QUESTION, DOCUMENTS)
    assert result["answerable"] is True
    assert [document.id for document in result["documents"]] == [f"d{one.index}" for one in expected]
    for document, one, known in zip(result["documents"], expected, verdicts, strict=True):
        assert (document.score, document.meta) == (known["probability"], known | {"page": one.index})
    assert (DOCUMENTS[1].score, DOCUMENTS[1].meta) == (None, {"page": 1})  # theirs is as it was


def test_top_and_thresholds_of_the_component_and_of_the_call(ranker: Ranker) -> None:
    assert len(AnselmRanker(ranker, top_k=1).run(QUESTION, DOCUMENTS)["documents"]) == 1
    assert len(AnselmRanker(ranker, top_k=1).run(QUESTION, DOCUMENTS, top_k=2)["documents"]) == 2
    assert len(AnselmRanker(ranker, score_threshold=0.5).run(QUESTION, DOCUMENTS)["documents"]) == 1
    kept = AnselmRanker(ranker, score_threshold=0.5).run(QUESTION, DOCUMENTS, score_threshold=0.0)
    assert len(kept["documents"]) == len(TEXTS)
    refused = AnselmRanker(ranker, answerability_threshold=0.1)
    assert refused.run(UNANSWERED, DOCUMENTS) == {"documents": [], "answerable": False}
    assert refused.run(QUESTION, []) == {"documents": [], "answerable": None}
    with pytest.raises(InputError, match="score_threshold"):
        AnselmRanker(ranker, score_threshold=2)


def test_an_image_has_no_text_and_comes_last(ranker: Ranker) -> None:
    image = replace(DOCUMENTS[0], id="image", content=None)
    assert AnselmRanker(ranker).run(QUESTION, [image, *DOCUMENTS[:3]])["documents"][-1].id == "image"


def test_in_a_pipeline_that_was_written_to_yaml(ranker: Ranker) -> None:
    pipeline = haystack.Pipeline()
    pipeline.add_component("ranker", AnselmRanker("default", top_k=1, score_threshold=0.2))
    again = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=["anselm.integrations.haystack"])
    found = again.run({"ranker": {"query": QUESTION, "documents": DOCUMENTS}})
    assert [document.id for document in found["ranker"]["documents"]] == ["d1"]
