"""A drop-in for sentence-transformers' `CrossEncoder`: `rank` and `predict` as there, without torch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.errors import InputError, MissingExtraError
from anselm.integrations.selection import Model, Selection, open_ranker, verdict
from anselm.ranking.ranker import Ranker

Floats = NDArray[np.float64]


class CrossEncoder:
    """Scores are probabilities. What else sentence-transformers takes (`device`, `batch_size`) is passed over."""

    def __init__(self, model_name_or_path: Model = "default", **unused: Any) -> None:
        self.ranker = open_ranker(model_name_or_path)

    def rank(
        self,
        query: str,
        documents: Sequence[str],
        top_k: int | None = None,
        return_documents: bool = False,
        *,
        score_threshold: float | None = None,
        **unused: Any,
    ) -> list[dict[str, Any]]:
        """Best first, each with its place as `corpus_id`, and the verdict beside its score."""
        ranking = Selection(top_k, score_threshold).of(self.ranker, query, list(documents))
        return [
            {
                "corpus_id": one.index,
                "score": one.relevance,
                **({"text": one.item} if return_documents else {}),
                **verdict(ranking, one),
            }
            for one in ranking
        ]

    def predict(
        self,
        inputs: Sequence[Sequence[str]] | Sequence[str],
        *,
        activation_fn: Callable[[Any], Any] | None = None,
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        **unused: Any,
    ) -> Any:
        """Probabilities of pairs, in their order; pairs of one question are a list.

        An `activation_fn` gets the model's raw scores instead, as a tensor; `torch.nn.Identity()` shows them.
        """
        single = len(inputs) == 2 and all(isinstance(text, str) for text in inputs)
        pairs = check_pairs([inputs] if single else inputs)
        scores, relevances = score_pairs(self.ranker, pairs)
        found: Any = relevances.astype(np.float32)
        if activation_fn is not None or convert_to_tensor or not convert_to_numpy:
            found = as_tensor(found) if activation_fn is None else activation_fn(as_tensor(scores.astype(np.float32)))
        if activation_fn is not None and convert_to_numpy and not convert_to_tensor:
            found = found.numpy()
        if not convert_to_numpy and not convert_to_tensor:
            found = list(found)
        return found[0] if single else found


def check_pairs(given: Sequence[Any]) -> list[tuple[str, str]]:
    for place, pair in enumerate(given):
        if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise InputError(f"pair {place} must be a question and a text, not {pair!r:.80}")
    return [(question, text) for question, text in given]


def score_pairs(ranker: Ranker, pairs: Sequence[tuple[str, str]]) -> tuple[Floats, Floats]:
    """Raw scores and relevances. Pairs of the same question are a list, wherever they stand."""
    scores, relevances = np.full(len(pairs), -np.inf), np.zeros(len(pairs))
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, (question, _) in enumerate(pairs):
        places[question].append(place)
    lists = {asked: own for asked, own in places.items() if any(pairs[place][1].strip() for place in own)}
    rankings = ranker.rank_many(list(lists), [[pairs[place][1] for place in own] for own in lists.values()])
    for ranking, own in zip(rankings, lists.values(), strict=True):
        for one in ranking:
            scores[own[one.index]], relevances[own[one.index]] = one.score, one.relevance
    return scores, relevances


def as_tensor(values: Any) -> Any:
    try:
        import torch
    except ModuleNotFoundError as error:
        raise MissingExtraError("a tensor", "train") from error
    return torch.from_numpy(values)
