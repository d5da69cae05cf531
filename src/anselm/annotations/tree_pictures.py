"""Trees as a picture: SVG of attributes alone, so that it may stand in a page that allows no styles but its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import sqrt
from typing import Protocol, TypeVar
from xml.sax.saxutils import quoteattr

from anselm.annotations.trees import Tree

LETTER, LINE, GAP, MARGIN = 8.2, 44, 14, 12  # width of a letter, height of a level, between words, around
SHARE = 14  # height of a share, where there are some
INK, GREY, WORD, MARK = "#222222", "#777777", "#0055cc", "#e8912d"
HEAD = 'font-family="monospace" font-size="14" text-anchor="middle"'


class Node(Protocol):
    """A constituent with its children, or a part of speech with its word."""

    @property
    def label(self) -> str: ...

    @property
    def word(self) -> str: ...

    @property
    def children(self) -> Sequence[Node]: ...

    def walk(self) -> Iterator[tuple[Node, int]]: ...


N = TypeVar("N", bound=Node)
Shares = Callable[[N], float]


def tree_svg(trees: Sequence[Tree], title: str = "Trees") -> str:
    """Each tree under the one before it."""
    return draw_trees([("", tree) for tree in trees], title)


def draw_trees(trees: Sequence[tuple[str, N]], title: str, share: Shares[N] | None = None) -> str:
    """Each with what it is the tree of, under the one before it. The larger a share, the darker its node."""
    parts, top, wide = list[str](), float(MARGIN), 0.0
    for name, tree in trees:
        if name:
            parts.append(_text(name, MARGIN, top + 12, f'text-anchor="start" fill="{GREY}"'))
            top += 22
        drawn, width, height = _tree(tree, top, share)
        parts, top, wide = [*parts, *drawn], top + height, max(wide, width)
    right, bottom = f"{wide + MARGIN:.0f}", f"{top + MARGIN:.0f}"
    size = f'width="{right}" height="{bottom}" viewBox="0 0 {right} {bottom}"'
    named = f'role="img" aria-label={quoteattr(title)}'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {named} {HEAD} fill="{INK}">'
    return "\n".join([start, '<rect width="100%" height="100%" fill="#ffffff"/>', *parts, "</svg>\n"])


def spell_share(share: float) -> str:
    """Small ones are told from none."""
    return f"{share:.0%}" if share >= 0.005 else "<1%"


def _tree(tree: N, top: float, share: Shares[N] | None) -> tuple[list[str], float, float]:
    """(elements, width, height): words side by side, everything else above the middle of its children."""
    nodes, line = list(tree.walk()), LINE + (SHARE if share else 0)
    middles, right = dict[int, float](), float(MARGIN)
    for one, _ in nodes:
        if not one.children:
            width = _width(one)
            middles[id(one)], right = right + width / 2, right + width + GAP
    for one, _ in reversed(nodes):  # children before their parents
        if one.children:
            middles[id(one)] = (middles[id(one.children[0])] + middles[id(one.children[-1])]) / 2
    parts = list[str]()
    for one, level in nodes:
        x, y = middles[id(one)], top + level * line
        down = y + (34 if one.word else 17)
        parts += [_line(x, down + (SHARE if share else 1), middles[id(child)], y + line) for child in one.children]
        parts += _shared(one, x, y, down, share(one)) if share else []  # type: ignore[arg-type]
        parts.append(_text(one.label, x, y + 13))
        parts += [_text(one.word, x, y + 29, f'fill="{WORD}"')] if one.word else []
    return parts, right, (max(level for _, level in nodes) + 1) * line


def _shared(one: Node, x: float, y: float, down: float, share: float) -> list[str]:
    width, strength = _width(one) + 6, 0.85 * sqrt(min(1.0, share))
    box = f'x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="{down - y + 1:.1f}" rx="4"'
    mark = f'<rect {box} fill="{MARK}" fill-opacity="{strength:.3f}"/>'
    return [mark, _text(spell_share(share), x, down + 11, f'font-size="10" fill="{GREY}"')]


def _width(one: Node) -> float:
    return max(len(one.word), len(one.label), 3) * LETTER


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{GREY}"/>'


def _text(text: str, x: float, y: float, more: str = "") -> str:
    """Characters that XML has no place for become a mark."""
    shown = escape("".join(letter if letter.isprintable() else "\ufffd" for letter in text))
    return f'<text x="{x:.1f}" y="{y:.1f}"{" " * bool(more)}{more}>{shown}</text>'
