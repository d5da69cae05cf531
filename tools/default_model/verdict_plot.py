"""A picture for each family of lists, left out of the fit: do probabilities hold, and what would thresholds give?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot

from anselm.metrics.logistic import FloatArray
from anselm.metrics.reliability import reliability
from tools.default_model.verdict_table import Picture

mpl.use("svg")


def draw(families: Mapping[str, Picture], path: Path) -> None:
    """Above, the share of right candidates by their probability; below, refused against answered at all thresholds."""
    figure, axes = pyplot.subplots(2, len(families), figsize=(2.2 * len(families), 4.6), sharex="row", sharey="row")
    for column, (name, found) in enumerate(families.items()):
        table = reliability(found.probabilities, found.relevant, bins=10)
        enough = table.counts >= 10
        above, below = axes[0, column], axes[1, column]
        above.plot([0, 1], [0, 1], color="0.8", linewidth=1)
        above.plot(table.confidence[enough], table.accuracy[enough], "o-", markersize=3, linewidth=1)
        above.set_title(f"{name}\nECE {table.error:.3f}", fontsize=8)
        refused, answered = errors(found.sure, found.answerable > 0)
        below.plot(refused, answered, linewidth=1)
        below.plot(*chosen(found.sure, found.answerable > 0), "o", color="C3", markersize=4)
        below.axhline(0.2, color="0.9", zorder=0)
        below.axvline(0.2, color="0.9", zorder=0)
        below.set_xlabel("refused", fontsize=8)
    axes[0, 0].set_ylabel("share that is right", fontsize=8)
    axes[1, 0].set_ylabel("answered without an answer", fontsize=8)
    for one in axes.flat:
        one.tick_params(labelsize=7)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


def errors(sure: FloatArray, answerable: FloatArray) -> tuple[list[float], list[float]]:
    thresholds: Sequence[float] = np.unique(np.append(sure, [0, 1])).tolist()
    refused = [float(np.mean(sure[answerable] < threshold)) for threshold in thresholds]
    answered = [float(np.mean(sure[~answerable] >= threshold)) for threshold in thresholds]
    return refused, answered


def chosen(sure: FloatArray, answerable: FloatArray) -> tuple[list[float], list[float]]:
    return [float(np.mean(sure[answerable] < 0.5))], [float(np.mean(sure[~answerable] >= 0.5))]
