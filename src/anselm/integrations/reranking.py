"""What LangChain's and LlamaIndex's rerankers have in common: both are pydantic models, with the same fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, PrivateAttr

from anselm.integrations.selection import Model, Selection, open_ranker
from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker


class Reranking(BaseModel):
    """To be inherited from before the framework's own class."""

    model: Model = "default"
    top_n: int | None = 3
    score_threshold: float | None = None
    answerability_threshold: float | None = None

    model_config = ConfigDict(arbitrary_types_allowed=True)
    _ranker: Ranker = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._selection()  # a threshold that is none is told now
        self._ranker = open_ranker(self.model)

    def ranked(self, question: str, documents: Sequence[Any]) -> Ranking[Result]:
        return self._selection().of(self._ranker, question, documents)

    def _selection(self) -> Selection:
        return Selection(self.top_n, self.score_threshold, self.answerability_threshold)
