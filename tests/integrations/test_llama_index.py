"""LlamaIndex's own nodes and callers, where it is installed."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core import schema

from anselm.errors import InputError
from anselm.integrations.llama_index import AnselmRerank
from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker
from tests.integrations.conftest import QUESTION, TEXTS, UNANSWERED

NODES = [
    schema.NodeWithScore(node=schema.TextNode(text=text, id_=f"n{place}", metadata={"page": place}), score=0.1)
    for place, text in enumerate(TEXTS)
]


def test_nodes_come_back_in_order_with_their_ids_and_metadata(
    ranker: Ranker, expected: Ranking[Result], verdicts: list[dict[str, object]]
) -> None:
    found = AnselmRerank(model=ranker, top_n=None).postprocess_nodes(NODES, query_str=QUESTION)
    assert [node.node_id for node in found] == [f"n{one.index}" for one in expected]
    for node, one, known in zip(found, expected, verdicts, strict=True):
        assert isinstance(node, schema.NodeWithScore)
        assert (node.score, node.metadata) == (known["probability"], known | {"page": one.index})
    assert (NODES[1].score, NODES[1].metadata) == (0.1, {"page": 1})  # theirs is as it was


def test_the_verdict_is_in_no_prompt(ranker: Ranker) -> None:
    [best] = AnselmRerank(model=ranker, top_n=1).postprocess_nodes(NODES, query_str=QUESTION)
    for mode in (schema.MetadataMode.LLM, schema.MetadataMode.EMBED):
        assert best.node.get_content(mode) == f"page: 1\n\n{TEXTS[1]}"


def test_top_and_thresholds(ranker: Ranker) -> None:
    assert len(AnselmRerank(model=ranker).postprocess_nodes(NODES, query_str=QUESTION)) == 3
    least = AnselmRerank(model=ranker, score_threshold=0.5).postprocess_nodes(NODES, query_str=QUESTION)
    assert [node.node_id for node in least] == ["n1"]
    refused = AnselmRerank(model=ranker, answerability_threshold=0.1)
    assert refused.postprocess_nodes(NODES, query_str=UNANSWERED) == []
    assert refused.postprocess_nodes([], query_str=QUESTION) == []
    assert refused.postprocess_nodes(NODES) == NODES  # without a question there is nothing to go by
    with pytest.raises(InputError, match="score_threshold"):
        AnselmRerank(model=ranker, score_threshold=2)


def test_from_a_query_engine_asynchronously_and_as_a_dictionary(ranker: Ranker) -> None:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    class Fixed(BaseRetriever):
        def _retrieve(self, query_bundle: object) -> list[object]:
            return NODES

    rerank = AnselmRerank(model=ranker, top_n=1)
    engine = RetrieverQueryEngine.from_args(Fixed(), llm=MockLLM(), node_postprocessors=[rerank])
    answer = engine.query(QUESTION)
    assert [node.node_id for node in answer.source_nodes] == ["n1"]
    assert TEXTS[1] in str(answer)  # what the language model was given
    assert "probability" not in str(answer)
    found = asyncio.run(rerank.apostprocess_nodes(NODES, query_str=QUESTION))
    assert [node.node_id for node in found] == ["n1"]
    again = AnselmRerank.from_dict(rerank.to_dict())
    assert (again.model, again.top_n) == ("default", 1)
