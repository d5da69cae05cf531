"""rerankers: a ranker with the interface of all its others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anselm.errors import MissingExtraError
from anselm.integrations.selection import Model, Selection, open_ranker, verdict

try:
    from rerankers.documents import Document
    from rerankers.models.ranker import BaseRanker
    from rerankers.results import RankedResults, Result
    from rerankers.utils import prep_docs
except ModuleNotFoundError as error:
    raise MissingExtraError("the ranker for rerankers", "rerankers") from error


class AnselmRanker(BaseRanker):
    """Puts the answers first. Documents come back as copies whose metadata have the verdict."""

    def __init__(
        self,
        model_name_or_path: Model = "default",
        verbose: int = 0,
        *,
        score_threshold: float | None = None,
        answerability_threshold: float | None = None,
    ) -> None:
        self.selection = Selection(None, score_threshold, answerability_threshold)
        self.ranker = open_ranker(model_name_or_path)
        self.verbose = verbose
        self.ranking_type = "pointwise"

    def rank(
        self,
        query: str,
        docs: str | Document | Sequence[str | Document],
        doc_ids: Sequence[str | int] | None = None,
        metadata: Sequence[dict[str, Any]] | None = None,
    ) -> RankedResults:
        listed = docs if isinstance(docs, str | Document) else list(docs)
        given = prep_docs(listed, doc_ids, metadata) if listed else []
        ranking = self.selection.of(self.ranker, query, given)
        found = [
            Result(with_metadata(one.item, verdict(ranking, one)), one.relevance, rank)
            for rank, one in enumerate(ranking, start=1)
        ]
        return RankedResults(found, query, has_scores=True)

    def score(self, query: str, doc: str) -> float:
        return Selection().of(self.ranker, query, [doc]).best.relevance


def with_metadata(document: Document, known: dict[str, Any]) -> Document:
    own = {name: getattr(document, name) for name in document.attributes}
    return Document(**{**own, "metadata": {**document.metadata, **known}})
