"""Reports of evaluating, comparing and calibrating."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from anselm.cli.show.tables import PADDINGS, plain_table, print_fitting, show_rows, shown
from anselm.metrics.thresholds import outline
from anselm.metrics.trust import numbers

if TYPE_CHECKING:
    from anselm.evaluation.report import Report
    from anselm.experiments.recalibration import Refit
    from anselm.metrics.misjudgements import Misjudgements
    from anselm.metrics.significance import Comparison
    from anselm.metrics.trust import Trust


def setting(report: Report) -> str:
    """What was measured on what: every number is printed under this line."""
    copies = f" (each the worst of its copies, {report.copies:,} in all)" if report.copies else ""
    judged = "; judged candidates only" if report.judged_only else ""
    return (
        f"{shown(report.data)}, split {shown(report.split)}, protocol [bold]{report.protocol}[/]: "
        f"{report.questions:,} questions{copies}, {report.pairs:,} pairs; ties {report.ties}{judged}"
    )


def show_coverage(console: Console, report: Report) -> None:
    """What a run lacks or has besides, and what was made of it."""
    if (found := report.coverage) is None:
        return
    lists, treated = report.copies or report.questions, "left out" if report.judged_only else "taken as not relevant"
    console.print(
        f"missing in {shown(report.model)}: {found.questions_missing:,} of {lists:,} questions (they count as 0), "
        f"{found.relevant_missing:,} relevant candidates (not found); "
        f"not judged: {found.unjudged:,} of its {found.candidates:,} candidates ({treated})"
    )


def show_report(console: Console, report: Report) -> None:
    console.print(f"[bold]{shown(report.model)}[/] on {setting(report)}")
    show_coverage(console, report)
    show_rows(console, [report.metrics])
    if report.trust:
        show_counts(console, report.trust)
    if report.triggering:
        console.print("\nAnswering only from the threshold on; ECE: calibration error of the pairs")
        show_rows(console, [report.triggering | {"ece": report.ece or 0.0}])
    if report.semeval:
        console.print(
            "\nBy the rules of SemEval's 2016 scorer (first 10 candidates, ties in source order, MRR in percent)"
        )
        show_rows(console, [report.semeval])


def show_counts(console: Console, trust: Trust) -> None:
    """How many a person would call right or wrong; the metrics are means that also count what has no answer."""
    found = trust.misjudged
    console.print()
    if not (found.answerable and found.unanswerable):
        return show_rows(console, [mistakes(found)])
    questions = found.answerable + found.unanswerable
    others = f"the other {found.unanswerable:,} count 0 in the metrics above"
    console.print(f"{found.answerable:,} of {questions:,} questions have an answer; {others}", highlight=False)
    share = trust.right_first / found.answerable
    first = {"right first": f"{trust.right_first:,} of {found.answerable:,} ({share:.0%})"}
    return show_rows(console, [first | mistakes(found)])


def mistakes(found: Misjudgements) -> dict[str, str]:
    """How often a question was refused that has an answer, and answered that has none; of what there were any."""
    counts = {
        "refused, though answerable": (found.refused, found.answerable),
        "answered, though not": (found.answered_anyway, found.unanswerable),
    }
    return {name: f"{wrong:,} of {all:,} ({wrong / all:.0%})" for name, (wrong, all) in counts.items() if all}


def show_refit(console: Console, refit: Refit, rule: str) -> None:
    """Before and after, and what other thresholds would give."""
    console.print(f"[bold]{shown(refit.checkpoint)}[/], fitted on {shown(refit.calibration.fitted_on)}")
    console.print(
        f"Fitted for {shown(' and '.join(refit.kinds))}, not for other kinds of candidates; the threshold is for all."
    )
    rows = {"before": refit.before, "after": refit.after}
    show_rows(console, [{"": name, **row.numbers} for name, row in rows.items() if row])
    console.print()
    show_rows(console, [{"": name, **mistakes(row.misjudged)} for name, row in rows.items() if row])
    curve, chosen = refit.after.tradeoff, refit.after.triggering
    console.print(
        f'\nThe threshold for "no answer" ({shown(rule)}): {curve.answerable:,} of {curve.questions:,} questions '
        "have an answer"
    )
    show_rows(console, [numbers(row) | {"": "chosen" if row == chosen else ""} for row in outline(curve, chosen)])
    console.print("[dim]Measured on the lists of the fitting; anselm evaluate measures on others.[/]")


def show_comparison(console: Console, a: Report, b: Report, rows: Mapping[str, Comparison]) -> None:
    console.print(f"[bold]{shown(a.model)}[/] against [bold]{shown(b.model)}[/] on {setting(a)}")
    show_coverage(console, a)
    show_coverage(console, b)
    print_fitting(console, [comparison_table(a, b, rows, padding) for padding in PADDINGS])
    console.print("[dim]p: paired randomisation test, * below 0.05; p (t): paired t-test; interval: bootstrap[/]")


def comparison_table(a: Report, b: Report, rows: Mapping[str, Comparison], padding: int) -> Table:
    table = plain_table(padding)
    for name in ("metric", shown(a.model), shown(b.model), "difference", "95% interval", "p", "p (t)"):
        width = len("+0.0000 … +0.0000") if name == "95% interval" else None
        table.add_column(name, justify="left" if name == "metric" else "right", overflow="fold", min_width=width)
    for metric, row in rows.items():
        mark = " *" if row.p_randomisation < 0.05 else "  "
        table.add_row(
            metric, f"{row.mean_a:.4f}", f"{row.mean_b:.4f}", f"{row.difference:+.4f}{mark}",
            f"{row.interval[0]:+.4f} … {row.interval[1]:+.4f}", f"{row.p_randomisation:.4f}", f"{row.p_t:.4f}",
        )  # fmt: skip
    return table
