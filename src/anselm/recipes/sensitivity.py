"""Figure 8 of gated-group-self-attention from recorded results: P@1 by the size of a group and by the number of heads.

Needs matplotlib, which comes with `anselm[plot]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anselm.errors import InputError
from anselm.evaluation.plots import BLUE, DASHED, GREY, check_plot, write_figure
from anselm.recipes.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

USUAL = {"ggsa-max": {"group": 10, "heads": 6}}  # the row of the tables is a point of both curves
LEVEL = "global-attention-max"
PANELS = {"group": "words of a group", "heads": "heads"}


def save_sensitivity(results: Sequence[Result], path: Path) -> None:
    """One panel for each of the two, and the level of global self-attention."""
    check_plot(path)
    corpora = {result.corpus for result in results if re.fullmatch(r"(group|heads)-\d+", result.row)}
    if not corpora:
        raise InputError("there are no recorded rows group-N or heads-N to draw; reproduce figure-8 first")
    corpus = min(corpora)
    rows = [result for result in results if result.corpus == corpus]
    write_figure(lambda: draw(rows, corpus), path)


def points(results: Sequence[Result], kind: str) -> list[tuple[int, Result]]:
    """The rows of one curve, by its setting."""
    found = {}
    for result in results:
        match = re.fullmatch(rf"{kind}-(\d+)", result.row)
        if match or result.row in USUAL:
            found[int(match[1]) if match else USUAL[result.row][kind]] = result
    return sorted(found.items())


def draw(results: Sequence[Result], corpus: str) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.8), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    level = next((result.metrics["p@1"]["mean"] for result in results if result.row == LEVEL), None)
    for place, (kind, label) in zip(axes, PANELS.items(), strict=True):
        draw_curve(place, points(results, kind), label)
        if level is not None:
            place.axhline(level, color=GREY, linewidth=1, linestyle=DASHED)
            place.annotate("global self-attention", (1, level), (-2, 3), xycoords=("axes fraction", "data"),
                           textcoords="offset points", ha="right", fontsize=8, color=GREY)  # fmt: skip
    axes[0].set_ylabel("P@1")
    figure.suptitle(
        f"GGSA with max pooling on {corpus}, mean and deviation over seeds", x=0.008, ha="left", fontsize=10.5
    )
    return figure


def draw_curve(axes: Axes, curve: Sequence[tuple[int, Result]], label: str) -> None:
    sizes = [size for size, _ in curve]
    metrics = [result.metrics["p@1"] for _, result in curve]
    axes.errorbar(
        sizes, [metric["mean"] for metric in metrics], yerr=[metric["sd"] for metric in metrics],
        color=BLUE, marker="o", markersize=5, linewidth=1.5, capsize=3,
    )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel(label)
