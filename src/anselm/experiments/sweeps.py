"""How much a setting matters, drawn from recorded results: rows that differ in one setting, as curves.

Figure 8 of gated-group-self-attention, by the size of a group and the number of heads; Table 8 of attentive-clustering,
by alpha. Needs matplotlib, which comes with `anselm[plot]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anselm.errors import InputError
from anselm.evaluation.plots import BLUE, GREY, check_plot, write_figure
from anselm.experiments.results import Result
from anselm.experiments.schema import Recipe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SEVERAL = 3  # panels beside each other, where there is one for each test set


@dataclass(frozen=True)
class Sweep:
    """Rows named `setting-number`, such as heads-4, and the row that is a point of all of their curves."""

    title: str
    table: str
    metric: str
    settings: Mapping[str, str]  # -> what stands below the axis
    usual: Mapping[str, Mapping[str, float]]  # row -> setting -> its value there
    log: bool = False

    def value(self, row: str, setting: str) -> float | None:
        """Where a row stands on the curve of a setting, if it does."""
        match = re.fullmatch(rf"{setting}-(\d+(?:\.\d+)?)", row)
        return float(match[1]) if match else self.usual.get(row, {}).get(setting)

    def is_swept(self, row: str) -> bool:
        return row not in self.usual and any(self.value(row, one) is not None for one in self.settings)


SWEEPS = {  # by paper
    "gated-group-self-attention": Sweep(
        "GGSA with max pooling", "figure-8", "p@1",
        {"group": "words of a group", "heads": "heads"}, {"group-10": {"group": 10, "heads": 6}}, log=True,
    ),
    "attentive-clustering": Sweep(
        "Attentive clustering", "table-8", "map",
        {"alpha": "α, the weight of answers alike"},
        {"attentive-pooling": {"alpha": 0.0}, "attentive-clustering": {"alpha": 0.4}},
    ),
}  # fmt: skip
Place = tuple[str, str, str]  # corpus, split, protocol


def save_sensitivity(results: Sequence[Result], path: Path) -> None:
    """A panel for each setting and test set."""
    paper = drawn_paper(results, path)
    write_figure(lambda: draw([result for result in results if result.paper == paper], SWEEPS[paper]), path)


def drawn_paper(rows: Sequence[Result | Recipe], path: Path) -> str:
    """The paper that a picture of some rows is of; asked before they are run, too."""
    check_plot(path)
    papers = {row.paper for row in rows if row.paper in SWEEPS and SWEEPS[row.paper].is_swept(row.row)}
    if not papers:
        known = " or ".join(f"{paper}/{sweep.table}" for paper, sweep in SWEEPS.items())
        raise InputError(f"there are no rows to draw among these, such as group-20 or alpha-0.2; {known} have some")
    if len(papers) > 1:
        raise InputError(f"one picture is of one paper; name one of {', '.join(sorted(papers))}")
    return papers.pop()


def draw(results: Sequence[Result], sweep: Sweep) -> Figure:
    from matplotlib.figure import Figure

    places = sorted({place_of(result) for result in results if sweep.is_swept(result.row)})
    panels = [(place, setting) for place in places for setting in sweep.settings]
    columns = len(sweep.settings) if len(sweep.settings) > 1 else min(SEVERAL, len(panels))
    lines = -(-len(panels) // columns)
    figure = Figure(figsize=(max(4.5 * columns, 6), 0.4 + 3.4 * lines), layout="constrained")
    axes = figure.subplots(lines, columns, squeeze=False, sharey="row" if len(sweep.settings) > 1 else False).flat
    for place, setting in panels:
        draw_panel(next(axes), [result for result in results if place_of(result) == place], sweep, setting)
    for left in axes:
        left.set_axis_off()
    title = f"{sweep.title}, mean and deviation over seeds"
    figure.suptitle(title, x=0.008, ha="left", fontsize=10.5)
    return figure


def place_of(result: Result) -> Place:
    return result.corpus, result.split, result.protocol


def points(results: Sequence[Result], sweep: Sweep, setting: str) -> list[tuple[float, Result]]:
    """The rows of one curve, by its setting."""
    found = [(value, result) for result in results if (value := sweep.value(result.row, setting)) is not None]
    return sorted(found, key=lambda point: point[0])


def draw_panel(axes: Axes, results: Sequence[Result], sweep: Sweep, setting: str) -> None:
    """One test set by one setting."""
    draw_curve(axes, points(results, sweep, setting), sweep)
    corpus, split, protocol = place_of(results[0])
    axes.set_title(f"{corpus}, {split} ({protocol})", fontsize=9.5, color=GREY)
    axes.set_xlabel(sweep.settings[setting])
    if axes.get_subplotspec().is_first_col():  # type: ignore[union-attr]
        axes.set_ylabel(sweep.metric.upper())


def draw_curve(axes: Axes, curve: Sequence[tuple[float, Result]], sweep: Sweep) -> None:
    values = [value for value, _ in curve]
    metrics = [result.metrics[sweep.metric] for _, result in curve]
    axes.errorbar(
        values, [metric["mean"] for metric in metrics], yerr=[metric["sd"] for metric in metrics],
        color=BLUE, marker="o", markersize=5, linewidth=1.5, capsize=3,
    )  # fmt: skip
    if sweep.log:
        axes.set_xscale("log")
    axes.set_xticks(values, [f"{value:g}" for value in values])
    axes.minorticks_off()
