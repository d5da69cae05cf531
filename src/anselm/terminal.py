"""What people see in a terminal: ranked tables with probability bars, answers in their context, reports, progress."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from anselm.evaluation.report import Report
from anselm.evaluation.significance import Comparison
from anselm.ranker import Passage, Ranking, Result

T = TypeVar("T")

BAR_WIDTH = 12
NEAREST = 3
PATIENCE = 2.0  # seconds after which a progress bar appears
EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(probability: float, width: int = BAR_WIDTH) -> str:
    """A bar in eighths of a character."""
    full, eighth = divmod(round(probability * width * 8), 8)
    return ("█" * full + EIGHTHS[eighth]).rstrip().ljust(width)


def show_ranking(console: Console, ranking: Ranking) -> None:
    """The verdict, then the candidates best first; where there is no answer, only the nearest few."""
    console.print(verdict(ranking))
    table = plain_table()
    table.add_column("#", justify="right", style="dim")
    table.add_column("probability", no_wrap=True)
    table.add_column("answer", overflow="fold")
    for place, result in enumerate(ranking.results[: None if ranking.answerable else NEAREST], start=1):
        shown = f"[cyan]{bar(result.probability)}[/] {result.probability:4.0%}"
        table.add_row(str(place), shown, Text(one_line(result.text)).append(f"  {origin(result)}", style="dim"))
    console.print(table)


def show_answers(console: Console, ranking: Ranking) -> None:
    """The best sentence between its neighbours, then the table."""
    best = ranking.best
    if isinstance(best, Passage):
        context = Text(one_line(best.before), style="dim")
        context.append(f" {one_line(best.text)} ", style="bold green not dim")
        context.append(one_line(best.after))
        context.truncate(1200, overflow="ellipsis")
        console.print(Panel(context, title=escape(origin(best)), title_align="left", border_style="dim"))
    show_ranking(console, ranking)


def verdict(ranking: Ranking) -> str:
    asked = f"[bold]{escape(one_line(ranking.question))}[/]"
    if ranking.answerable:
        return asked
    first = ranking.results[0].probability
    return (
        f"{asked}\n[yellow]No answer found[/]: the best candidate has a probability of {first:.0%}, "
        f"below the threshold of {ranking.threshold:.0%}. The nearest:"
    )


def origin(result: Result) -> str:
    """Where a result comes from: the line of a file, the id that was given, or the place in the input."""
    if isinstance(result, Passage):
        return f"{result.source}:{result.line}"
    return f"[{result.index if result.id is None else result.id}]"


def one_line(text: str) -> str:
    return " ".join(text.split())


def setting(report: Report) -> str:
    """What was measured on what: every number is printed under this line."""
    return (
        f"{escape(report.data)}, split {report.split}, protocol [bold]{report.protocol}[/]: "
        f"{report.questions:,} questions, {report.pairs:,} pairs; ties {report.ties}"
    )


def show_report(console: Console, report: Report) -> None:
    console.print(f"[bold]{escape(report.model)}[/] on {setting(report)}")
    show_numbers(console, report.metrics)
    if report.triggering:
        console.print("\nAnswer triggering (answering only above the threshold), and calibration error of the pairs")
        show_numbers(console, report.triggering | {"ECE": report.ece or 0.0})
    if report.semeval:
        console.print("\nSemEval's own scorer (first 10 candidates, ties in source order, MRR in percent)")
        show_numbers(console, report.semeval)


def show_numbers(console: Console, numbers: Mapping[str, float]) -> None:
    table = plain_table()
    for name in numbers:
        table.add_column(name, justify="right")
    table.add_row(*(f"{value:.4f}" for value in numbers.values()))
    console.print(table)


def show_comparison(console: Console, a: Report, b: Report, rows: Mapping[str, Comparison]) -> None:
    console.print(f"[bold]{escape(a.model)}[/] against [bold]{escape(b.model)}[/] on {setting(a)}")
    table = plain_table()
    for name in ("metric", a.model, b.model, "difference", "95% interval", "p", "p (t)"):
        table.add_column(name, justify="left" if name == "metric" else "right")
    for metric, row in rows.items():
        mark = " *" if row.p_randomisation < 0.05 else "  "
        table.add_row(
            metric, f"{row.mean_a:.4f}", f"{row.mean_b:.4f}", f"{row.difference:+.4f}{mark}",
            f"{row.interval[0]:+.4f} … {row.interval[1]:+.4f}", f"{row.p_randomisation:.4f}", f"{row.p_t:.4f}",
        )  # fmt: skip
    console.print(table)
    console.print("[dim]p: paired randomisation test, * below 0.05; p (t): paired t-test; interval: bootstrap[/]")


def plain_table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


def show_table(console: Console, rows: Sequence[dict[str, object]]) -> None:
    """Rows of equal keys; numbers to the right."""
    table = plain_table()
    for key in rows[0]:
        numeric = all(isinstance(row[key], int | float) for row in rows)
        table.add_column(str(key), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else escape(str(value)) for value in row.values()))
    console.print(table)


def progress(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """Pass items on; on a terminal, a bar appears on standard error when it takes longer than two seconds."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from items
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    display = Progress(*columns, console=console, transient=True)
    task = display.add_task(label, total=total)
    began, shown = time.monotonic(), False
    try:
        for item in items:
            yield item
            display.advance(task)
            if not shown and time.monotonic() - began > PATIENCE:
                display.start()
                shown = True
    finally:
        if shown:
            display.stop()
