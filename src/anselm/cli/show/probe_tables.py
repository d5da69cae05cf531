"""What probes found, as Table 6 has it: tasks and representations down, corpora across."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from anselm.cli.show.tables import plain_table, shown
from anselm.evaluation.probes import GUESSES, LENGTH, TASKS, Probed


def show_probes(console: Console, found: Sequence[Probed], rho: Mapping[str, Mapping[str, float | None]]) -> None:
    table = plain_table()
    for heading in ("task", "vectors", *(one.data for one in found), *(f"rho {metric}" for metric in rho)):
        table.add_column(shown(heading), justify="left" if heading in ("task", "vectors") else "right")
    roles = list(dict.fromkeys(role for one in found for role in one.models))
    for task in TASKS:
        measure = "MSE" if task == LENGTH else "macro F1"
        for place, role in enumerate((*roles, *GUESSES)):
            cells = [_number(one.values[task].get(role)) for one in found]
            correlation = [_number(row[task]) if not place else "" for row in rho.values()]
            table.add_row(f"{task}, {measure}" if not place else "", role, *cells, *correlation)
    for metric in rho:
        for place, role in enumerate(roles):
            cells = [_number(one.metrics.get(role, {}).get(metric)) for one in found]
            table.add_row(f"ranking, {metric.upper()}" if not place else "", role, *cells, *[""] * len(rho))
    console.print(table)
    console.print(*map(shown, _notes(found, rho)), sep="\n")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _notes(found: Sequence[Probed], rho: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    notes = [f"{one.data}: trained on {one.pairs[0]:,} pairs of {one.train}, tested on {one.pairs[1]:,} of {one.test}"
             for one in found]  # fmt: skip
    if any(value is not None for row in rho.values() for value in row.values()):
        notes.append(f"rho is a rank correlation over {len(found)} corpora: weak evidence, whatever its size")
    return notes
