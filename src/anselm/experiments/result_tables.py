"""Recorded results as tables in Markdown, ours beside the paper's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anselm.experiments.comparisons import RowComparison, compare_rows, partner
from anselm.experiments.published import System, published_systems
from anselm.experiments.results import Result
from anselm.metrics.significance import bootstrap_difference


def tables(results: Sequence[Result], part: str = "") -> str:
    """Markdown: one table per paper and table, ours beside the paper's; all, or those of a paper, a paper/table, ...

    Systems that others published on the same test sets (`published.py`) have rows of their own.
    """
    parts = []
    for paper, table in sorted({(result.paper, table) for result in results for table in (result.table, *result.also)}):
        if not f"{paper}/{table}/".startswith(part and f"{part}/") and not part.startswith(f"{paper}/{table}/"):
            continue
        rows = [result for result in results if result.paper == paper and table in (result.table, *result.also)]
        places = {(row.corpus, row.split, row.protocol) for row in rows}
        systems = [one for one in published_systems(paper, table) if (one.corpus, one.split, one.protocol) in places]
        parts.append(f"## {paper}, {table}\n\n{_table(rows, systems)}{_outdated(rows)}")
    return "\n\n".join(parts) + "\n"


def _table(results: Sequence[Result], systems: Sequence[System]) -> str:
    there = {name for metrics in (row.metrics for row in results) for name in metrics}
    groups = [names for names in COLUMNS if there & {*names}]
    compared = [row for row in results if row.against]
    found = compare_rows(results)
    header = ["row", "corpus, split (protocol)", *map(_heading, groups), "seeds", "paper", "parameters"]
    header += [f"{compared[0].metric.upper()} against (p over questions / seeds, Holm)"] if compared else []
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for result in sorted(results, key=lambda result: (result.corpus, _by_number(result.row))):
        last = [_difference(result, results, found)] if compared else []
        lines.append(f"| {' | '.join([*_cells(result, groups), *last])} |")
    for system in systems:
        cells = [*_published_cells(system, groups), *(["-"] if compared else [])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _outdated(results: Sequence[Result]) -> str:
    """What the sign beside a row means, where some row has it."""
    found = dict.fromkeys(f"{result.corpus}: {result.outdated}" for result in results if result.outdated)
    return f"\n\n† the recipe of today is another one. {'; '.join(found)}." if found else ""


def _by_number(row: str) -> list[tuple[str, float]]:
    """Rows in the order of their names, numbers in them by size: heads-4, heads-12."""
    return [(text, float(number or 0)) for text, number in re.findall(r"([^\d]*)(\d+(?:\.\d+)?)?", row)]


# Each a column, where some row has one of its figures; the last two are those of SemEval's official scorer.
COLUMNS = (("map", "mrr", "p@1"), ("avgrec",), ("precision", "recall", "f1", "accuracy"))
LABELS = {"avgrec": "AvgRec", "precision": "P", "recall": "R", "accuracy": "Acc"}


def _label(metric: str) -> str:
    return LABELS.get(metric, metric.upper())


def _heading(names: Sequence[str]) -> str:
    return f"ours: {' / '.join(map(_label, names))}"


def _cells(result: Result, groups: Sequence[Sequence[str]]) -> list[str]:
    ours = [" / ".join(_spell(result.metrics[name]) for name in names if name in result.metrics) for names in groups]
    theirs = ", ".join(f"{_label(name)} {value:.3f}" for name, value in result.published.items()) or "-"
    place = f"{result.corpus}, {result.split} ({result.protocol})"
    shown = [cell or "-" for cell in ours]
    row = f"{result.row} †" if result.outdated else result.row
    return [row, place, *shown, str(len(result.seeds)), theirs, f"{result.parameters / 1e6:.1f}M"]


def _published_cells(system: System, groups: Sequence[Sequence[str]]) -> list[str]:
    figures = [{name: f"{system.metrics[name]:.3f}" for name in names if name in system.metrics} for names in groups]
    shown = [
        " / ".join(found.get(name, "-") for name in names) if found else "-"
        for names, found in zip(groups, figures, strict=True)
    ]
    return [system.row, f"{system.corpus}, {system.split} ({system.protocol})", *shown, "published", "-", "-"]


def _difference(result: Result, table: Sequence[Result], compared: Mapping[Path, RowComparison]) -> str:
    """How much better it is than the row it is compared with, between which bounds (95 %), and how likely by chance.

    * where the corrected p is below 0.05.
    """
    if (other := partner(result, table)) is None:
        return "-"
    if (found := compared.get(result.path)) is None:
        return f"{other.row}: trained otherwise"
    low, high = bootstrap_difference(result.values, other.values)
    chances = " / ".join(spell_chance(p) for p in (found.p_questions, found.p_seeds) if p is not None)
    star = " *" if found.significant else ""
    return (
        f"{other.row}: {found.difference:+.3f} ({low:+.3f} to {high:+.3f}), p {chances}, "
        f"Holm {spell_chance(found.p_holm)}{star}"
    )


def spell_chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _spell(metric: Mapping[str, Any]) -> str:
    """Of a single seed there is no deviation."""
    return f"{metric['mean']:.3f}" + (f" ± {metric['sd']:.3f}" if len(metric["values"]) > 1 else "")
