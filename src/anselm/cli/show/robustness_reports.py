"""What distractors cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from anselm.cli.show.reports import setting
from anselm.cli.show.tables import PADDINGS, plain_table, print_fitting, shown

if TYPE_CHECKING:
    from anselm.evaluation.robustness import Robustness

INTERVAL = "+0.0000 … +0.0000"


def show_robustness(console: Console, found: Robustness) -> None:
    console.print(f"[bold]{shown(found.hard.model)}[/] on {setting(found.hard)}")
    if found.distracted is None:
        console.print(f"Without distractors: the {found.clean.questions:,} questions that they were added to.")
    else:
        console.print(
            f"A distractor in {found.distracted:,} of {found.hard.questions:,} lists; "
            f"it stands before every relevant candidate in {found.fooled:,} of them."
        )
    print_fitting(console, [drop_table(found, padding) for padding in PADDINGS])
    console.print("[dim]p: paired randomisation test; interval: bootstrap over the questions[/]")


def drop_table(found: Robustness, padding: int) -> Table:
    table = plain_table(padding)
    for name in ("metric", "clean", "distracted", "drop", "95% interval", "p"):
        width = len(INTERVAL) if name == "95% interval" else None
        table.add_column(name, justify="left" if name == "metric" else "right", overflow="fold", min_width=width)
    for metric, row in found.drops.items():
        table.add_row(
            metric, f"{row.mean_a:.4f}", f"{row.mean_b:.4f}", f"{row.difference:+.4f}",
            f"{row.interval[0]:+.4f} … {row.interval[1]:+.4f}", f"{row.p_randomisation:.4f}",
        )  # fmt: skip
    return table


def show_distracted(console: Console, found: Robustness) -> None:
    """Each question, what it was given, and its values before and after."""
    console.print()
    for row in found.rows:
        values = ", ".join(f"{name} {row['clean'][name]:.4f} → {value:.4f}" for name, value in row["metrics"].items())
        console.print(f"[bold]{shown(row['id'])}[/]  {values}")
        if "distractor" in row:
            console.print(f"    [dim]rank {row['rank']}:[/] {shown(row['distractor'])}")
