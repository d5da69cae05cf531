"""Recorded results as tables in Markdown, ours beside the paper's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from anselm.experiments.published import System, published_systems
from anselm.experiments.results import Result
from anselm.metrics.significance import compare, welch_test


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
        parts.append(f"## {paper}, {table}\n\n{_table(rows, systems)}")
    return "\n\n".join(parts) + "\n"


def _table(results: Sequence[Result], systems: Sequence[System]) -> str:
    there = {name for metrics in (row.metrics for row in results) for name in metrics}
    groups = [names for names in COLUMNS if there & {*names}]
    compared = [row for row in results if row.against]
    header = ["row", "corpus, split (protocol)", *map(_heading, groups), "seeds", "paper", "parameters"]
    header += [f"{compared[0].metric.upper()} against (p over questions / seeds)"] if compared else []
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for result in sorted(results, key=lambda result: (result.corpus, _by_number(result.row))):
        last = [_difference(result, results)] if compared else []
        lines.append(f"| {' | '.join([*_cells(result, groups), *last])} |")
    for system in systems:
        cells = [*_published_cells(system, groups), *(["-"] if compared else [])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


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
    return [result.row, place, *shown, str(len(result.seeds)), theirs, f"{result.parameters / 1e6:.1f}M"]


def _published_cells(system: System, groups: Sequence[Sequence[str]]) -> list[str]:
    figures = [{name: f"{system.metrics[name]:.3f}" for name in names if name in system.metrics} for names in groups]
    shown = [
        " / ".join(found.get(name, "-") for name in names) if found else "-"
        for names, found in zip(groups, figures, strict=True)
    ]
    return [system.row, f"{system.corpus}, {system.split} ({system.protocol})", *shown, "published", "-", "-"]


def _difference(result: Result, others: Sequence[Result]) -> str:
    """How much better it is than the row it is compared with, between which bounds (95 %), and how likely by chance.

    Two p: over the questions, with the models as they are, and over the seeds, were they trained again. * where both
    are below 0.05.
    """
    where = (result.corpus, result.split, result.protocol)
    same = (row for row in others if (row.corpus, row.split, row.protocol) == where)
    other = next((row for row in same if row.row == result.against and row.metric == result.metric), None)
    if other is None or not result.values or len(other.values) != len(result.values):
        return "-"
    if _training(result) != _training(other):
        return f"{other.row}: trained otherwise"
    found = compare(result.values, other.values)
    low, high = found.interval
    seeds = [row.metrics.get(result.metric, {}).get("values", ()) for row in (result, other)]
    chances = [found.p_randomisation, *([welch_test(*seeds)] if min(map(len, seeds)) > 1 else [])]
    star = " *" if len(chances) == 2 and max(chances) < 0.05 else ""
    spelt = " / ".join("< 0.001" if p < 0.001 else f"{p:.3f}" for p in chances)
    return f"{other.row}: {found.difference:+.3f} ({low:+.3f} to {high:+.3f}), p {spelt}{star}"


def _training(result: Result) -> tuple[str, str]:
    """What has to be the same for a difference to be one of the models: optimizer, and lists that chose the weights."""
    return result.optimizer, result.dev.get("data", "")


def _spell(metric: Mapping[str, Any]) -> str:
    """Of a single seed there is no deviation."""
    return f"{metric['mean']:.3f}" + (f" ± {metric['sd']:.3f}" if len(metric["values"]) > 1 else "")
