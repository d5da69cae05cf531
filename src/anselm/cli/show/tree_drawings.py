"""A tree as it is drawn: in a terminal, line by line, and as an SVG picture."""

from __future__ import annotations

from xml.sax.saxutils import escape

from anselm.annotations.trees import Tree

LETTER, LINE, GAP, MARGIN = 8.2, 44, 14, 12  # of a picture: width of a letter, height of a level, between words, around
_STYLE = "text{font:14px monospace;text-anchor:middle;fill:#222}.w{fill:#05c}line{stroke:#888}"


def draw_tree(tree: Tree) -> str:
    """One constituent or word per line, deeper ones further right; the category above a single word is on its line."""
    lines = []
    waiting: list[tuple[Tree, str, str]] = [(tree, "", "")]
    while waiting:
        one, before, below = waiting.pop()
        names = [one.label]
        while len(one.children) == 1:
            one = one.children[0]
            names.append(one.label)
        lines.append(f"{before}{' '.join(names)}{f' {one.word}' if one.word else ''}")
        last = len(one.children) - 1
        places = reversed(list(enumerate(one.children)))
        waiting += [
            (child, below + ("└─ " if place == last else "├─ "), below + ("   " if place == last else "│  "))
            for place, child in places
        ]
    return "\n".join(lines)


def tree_svg(trees: list[Tree]) -> str:
    """Each tree under the one before it."""
    parts, top, wide = list[str](), float(MARGIN), 0.0
    for tree in trees:
        drawn, width, height = _draw(tree, top)
        parts, top, wide = [*parts, *drawn], top + height + LINE, max(wide, width)
    size = f'width="{wide + MARGIN:.0f}" height="{top:.0f}"'
    background = '<rect width="100%" height="100%" fill="#fff"/>'
    content = "\n".join([f"<style>{_STYLE}</style>", background, *parts])
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{content}\n</svg>\n'


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
        f'<line x1="{x:.1f}" y1="{y + 18:.1f}" x2="{middles[id(child)]:.1f}" y2="{y + LINE:.1f}"/>'
        for child in tree.children
    ]
    word = f'<text class="w" x="{x:.1f}" y="{y + 30:.1f}">{_fit(tree.word)}</text>'
    return [*lines, f'<text x="{x:.1f}" y="{y + 14:.1f}">{_fit(tree.label)}</text>', *([word] if tree.word else [])]


def _fit(text: str) -> str:
    """Characters that XML has no place for become a mark."""
    return escape("".join(letter if letter.isprintable() else "\ufffd" for letter in text))
