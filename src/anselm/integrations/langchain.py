"""LangChain: a document compressor, for `ContextualCompressionRetriever` or by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anselm.errors import MissingExtraError
from anselm.integrations.selection import Model, Selection, open_ranker, verdict
from anselm.ranking.ranker import Ranker

try:
    from langchain_core.callbacks import Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from pydantic import ConfigDict, PrivateAttr
except ModuleNotFoundError as error:
    raise MissingExtraError("LangChain's document compressor", "langchain") from error


class AnselmRerank(BaseDocumentCompressor):
    """Puts the answers first. Documents come back as copies whose metadata have `relevance_score` and the verdict."""

    model: Model = "default"
    top_n: int | None = 3
    score_threshold: float | None = None
    answerability_threshold: float | None = None

    model_config = ConfigDict(arbitrary_types_allowed=True)
    _ranker: Ranker = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        self._selection()  # a threshold that is none is told now
        self._ranker = open_ranker(self.model)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        ranking = self._selection().of(self._ranker, query, documents)
        return [with_metadata(one.item, {"relevance_score": one.relevance} | verdict(ranking, one)) for one in ranking]

    def _selection(self) -> Selection:
        return Selection(self.top_n, self.score_threshold, self.answerability_threshold)


def with_metadata(document: Document, known: dict[str, Any]) -> Document:
    return document.model_copy(update={"metadata": {**document.metadata, **known}})
