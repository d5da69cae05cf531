"""What the graphs over a list are made of, as columns: the entities and the meaning of its candidates, and where they
stand. A model's featurizer adds them, and its forward finds them in the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from anselm.annotations.entities import find_entities, holders, shared_entities
from anselm.annotations.sentence_vectors import WIDTH, text_vectors
from anselm.checkpoints.settings import check_choice, check_least
from anselm.data.question import Question
from anselm.encoding.lists import POSITIONS, Lists
from anselm.errors import InputError
from anselm.layers.graph import ACTIVATIONS
from anselm.layers.layout import Layout
from anselm.layers.perspectives import (
    DISTANCE,
    DYNAMIC,
    ENTITY,
    FUSIONS,
    PERSPECTIVES,
    SIMILARITY,
    GraphEncoder,
    GraphSettings,
    Relations,
)
from anselm.models.frames.columns import BatchColumns
from anselm.scorer import Perspective, Scores

DOCUMENTS = "documents"  # columns of pairs: the document that a candidate is from,
SHARED, NAMED = "shared", "named"  # the entities that it shares with others of its list, and whether it has any;
VECTORS = "vectors"  # of texts: their meaning


ABOUT = {
    ENTITY: "share an entity",
    DISTANCE: "stand near each other",
    SIMILARITY: "mean something similar",
    DYNAMIC: "what the model attends to",
}


def check_graphs(settings: GraphSettings) -> None:
    for name in settings.graphs:
        check_choice("graph", name, PERSPECTIVES)
    if not settings.graphs or len(set(settings.graphs)) < len(settings.graphs):
        raise InputError(
            f"graphs is {settings.graphs!r}, but must be one or more of {', '.join(PERSPECTIVES)}, once each"
        )
    check_choice("activation", settings.activation, ACTIVATIONS)
    check_choice("fusion", settings.fusion, FUSIONS)
    check_least(settings, {"graph_layers": 1})
    if not settings.sigma > 0:
        raise InputError(f"sigma is {settings.sigma}, but must be above 0")
    if not 0 <= settings.graph_dropout < 1:
        raise InputError(f"graph_dropout is {settings.graph_dropout}, but must be from 0 to below 1")


def add_relations(lists: Lists, questions: Sequence[Question], settings: GraphSettings) -> Lists:
    """Of graphs that are not there nothing is worked out."""
    count = int(lists.bounds[-1])
    documents = [candidate.document for question in questions for candidate in question.candidates]
    pairs: dict[str, NDArray[Any]] = {DOCUMENTS: np.array(documents, dtype=np.int64)}
    pairs[SHARED], pairs[NAMED] = np.zeros((count, 1), dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    vectors = np.zeros((len(lists.texts.starts), WIDTH), dtype=np.float16)
    which = np.unique(lists.candidates)
    texts = [lists.texts.strings[text] for text in which]
    if ENTITY in settings.graphs:
        names = dict(zip(which.tolist(), find_entities(texts, settings.entities), strict=True))
        pairs[SHARED], pairs[NAMED] = _entity_columns(lists, names, settings.partial_names)
    if SIMILARITY in settings.graphs:
        vectors[which] = text_vectors(texts)
    return lists.add(texts={VECTORS: vectors}, pairs=pairs)


def _entity_columns(
    lists: Lists, names: dict[int, frozenset[str]], partial: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(pairs, entities), numbered list by list, and (pairs,)"""
    of_pairs = [names[text] for text in lists.candidates.tolist()]
    parts = [
        shared_entities(of_pairs[start:end], partial)
        for start, end in zip(lists.bounds, lists.bounds[1:], strict=False)
    ]
    shared = np.zeros((len(of_pairs), max((part.shape[1] for part in parts), default=0) or 1), dtype=np.bool_)
    for start, part in zip(lists.bounds, parts, strict=False):
        shared[start : start + len(part), : part.shape[1]] = part
    return shared, np.array([bool(found) for found in of_pairs], dtype=np.bool_)


@torch.no_grad()
def seen_graphs(
    score: Callable[[Sequence[Question]], list[Scores]], graph: GraphEncoder, question: Question
) -> list[Perspective]:
    """The graphs that a model scores a list through, before they are normalised, for somebody who looks at them."""
    seen: list[Any] = []
    watching = graph.register_forward_pre_hook(lambda _, given: seen.append(given))
    try:
        score([question])
    finally:
        watching.remove()
    notes = _shared_names(question, graph.settings)
    return [
        Perspective(name, ABOUT[name], edges[0].double().cpu().numpy(), notes if name == ENTITY else {})
        for given in seen
        for name, edges in graph.graphs(*given)
    ]


def _shared_names(question: Question, settings: GraphSettings) -> dict[tuple[int, int], str]:
    names = find_entities([candidate.content for candidate in question.candidates], settings.entities)
    found: dict[tuple[int, int], list[str]] = {}
    for name, own in sorted(holders(names, settings.partial_names).items()):
        for pair in combinations(sorted(own), 2):
            found.setdefault(pair, []).append(name)
    return {pair: ", ".join(shared) for pair, shared in found.items()}


def batch_relations(columns: BatchColumns, layout: Layout, first: Tensor | None = None) -> Relations:
    """`first` has the pair that stands for each candidate, where some are in windows."""

    def padded(column: Tensor, fill: float = 0) -> Tensor:
        return layout.pad(column if first is None else column[first], fill)

    pairs = columns.pairs
    foreign = pairs[POSITIONS] < 0  # their entities are numbered by another list
    return Relations(
        layout.mask, padded(pairs[POSITIONS], -1), padded(pairs[DOCUMENTS]),
        padded(pairs[SHARED] & ~foreign[:, None]), padded(pairs[NAMED]), padded(columns.candidates[VECTORS]),
    )  # fmt: skip
