"""What a model saw in a list, to be looked at: its graphs over the candidates, and what else it offers to show."""

from __future__ import annotations

from typing import Any

from anselm.abilities import Relates, Shows
from anselm.data.question import Question
from anselm.ranking.context_pictures import NARROW, draw_svg
from anselm.ranking.contexts import STRONGEST, Context, Edge, find_context, strongest_edges
from anselm.scorer import Figure, Perspective, Scorer

SHORT = 60  # characters by which a candidate is called in a sentence
TITLE = "The candidates among each other"


def has_figures(scorer: Scorer) -> bool:
    return isinstance(scorer, Relates | Shows)


def draw_figures(scorer: Scorer, question: Question, place: int, name: str) -> tuple[Figure, ...]:
    """All that a model has to show of a list whose best candidate is at `place`; nothing, of most models."""
    graphs = [graph_figure(find_context(scorer, question, name))] if isinstance(scorer, Relates) else []
    return (*graphs, *(scorer.figures(question, place) if isinstance(scorer, Shows) else ()))


def graph_figure(context: Context) -> Figure:
    """In the values, edges have the numbers of candidates in `texts`, which stand in the order of the source."""
    found = [(one, strongest_edges(one)) for one in context.perspectives]
    graphs = [{"name": one.name, "about": one.about, "edges": [*map(_record, edges)]} for one, edges in found]
    scores = {"alone": context.alone.tolist(), "together": context.together.tolist()}
    values = {"texts": list(context.texts), **scores, "graphs": graphs}
    sentences = tuple(_told(one, edges, context) for one, edges in found)
    return Figure("graphs", TITLE, draw_svg(context, NARROW), sentences, values)


def _record(edge: Edge) -> dict[str, Any]:
    note = {"note": edge.note} if edge.note else {}
    return {"from": edge.i, "to": edge.j, "weight": round(edge.weight, 4), **note}


def _told(perspective: Perspective, edges: list[Edge], context: Context) -> str:
    """The nearest neighbours of the best candidate, strongest first."""
    near = sorted((edge for edge in edges if context.best in (edge.i, edge.j)), key=lambda edge: -edge.weight)
    said = ", ".join(_neighbour(edge, context) for edge in near[:STRONGEST])
    graph = f"{perspective.name.capitalize()} ({perspective.about})"
    return f"{graph}: the best candidate is linked to {said}." if said else f"{graph}: the best candidate has no link."


def _neighbour(edge: Edge, context: Context) -> str:
    text = _short(context.texts[edge.j if edge.i == context.best else edge.i])
    return f"“{text}”" + (f" ({edge.note})" if edge.note else "")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHORT else f"{text[: SHORT - 1].rstrip()}…"
