"""Trees with what drew attention in them, as SVG: the more of it, the darker a constituent or word is underlaid.

Of attributes alone, without styles and scripts, so that it may stand in any page.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import sqrt

from anselm.scorer import AttendedPair, Constituent

LETTER, LINE, GAP, MARGIN = 8.2, 58, 12, 14  # width of a letter, height of a level, between words, around
INK, GREY, WORD, MARK = "#222222", "#777777", "#0055cc", "#e8912d"
HEAD = 'font-family="monospace" font-size="14" text-anchor="middle"'


def attended_svg(pair: AttendedPair, title: str = "What drew attention") -> str:
    """The question's tree above the candidate's."""
    return draw_attended([("question", pair.question), ("answer", pair.candidate)], title)


def attended_page(pair: AttendedPair, title: str = "What drew attention") -> str:
    """The same as a page."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{attended_svg(pair, title)}</body></html>\n'


def draw_attended(trees: Sequence[tuple[str, Constituent]], title: str) -> str:
    """Each with what it is the tree of, under the one before it."""
    parts, top, wide = list[str](), float(MARGIN), 0.0
    for name, tree in trees:
        parts.append(f'<text x="{MARGIN}" y="{top + 12:.1f}" text-anchor="start" fill="{GREY}">{escape(name)}</text>')
        drawn, width, height = _tree(tree, top + 22)
        parts, top, wide = [*parts, *drawn], top + 22 + height, max(wide, width)
    right, bottom = f"{wide + MARGIN:.0f}", f"{top + MARGIN:.0f}"
    size = f'width="{right}" height="{bottom}" viewBox="0 0 {right} {bottom}" role="img"'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {HEAD} fill="{INK}">'
    background = f'<title>{escape(title)}</title>\n<rect width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join([start, background, *parts, "</svg>\n"])


def _tree(tree: Constituent, top: float) -> tuple[list[str], float, float]:
    """(elements, width, height): words side by side, everything else above the middle of its children."""
    nodes = list(tree.walk())
    middles, right = dict[int, float](), float(MARGIN)
    for one, _ in nodes:
        if not one.children:
            width = _width(one)
            middles[id(one)], right = right + width / 2, right + width + GAP
    for one, _ in reversed(nodes):  # children before their parents
        if one.children:
            middles[id(one)] = (middles[id(one.children[0])] + middles[id(one.children[-1])]) / 2
    parts = [part for one, level in nodes for part in _node(one, middles, top + level * LINE)]
    return parts, right, (max(level for _, level in nodes) + 1) * LINE


def _width(one: Constituent) -> float:
    return max(len(one.word), len(one.label), 3) * LETTER


def _node(one: Constituent, middles: dict[int, float], y: float) -> list[str]:
    x, width = middles[id(one)], _width(one) + 6
    below = 34 if one.word else 17
    lines = [
        f'<line x1="{x:.1f}" y1="{y + below + 13:.1f}" x2="{middles[id(child)]:.1f}" y2="{y + LINE:.1f}" '
        f'stroke="{GREY}"/>'
        for child in one.children
    ]
    mark = (
        f'<rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="{below + 1}" rx="4" fill="{MARK}" '
        f'fill-opacity="{0.85 * sqrt(min(1.0, one.share)):.3f}"/>'
    )
    label = f'<text x="{x:.1f}" y="{y + 13:.1f}">{_fit(one.label)}</text>'
    word = [f'<text x="{x:.1f}" y="{y + 29:.1f}" fill="{WORD}">{_fit(one.word)}</text>'] if one.word else []
    share = escape(spell_share(one.share))
    told = f'<text x="{x:.1f}" y="{y + below + 11:.1f}" font-size="10" fill="{GREY}">{share}</text>'
    return [*lines, mark, label, *word, told]


def spell_share(share: float) -> str:
    """Small ones are told from none."""
    return f"{share:.0%}" if share >= 0.005 else "<1%"


def _fit(text: str) -> str:
    """Characters that XML has no place for become a mark."""
    return escape("".join(letter if letter.isprintable() else "\ufffd" for letter in text))
