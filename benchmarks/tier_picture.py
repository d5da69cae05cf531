"""Quality against speed: docs/figures/tiers.svg, drawn from the table of docs/tiers.md.

    python -m benchmarks.tier_picture [PICTURE]

Its columns "mean" (MAP over the test splits) and "pairs/s" are the axes. Ways that have no quality of their own, since
they run whatever weights they are given, stand on the axis of speed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
from matplotlib import pyplot
from matplotlib.axes import Axes

ROOT = Path(__file__).parents[1]
PAGE, PICTURE = ROOT / "docs" / "tiers.md", ROOT / "docs" / "figures" / "tiers.svg"
TIERS = ("fast", "default", "accurate")


@dataclass(frozen=True)
class Row:
    way: str
    mean: float | None
    speed: float


def read_rows(page: Path) -> list[Row]:
    """Of the first table that has both columns."""
    lines = [[cell.strip(" *`") for cell in line.strip("|\n ").split("|")] for line in page.read_text().splitlines()]
    heads = next(number for number, cells in enumerate(lines) if {"mean", "pairs/s"} <= set(cells))
    mean, speed = (lines[heads].index(name) for name in ("mean", "pairs/s"))
    found = []
    for cells in lines[heads + 2 :]:
        if len(cells) < len(lines[heads]):
            break
        found.append(Row(cells[0], float(cells[mean]) if cells[mean] else None, float(cells[speed].replace(",", ""))))
    return found


def draw(rows: list[Row], path: Path) -> None:
    figure, axes = pyplot.subplots(figsize=(7.2, 4.2))
    measured = [row for row in rows if row.mean is not None]
    tiers = sorted((row for row in measured if row.way in TIERS), key=lambda row: row.speed)
    axes.plot([row.speed for row in tiers], [row.mean for row in tiers], "-", color="C0", linewidth=1, zorder=1)
    for row in measured:
        ours = row.way in TIERS
        axes.plot(row.speed, row.mean, "o", color="C0" if ours else "0.55", markersize=8 if ours else 6, zorder=2)
        axes.annotate(
            row.way,
            (row.speed, row.mean),
            xytext=(10, 6) if ours else (6, -14),
            textcoords="offset points",
            ha="left",
            fontsize=9,
            fontweight="bold" if ours else "normal",
        )
    mark_speeds(axes, [row for row in rows if row.mean is None])
    axes.set_xscale("log")
    axes.margins(x=0.15, y=0.18)
    axes.set_xlabel("pairs a second on two cores (texts that are new)")
    axes.set_ylabel("MAP, mean of five test splits")
    axes.grid(color="0.93")
    figure.tight_layout()
    figure.savefig(path, dpi=160)
    pyplot.close(figure)


def mark_speeds(axes: Axes, rows: list[Row]) -> None:
    for row in rows:
        axes.axvline(row.speed, color="0.75", linestyle=":", linewidth=1, zorder=0)
        at = axes.get_xaxis_transform()
        axes.text(
            row.speed, 0.03, f" {row.way}", transform=at, rotation=90, fontsize=8, color="0.4", va="bottom", ha="right"
        )


if __name__ == "__main__":
    draw(read_rows(PAGE), Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
