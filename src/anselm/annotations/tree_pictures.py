"""Trees as a picture: SVG of attributes alone, so that it may stand in a page that allows no styles but its own."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from anselm.annotations.trees import Tree, write_brackets
from anselm.scorer import Figure

LETTER, LINE, GAP, MARGIN = 8.2, 44, 14, 12  # width of a letter, height of a level, between words, around
INK, GREY, WORD = "#222222", "#888888", "#0055cc"
FONT = 'font-family="monospace" font-size="14" text-anchor="middle"'


def tree_figure(trees: Sequence[tuple[str, Tree]]) -> Figure:
    """Each with what it is the tree of: "question", "answer"."""
    title = f"How the model reads {' and '.join(what for what, _ in trees)}"
    sentences = [f"The tree of the {what}: {write_brackets(tree)}" for what, tree in trees]
    values = {"trees": [{"of": what, "tree": write_brackets(tree)} for what, tree in trees]}
    return Figure("trees", title, tree_svg([tree for _, tree in trees], title), tuple(sentences), values)


def tree_svg(trees: Sequence[Tree], title: str = "Trees") -> str:
    """Each tree under the one before it."""
    parts, top, wide = list[str](), float(MARGIN), 0.0
    for tree in trees:
        drawn, width, height = _draw(tree, top)
        parts, top, wide = [*parts, *drawn], top + height + LINE, max(wide, width)
    size = f'width="{wide + MARGIN:.0f}" height="{top:.0f}" viewBox="0 0 {wide + MARGIN:.0f} {top:.0f}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label={quoteattr(title)} {FONT} fill="{INK}">'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="#ffffff"/>', *parts, "</svg>\n"])


def _draw(tree: Tree, top: float) -> tuple[list[str], float, float]:
    """(elements, width, height): words side by side, everything else above the middle of its children."""
    nodes = list(tree.walk())
    middles, right = dict[int, float](), float(MARGIN)
    for one, _ in nodes:
        if not one.children:
            width = max(len(one.word), len(one.label)) * LETTER
            middles[id(one)], right = right + width / 2, right + width + GAP
    for one, _ in reversed(nodes):  # children before their parents
        if one.children:
            middles[id(one)] = (middles[id(one.children[0])] + middles[id(one.children[-1])]) / 2
    parts = list[str]()
    for one, level in nodes:
        parts += _node(one, middles, top + level * LINE)
    return parts, right, (tree.depth + 1) * LINE


def _node(tree: Tree, middles: dict[int, float], y: float) -> list[str]:
    x = middles[id(tree)]
    lines = [
        f'<line x1="{x:.1f}" y1="{y + 18:.1f}" x2="{middles[id(child)]:.1f}" y2="{y + LINE:.1f}" stroke="{GREY}"/>'
        for child in tree.children
    ]
    word = f'<text fill="{WORD}" x="{x:.1f}" y="{y + 30:.1f}">{_fit(tree.word)}</text>'
    return [*lines, f'<text x="{x:.1f}" y="{y + 14:.1f}">{_fit(tree.label)}</text>', *([word] if tree.word else [])]


def _fit(text: str) -> str:
    """Characters that XML has no place for become a mark."""
    return escape("".join(letter if letter.isprintable() else "\ufffd" for letter in text))
