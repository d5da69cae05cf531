"""Trees with what drew attention in them: the more of it, the darker a constituent or word is laid under."""

from __future__ import annotations

from html import escape

from anselm.annotations.tree_pictures import draw_trees, spell_share
from anselm.scorer import AttendedPair, Constituent, Figure

TITLE = "What drew attention"
TOLD = 3  # words that are named, where a picture is told in a sentence


def attended_figure(pair: AttendedPair) -> Figure:
    """The picture, in words, and as values: every node with its label, its share, and its word or its children."""
    trees = {"question": pair.question, "answer": pair.candidate}
    sentences = tuple(_told(name, tree) for name, tree in trees.items())
    values = {"trees": [{"of": name, "tree": _record(tree)} for name, tree in trees.items()]}
    return Figure("trees", f"{TITLE} in question and answer", attended_svg(pair), sentences, values)


def attended_svg(pair: AttendedPair, title: str = TITLE) -> str:
    """The question's tree above the candidate's."""
    named = [("question", pair.question), ("answer", pair.candidate)]
    return draw_trees(named, title, lambda one: one.share)


def attended_page(pair: AttendedPair, title: str = TITLE) -> str:
    """The same as a page."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{attended_svg(pair, title)}</body></html>\n'


def _told(name: str, tree: Constituent) -> str:
    words = sorted((one for one, _ in tree.walk() if one.word), key=lambda one: -one.share)[:TOLD]
    said = ", ".join(f"{one.word} ({spell_share(one.share)})" for one in words)
    return f"Of the {name}, most attention was drawn by {said}." if said else f"The {name} has no word."


def _record(one: Constituent) -> dict[str, object]:
    below = {"word": one.word} if one.word else {"children": [_record(child) for child in one.children]}
    return {"label": one.label, "share": round(one.share, 4), **below}
