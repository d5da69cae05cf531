"""What every integration does: rank what a retriever found, and leave out what is too improbable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anselm.data.objects import candidate_from_object
from anselm.errors import InputError
from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker

Model = str | Path | Ranker  # a name from `anselm models`, a checkpoint folder, or what is loaded already


def open_ranker(model: Model) -> Ranker:
    return model if isinstance(model, Ranker) else Ranker.load(model)


def name_of(model: Model) -> str:
    """What a pipeline that is written to a file says, so that it can be loaded again."""
    return model.name if isinstance(model, Ranker) else str(model)


@dataclass(frozen=True)
class Selection:
    """What of a ranking is handed on: the first `top`, of which none below `score_threshold`.

    Nothing at all is, where it is less probable than `answerability_threshold` that the list holds an answer.
    """

    top: int | None = None
    score_threshold: float | None = None
    answerability_threshold: float | None = None

    def __post_init__(self) -> None:
        if self.top is not None and self.top < 1:
            raise InputError(f"at least 1 document must be asked for, not {self.top}")
        for name in ("score_threshold", "answerability_threshold"):
            if (value := getattr(self, name)) is not None and not 0 <= value <= 1:
                raise InputError(f"{name} is a probability, from 0 to 1, not {value}")

    def of(self, ranker: Ranker, question: str, documents: Sequence[Any]) -> Ranking[Result]:
        """With the very documents as `item`s; unlike elsewhere there may be no result."""
        if not documents:
            return Ranking(question, ranker.name, None, None, ())
        ranking = rank_documents(ranker, question, documents)
        if (ranking.answerability if ranking.answerability is not None else 1) < (self.answerability_threshold or 0):
            return replace(ranking, results=())
        least = self.score_threshold or 0
        return replace(ranking, results=tuple(one for one in ranking.results[: self.top] if one.relevance >= least))


def rank_documents(ranker: Ranker, question: str, documents: Sequence[Any]) -> Ranking[Result]:
    """By places, not ids: joined retrievers find a document twice. Where none has a text, none is an answer."""
    found = [candidate_from_object(document, place) for place, document in enumerate(documents)]
    candidates = [replace(candidate, id=str(place)) for place, candidate in enumerate(found)]
    if not any(candidate.text.strip() for candidate in candidates):
        nothing = (Result(place, "", float("-inf"), 0.0) for place in range(len(documents)))
        ranking = Ranking(question, ranker.name, False, None, tuple(nothing), 0.0, empty=len(documents))
    else:
        ranking = ranker.rank(question, candidates)
    return replace(ranking, results=tuple(replace(one, item=documents[one.index]) for one in ranking))


def verdict(ranking: Ranking[Result], result: Result) -> dict[str, Any]:
    """What a document's metadata are told: None where nobody can tell."""
    return {
        "probability": result.probability,
        "answerable": ranking.answerable,
        "answerability": ranking.answerability,
    }
