"""How far probabilities can be trusted, as a picture: the reliability diagram, and what each threshold would give.

Needs matplotlib, which comes with `anselm[plot]`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anselm.data.datasets import Dataset
from anselm.errors import InputError, MissingExtraError
from anselm.evaluation.report import Report
from anselm.evaluation.systems import System
from anselm.files import replace_file
from anselm.metrics.reliability import Reliability
from anselm.metrics.trust import Trust
from anselm.outputs import check_parent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")
FEW = 10  # pairs; a share of fewer says little, and its point is drawn hollow
INK, GREY, FAINT = "#222222", "#8a8a8a", "#e6e6e6"
BLUE, ORANGE, GREEN = "#2f5d8a", "#c8702a", "#3c7d5a"
DASHED = (0, (4, 3))
TOP = (0, 1.015)  # room for a line at 1
STYLE: dict[Any, Any] = {
    "font.size": 9.5, "axes.titlesize": 11, "axes.titlelocation": "left", "axes.titlepad": 8,
    "text.color": INK, "axes.labelcolor": INK, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
    "axes.edgecolor": GREY, "xtick.color": GREY, "ytick.color": GREY, "grid.color": FAINT, "grid.linewidth": 0.6,
    "axes.grid": True, "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False,
    "svg.hashsalt": "anselm",
}  # fmt: skip


def check_plot(path: Path) -> None:
    """Before anything is scored: whether the picture could be made."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"the picture {path} must end in one of {', '.join(FORMATS)}")
    check_parent(path, f"the picture {path}")
    if find_spec("matplotlib") is None:
        raise MissingExtraError("a picture", "plot")


def check_source(system: System, dataset: Dataset) -> None:
    """As above: whether there will be probabilities to draw."""
    if system.calibration is None:
        raise InputError(f"{system.name} is not calibrated, so there are no probabilities to draw: anselm calibrate")
    if dataset.worst_of:
        raise InputError(f"the protocol {dataset.protocol!r} has no probabilities to draw; another one has")


def save_plot(report: Report, path: Path) -> None:
    """Draw the probabilities of a report into a file, PNG or SVG by its name."""
    check_plot(path)
    if report.trust is None:
        raise InputError(f"{report.model} gave no probabilities, so there is nothing to draw")
    trust = report.trust
    write_figure(lambda: draw(report, trust), path)


def write_figure(make: Callable[[], Figure], path: Path) -> None:
    """PNG or SVG by the name; in our style."""
    from matplotlib import rc_context

    drawn, kind = BytesIO(), path.suffix.lower().removeprefix(".")
    with rc_context(STYLE):
        # Without the date, so that the same numbers make the same file.
        make().savefig(drawn, format=kind, dpi=160, metadata={"Date": None} if kind == "svg" else {})
    replace_file(path, drawn.getvalue())


def draw(report: Report, trust: Trust) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5.6), layout="constrained")
    places: Any = [["reliability", "tradeoff"], ["counts", "tradeoff"]]
    axes = figure.subplot_mosaic(places, width_ratios=(1.08, 1), height_ratios=(4.2, 1), gridspec_kw={"wspace": 0.06})
    draw_reliability(axes["reliability"], trust.reliability)
    draw_counts(axes["counts"], trust.reliability)
    draw_tradeoff(axes["tradeoff"], trust)
    measured = f"{report.data}, {report.split} ({report.protocol})"
    title = f"{report.model} on {measured}: {report.questions:,} questions, {report.pairs:,} pairs"
    figure.suptitle(textwrap.fill(title, 115), x=0.008, ha="left", fontsize=10.5, fontweight="bold", parse_math=False)
    return figure


def draw_reliability(axes: Axes, table: Reliability) -> None:
    """The share of the relevant in each bin against the mean probability there; on the diagonal both agree."""
    full, many = table.counts > 0, table.counts >= FEW
    confidence, accuracy = table.confidence[full], table.accuracy[full]
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=DASHED)
    axes.vlines(confidence, confidence, accuracy, color=GREY, alpha=0.45, linewidth=2)
    axes.plot(confidence, accuracy, color=BLUE, linewidth=1)
    for chosen, fill in ((many, BLUE), (full & ~many, "white")):
        dots = table.confidence[chosen], table.accuracy[chosen]
        axes.scatter(*dots, s=30, facecolor=fill, edgecolor=BLUE, linewidth=1.2, zorder=3, clip_on=False)
    axes.set(xlim=(0, 1), ylim=TOP, ylabel="share that is relevant", title="Do the probabilities hold?")
    axes.tick_params(labelbottom=False)  # the axis below has the same
    axes.set_title(f"ECE {table.error:.4f}", loc="right", color=BLUE)


def draw_counts(axes: Axes, table: Reliability) -> None:
    """How many pairs each bin holds, on a logarithmic scale that shows the small ones too."""
    heights = np.log1p(table.counts)
    edges = np.arange(len(heights)) / len(heights)
    axes.bar(edges, heights, width=1 / len(heights), align="edge", color=BLUE, alpha=0.35, edgecolor="white")
    for place in np.flatnonzero(table.counts):
        count, middle = int(table.counts[place]), edges[place] + 0.5 / len(heights)
        label = f"{count:,}" if count < 10_000 else f"{count / 1000:,.0f}k"
        axes.annotate(label, (middle, heights[place]), (0, 2), textcoords="offset points", ha="center", fontsize=6.8)
    axes.set(xlim=(0, 1), ylim=(0, 1.35 * heights.max()), ylabel="pairs (log)")
    axes.set_xlabel(f"probability, in {len(heights)} bins (hollow: fewer than {FEW} pairs)")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)


def draw_tradeoff(axes: Axes, trust: Trust) -> None:
    """Precision, recall and F1 over the questions at each threshold; beyond the last one nothing is answered."""
    curve, here = trust.tradeoff, trust.triggering
    at = np.append(0.0, curve.threshold[::-1])
    lines = {"precision": (curve.precision, BLUE), "recall": (curve.recall, ORANGE), "F1": (curve.f1, GREEN)}
    for name, (values, colour) in lines.items():
        # From one threshold to the next the same questions are answered: those that reach the higher one.
        axes.step(at, np.append(values[-1], values[::-1]), where="pre", color=colour, linewidth=1.5, label=name)
        if here.answered:
            axes.plot(here.threshold, getattr(here, name.lower()), "o", color=colour, markersize=5, clip_on=False)
    axes.axvline(here.threshold, color=GREY, linewidth=1, linestyle=DASHED)
    axes.set(xlim=(0, 1), ylim=TOP, ylabel="over questions", title='When to say "no answer"')
    axes.set_xlabel(
        "threshold that the best candidate's probability must reach\n"
        f"(dashed: the model's, {here.threshold:.4f}, which answers {here.share_answered:.0%} of the questions)"
    )
    axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.02, 0.985), ncols=3, handlelength=1)
