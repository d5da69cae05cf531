"""LlamaIndex: a node postprocessor, for `index.as_query_engine(node_postprocessors=[...])`."""

from __future__ import annotations

from typing import Any

from anselm.errors import MissingExtraError
from anselm.integrations.selection import Model, Selection, name_of, open_ranker, verdict
from anselm.ranking.ranker import Ranker

try:
    from llama_index.core.bridge.pydantic import PrivateAttr, field_serializer
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle
except ModuleNotFoundError as error:
    raise MissingExtraError("LlamaIndex's node postprocessor", "llama-index") from error


class AnselmRerank(BaseNodePostprocessor):
    """Puts the answers first. Nodes come back as copies: `score` is ours, and their metadata have the verdict."""

    model: Model = "default"
    top_n: int | None = 3
    score_threshold: float | None = None
    answerability_threshold: float | None = None

    _ranker: Ranker = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._selection()  # a threshold that is none is told now
        self._ranker = open_ranker(self.model)

    @classmethod
    def class_name(cls) -> str:
        return "AnselmRerank"

    @field_serializer("model")
    def _name(self, model: Model) -> str:
        return name_of(model)

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            return nodes
        ranking = self._selection().of(self._ranker, query_bundle.query_str, nodes)
        return [
            NodeWithScore(node=with_metadata(one.item.node, verdict(ranking, one)), score=one.relevance)
            for one in ranking
        ]

    def _selection(self) -> Selection:
        return Selection(self.top_n, self.score_threshold, self.answerability_threshold)


def with_metadata(node: BaseNode, known: dict[str, Any]) -> BaseNode:
    """For programs alone: LlamaIndex puts metadata into prompts and embeddings unless they are excluded."""
    return node.model_copy(
        update={
            "metadata": {**node.metadata, **known},
            "excluded_embed_metadata_keys": [*node.excluded_embed_metadata_keys, *known],
            "excluded_llm_metadata_keys": [*node.excluded_llm_metadata_keys, *known],
        }
    )
