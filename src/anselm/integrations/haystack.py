"""Haystack: a component, to be connected between a retriever and a prompt builder."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anselm.errors import MissingExtraError
from anselm.integrations.selection import Model, Selection, name_of, open_ranker, verdict
from anselm.ranking.ranker import Ranker

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ModuleNotFoundError as error:
    raise MissingExtraError("Haystack's component", "haystack") from error


@component
class AnselmRanker:
    """Puts the answers first. Documents come back as copies: `score` is ours, and their meta have the verdict.

    `answerable` is an output of its own, which a router can ask: None where nobody can tell.
    """

    def __init__(
        self,
        model: Model = "default",
        top_k: int | None = 10,
        score_threshold: float | None = None,
        answerability_threshold: float | None = None,
    ) -> None:
        self.model = model
        self.selection = Selection(top_k, score_threshold, answerability_threshold)
        self._ranker: Ranker | None = None

    def warm_up(self) -> None:
        """Loads the model, unless it is loaded."""
        self._open()

    def _open(self) -> Ranker:
        self._ranker = self._ranker or open_ranker(self.model)
        return self._ranker

    @component.output_types(documents=list[Document], answerable=bool | None)
    def run(
        self, query: str, documents: list[Document], top_k: int | None = None, score_threshold: float | None = None
    ) -> dict[str, Any]:
        """What is given here counts instead of what the component was made with."""
        top = self.selection.top if top_k is None else top_k
        least = self.selection.score_threshold if score_threshold is None else score_threshold
        selection = replace(self.selection, top=top, score_threshold=least)
        ranking = selection.of(self._open(), query, documents)
        found = [
            replace(one.item, score=one.relevance, meta={**one.item.meta, **verdict(ranking, one)}) for one in ranking
        ]
        return {"documents": found, "answerable": ranking.answerable}

    def to_dict(self) -> dict[str, Any]:
        wanted = self.selection
        return default_to_dict(
            self,
            model=name_of(self.model),
            top_k=wanted.top,
            score_threshold=wanted.score_threshold,
            answerability_threshold=wanted.answerability_threshold,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> AnselmRanker:
        return default_from_dict(cls, data)
