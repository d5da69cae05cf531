"""LlamaIndex: a node postprocessor, for `index.as_query_engine(node_postprocessors=[...])`."""

from __future__ import annotations

from typing import Any

from anselm.errors import MissingExtraError
from anselm.integrations.selection import Model, name_of, verdict

try:
    from llama_index.core.bridge.pydantic import field_serializer
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle

    from anselm.integrations.reranking import Reranking
except ModuleNotFoundError as error:
    raise MissingExtraError("LlamaIndex's node postprocessor", "llama-index") from error


class AnselmRerank(Reranking, BaseNodePostprocessor):
    """Puts the answers first. Nodes come back as copies: `score` is ours, and their metadata have the verdict."""

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
        ranking = self.ranked(query_bundle.query_str, nodes)
        return [
            NodeWithScore(node=with_metadata(one.item.node, verdict(ranking, one)), score=one.relevance)
            for one in ranking
        ]


def with_metadata(node: BaseNode, known: dict[str, Any]) -> BaseNode:
    """For programs alone: LlamaIndex puts metadata into prompts and embeddings unless they are excluded."""
    return node.model_copy(
        update={
            "metadata": {**node.metadata, **known},
            "excluded_embed_metadata_keys": [*node.excluded_embed_metadata_keys, *known],
            "excluded_llm_metadata_keys": [*node.excluded_llm_metadata_keys, *known],
        }
    )
