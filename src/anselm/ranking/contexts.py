"""The candidates of a list among each other: through which graphs a model sees them, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anselm.abilities import Attends, Relates
from anselm.data.question import Question
from anselm.errors import InputError
from anselm.scorer import Perspective, Scorer, Scores, score_lists

STRONGEST = 3  # edges of a candidate in each graph that are worth drawing
FAINTEST = 0.05  # of the strongest edge of a graph; below, nothing is to be seen


@dataclass(frozen=True)
class Edge:
    """Between two candidates, i before j; `weight` is a share of the strongest one of its graph."""

    i: int
    j: int
    weight: float
    note: str = ""


@dataclass(frozen=True)
class Context:
    """A list in the order of its source, its graphs, and the scores of each candidate alone and among the others."""

    question: str
    model: str
    texts: tuple[str, ...]
    perspectives: tuple[Perspective, ...]
    alone: Scores  # (n,)
    together: Scores  # (n,)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def best(self) -> int:
        return int(np.argmax(self.together))

    def only(self, chosen: Sequence[int]) -> Context:
        """Some of the candidates and what is between them; scores stay those of the whole list."""
        places = {place: number for number, place in enumerate(chosen)}
        perspectives = (
            replace(
                one,
                edges=one.edges[np.ix_(chosen, chosen)],
                notes={(places[i], places[j]): note for (i, j), note in one.notes.items() if {i, j} <= places.keys()},
            )
            for one in self.perspectives
        )
        texts, order = tuple(self.texts[place] for place in chosen), list(chosen)
        return replace(
            self, texts=texts, perspectives=tuple(perspectives), alone=self.alone[order], together=self.together[order]
        )


def find_context(scorer: Scorer, question: Question, name: str) -> Context:
    """What a model makes of a list as a whole. Alone, a candidate is a list of its own."""
    model = check_related(scorer, name)
    single = [replace(question, candidates=(candidate,)) for candidate in question.candidates]
    alone = np.concatenate(score_lists(scorer, single))
    (together,) = scorer.score([question])
    texts = tuple(one.text if one.heading else one.content for one in question.candidates)  # headings repeat
    return Context(question.text, name, texts, tuple(model.relations(question)), alone, together)


def check_drawable(scorer: Scorer, name: str) -> None:
    """Whether there is something to see of how a model reads a list: graphs, or trees."""
    if not isinstance(scorer, Relates | Attends):
        raise InputError(
            f"{name} has no graphs over the candidates of a list and no trees, so there is nothing to draw; "
            "`anselm train --data LISTS --base br-mpge-as --out FOLDER` makes a model that has graphs"
        )


def check_related(scorer: Scorer, name: str) -> Relates:
    if not isinstance(scorer, Relates):
        raise InputError(f"{name} has no graphs over the candidates of a list, so there is nothing to draw")
    return scorer


def strongest_edges(perspective: Perspective, most: int = STRONGEST) -> list[Edge]:
    """Those that are among the strongest of one of their ends; of equal ones the nearer. Loops are left out."""
    weights = np.maximum(perspective.edges, perspective.edges.T)
    np.fill_diagonal(weights, 0.0)
    top = float(weights.max(initial=0.0))
    if top <= 0:
        return []
    chosen = sorted({pair for i in range(len(weights)) for pair in _nearest(weights[i] / top, i, most)})
    return [Edge(i, j, float(weights[i, j] / top), perspective.notes.get((i, j), "")) for i, j in chosen]


def _nearest(row: Scores, i: int, most: int) -> Iterator[tuple[int, int]]:
    order = sorted(range(len(row)), key=lambda j: (-row[j], abs(i - j)))
    return ((min(i, j), max(i, j)) for j in order[:most] if row[j] >= FAINTEST)


def shares(scores: Scores) -> Scores:
    """The softmax over the list, which is what a list model learns: they sum to one."""
    finite = np.where(np.isfinite(scores), scores, -np.inf)
    raised = np.exp(finite - finite.max())
    return np.asarray(raised / raised.sum())
