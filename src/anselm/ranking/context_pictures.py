"""A list and its graphs as a picture: SVG, or a page around it on which graphs can be switched off. Nothing is loaded.

From left to right: a lane with arcs for each graph; each candidate with its rank alone and among the others; its share
of the list, grey alone and dark among the others; its text. The best one is marked.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape as escape_html
from pathlib import Path

import numpy as np

from anselm.errors import InputError
from anselm.files import replace_file
from anselm.ranking.contexts import Context, Edge, shares, strongest_edges
from anselm.scorer import Perspective

FORMATS = (".svg", ".html")
MOST = 40  # candidates in a picture
COLOURS = ("#c8702a", "#2f5d8a", "#3c7d5a", "#8a4f9e", "#a8323e", "#5b6b73")
INK, GREY, FAINT, MARK = "#222222", "#8a8a8a", "#e6e6e6", "#fff4d6"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ROW, TOP, EDGE = 46, 112, 18  # heights and widths, in pixels


@dataclass(frozen=True)
class Columns:
    """How wide a picture is, in pixels; a text has so many characters in a line, or so many bold ones."""

    lane: int  # of a graph
    ranks: int
    bars: int
    text: int
    line: int
    bold: int
    name: int = 13  # the size of a graph's name


WIDE, NARROW = Columns(104, 92, 150, 640, 88, 80), Columns(64, 80, 110, 276, 39, 35, name=11)


def escape(text: str) -> str:
    """Characters that XML has no place for become a mark."""
    return escape_html(_NO_XML.sub("\ufffd", text))


def check_picture(path: Path) -> None:
    """Before anything is read."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"the picture {path} must end in one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise InputError(f"the folder of the picture {path} does not exist")


def save_picture(context: Context, path: Path) -> None:
    check_picture(path)
    drawn = draw_page(context) if path.suffix.lower() == ".html" else draw_svg(context)
    replace_file(path, drawn.encode())


def draw_svg(context: Context, columns: Columns = WIDE) -> str:
    """Of a long list, the best `MOST`."""
    order = np.argsort(-context.together, kind="stable")
    ranks = {int(place): number for number, place in enumerate(order, start=1)}
    before = {int(place): n for n, place in enumerate(np.argsort(-context.alone, kind="stable"), start=1)}
    chosen = sorted(int(place) for place in order[:MOST])
    share = shares(context.alone)[chosen], shares(context.together)[chosen]
    shown = context.only(chosen)
    lanes = len(shown.perspectives)
    left = EDGE + lanes * columns.lane
    width, height = left + columns.ranks + columns.bars + columns.text + EDGE, TOP + ROW * len(shown) + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="13" fill="{INK}">',
        f"<title>{escape(context.question)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        _heading(context, left, width, columns),
        *_rows(shown, [(before[place], ranks[place]) for place in chosen], share, left, columns),
        *(_lane(one, number, shown, columns) for number, one in enumerate(shown.perspectives)),
        _foot(context, len(shown), height),
        "</svg>",
    ]
    return "\n".join(parts)


