"""LangChain: a document compressor, for `ContextualCompressionRetriever` or by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anselm.errors import MissingExtraError
from anselm.integrations.selection import verdict

try:
    from langchain_core.callbacks import Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document

    from anselm.integrations.reranking import Reranking
except ModuleNotFoundError as error:
    raise MissingExtraError("LangChain's document compressor", "langchain") from error


class AnselmRerank(Reranking, BaseDocumentCompressor):
    """Puts the answers first. Documents come back as copies whose metadata have `relevance_score` and the verdict."""

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        ranking = self.ranked(query, documents)
        return [with_metadata(one.item, {"relevance_score": one.relevance} | verdict(ranking, one)) for one in ranking]


def with_metadata(document: Document, known: dict[str, Any]) -> Document:
    return document.model_copy(update={"metadata": {**document.metadata, **known}})
