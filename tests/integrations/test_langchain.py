"""LangChain's own documents and callers, where it is installed."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("langchain_core")

from langchain_core.documents import Document

from anselm.errors import InputError
from anselm.integrations.langchain import AnselmRerank
from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker
from tests.integrations.conftest import QUESTION, TEXTS, UNANSWERED

DOCUMENTS = [Document(text, id=f"d{place}", metadata={"page": place}) for place, text in enumerate(TEXTS)]


def test_documents_come_back_in_order_with_their_ids_and_metadata(
    ranker: Ranker, expected: Ranking[Result], verdicts: list[dict[str, object]]
) -> None:
    found = AnselmRerank(model=ranker, top_n=None).compress_documents(DOCUMENTS, QUESTION)
    assert [document.id for document in found] == [f"d{one.index}" for one in expected]
    assert all(isinstance(document, Document) for document in found)
    for document, one, known in zip(found, expected, verdicts, strict=True):
        score = {"relevance_score": known["probability"], "page": one.index}
        assert (document.page_content, document.metadata) == (one.text, known | score)
    assert DOCUMENTS[1].metadata == {"page": 1}  # theirs is as it was


def test_top_and_thresholds(ranker: Ranker) -> None:
    assert len(AnselmRerank(model=ranker).compress_documents(DOCUMENTS, QUESTION)) == 3
    least = AnselmRerank(model=ranker, score_threshold=0.5).compress_documents(DOCUMENTS, QUESTION)
    assert [document.id for document in least] == ["d1"]
    assert not AnselmRerank(model=ranker, answerability_threshold=0.1).compress_documents(DOCUMENTS, UNANSWERED)
    assert not AnselmRerank(model=ranker).compress_documents([], QUESTION)
    with pytest.raises(InputError, match="score_threshold"):
        AnselmRerank(model=ranker, score_threshold=2)


def test_from_a_chain_and_asynchronously(ranker: Ranker) -> None:
    from langchain_core.runnables import RunnableLambda

    rerank = AnselmRerank(model=ranker, top_n=1)
    chain = RunnableLambda(lambda question: rerank.compress_documents(DOCUMENTS, question))
    assert [document.id for document in chain.invoke(QUESTION)] == ["d1"]
    found = asyncio.run(rerank.acompress_documents(DOCUMENTS, QUESTION))
    assert [document.id for document in found] == ["d1"]