def _heading(context: Context, left: int, width: int, columns: Columns) -> str:
    bars, text = left + columns.ranks, left + columns.ranks + columns.bars
    names = {left + 8: "rank", bars: "share of the list", text: "sentence, in source order"}
    titles = "".join(f'<text x="{x}" y="{TOP - 12}" fill="{GREY}">{title}</text>' for x, title in names.items())
    question = escape(_shortened(context.question, width // 10))
    return (
        f'<text x="{EDGE}" y="32" font-size="18" font-weight="600">{question}</text>{titles}'
        f'<line x1="{EDGE}" x2="{width - EDGE}" y1="{TOP - 4}" y2="{TOP - 4}" stroke="{FAINT}"/>'
    )


def _foot(context: Context, shown: int, height: int) -> str:
    count = f"the best {shown} of {len(context)} candidates" if shown < len(context) else f"{shown} candidates"
    said = "grey: alone; dark: among the others; lines: the three strongest of each sentence"
    words = f"{escape(context.model)}: {count}; {said}"
    return f'<text x="{EDGE}" y="{height - 12}" font-size="12" fill="{GREY}">{words}</text>'


def _rows(
    context: Context, ranks: list[tuple[int, int]], share: tuple[np.ndarray, np.ndarray], left: int, columns: Columns
) -> Iterator[str]:
    bars, texts = left + columns.ranks, left + columns.ranks + columns.bars
    width = texts + columns.text - EDGE
    most = max(float(share[0].max()), float(share[1].max()), 1e-9)
    for row, text in enumerate(context.texts):
        y = TOP + ROW * row
        best = row == context.best
        before, after = ranks[row]
        yield f'<g class="row" data-row="{row}"><title>{escape(text)}</title>'
        fill = MARK if best else "white"
        yield f'<rect x="{EDGE}" y="{y + 1}" width="{width}" height="{ROW - 2}" fill="{fill}"/>'
        yield _rank(left + 8, y, before, after, best)
        yield _bars(bars, y, share[0][row], share[1][row], most, columns.bars - 60)
        yield _text(texts, y, text, best, columns)
        yield "</g>"


def _rank(x: int, y: int, before: int, after: int, best: bool) -> str:
    sign = "▲" if after < before else "▼" if after > before else "="
    weight = ' font-weight="700"' if best else ""
    star = " ★" if best else ""
    return f'<text x="{x}" y="{y + 28}"{weight}><tspan fill="{GREY}">{before} {sign}</tspan> {after}{star}</text>'


def _bars(x: int, y: int, alone: float, together: float, most: float, room: int) -> str:
    rows = ((alone, 11, "#b9c0c6", GREY), (together, 25, "#37474f", INK))
    return "".join(
        f'<rect x="{x}" y="{y + down}" width="{max(1.0, room * share / most):.1f}" height="10" fill="{fill}"/>'
        f'<text x="{x + max(1.0, room * share / most) + 5:.1f}" y="{y + down + 9}" font-size="11" fill="{ink}">'
        f"{share:.0%}</text>"
        for share, down, fill, ink in rows
    )


def _text(x: int, y: int, text: str, best: bool, columns: Columns) -> str:
    most = columns.bold if best else columns.line
    lines = textwrap.wrap(" ".join(text.split()), most) or [""]
    if len(lines) > 2:
        lines = [lines[0], _shortened(f"{lines[1]} {lines[2]}", most)]
    first = y + (28 if len(lines) == 1 else 20)
    weight = ' font-weight="600"' if best else ""
    spans = "".join(f'<tspan x="{x}" y="{first + 17 * n}">{escape(line)}</tspan>' for n, line in enumerate(lines))
    return f"<text{weight}>{spans}</text>"


def _lane(perspective: Perspective, number: int, context: Context, columns: Columns) -> str:
    """Arcs to the left of a line of dots; the longer, the farther out. Those of the best candidate stand out."""
    colour = COLOURS[number % len(COLOURS)]
    x, room = EDGE + (number + 1) * columns.lane - 14, columns.lane - 44
    middles = [TOP + ROW * row + ROW / 2 for row in range(len(context))]
    arcs = "".join(_arc(edge, x, middles, colour, context.best, room) for edge in strongest_edges(perspective))
    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="{6 if row == context.best else 3.5}" fill="{colour}"/>'
        for row, y in enumerate(middles)
    )
    about = textwrap.wrap(perspective.about, columns.lane // 6)[:2]
    lines = "".join(
        f'<tspan x="{x + 6}" y="{TOP - 26 + 13 * n}">{escape(line)}</tspan>' for n, line in enumerate(about)
    )
    return (
        f'<g class="lane" data-lane="{escape(perspective.name)}"><title>{escape(perspective.about)}</title>'
        f'<text text-anchor="end"><tspan x="{x + 6}" y="{TOP - 42}" font-weight="600" font-size="{columns.name}" '
        f'fill="{colour}">{escape(perspective.name)}</tspan><tspan font-size="10" fill="{GREY}">{lines}</tspan></text>'
        f"{arcs}{dots}</g>"
    )


def _arc(edge: Edge, x: int, middles: list[float], colour: str, best: int, room: int) -> str:
    top, bottom = middles[edge.i], middles[edge.j]
    reach = 14 + room * ((edge.j - edge.i) / max(1, len(middles) - 1)) ** 0.6
    turn = f"{x - reach * 4 / 3:.1f}"  # a cubic curve reaches three quarters of the way to its control points
    strength = (0.2 + 0.7 * edge.weight) * (1 if best in (edge.i, edge.j) else 0.45)
    note = f"<title>{escape(edge.note)}</title>" if edge.note else ""
    return (
        f'<path class="edge" data-ends="{edge.i} {edge.j}" d="M{x} {top}C{turn} {top} {turn} {bottom} {x} {bottom}" '
        f'fill="none" stroke="{colour}" stroke-width="{0.8 + 2.2 * edge.weight:.2f}" '
        f'stroke-opacity="{strength:.2f}">{note}</path>'
    )


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def draw_page(context: Context) -> str:
    """The picture, with a switch for each graph; a sentence under the pointer shows its own lines alone."""
    switches = "".join(
        f'<label><input type="checkbox" checked data-switch="{escape(one.name)}"> <span class="swatch" '
        f'style="background:{COLOURS[number % len(COLOURS)]}"></span> {escape(one.name)}: {escape(one.about)}</label>'
        for number, one in enumerate(context.perspectives)
    )
    page = Path(__file__).with_name("context_page.html").read_text(encoding="utf-8")
    values = {"question": escape(context.question), "switches": switches, "picture": draw_svg(context)}
    for name, value in values.items():
        page = page.replace(f"<!-- {name} -->", value)
    return page
