"""What people see in a terminal: ranked tables with probability bars, answers in their context, reports, progress."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, TypeVar

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.panel import Panel
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from anselm.evaluation.thresholds import outline
from anselm.evaluation.trust import numbers
from anselm.explaining import Word, leading, marked
from anselm.ranker import Passage, Ranking, Result

if TYPE_CHECKING:
    from anselm.evaluation.report import Report
    from anselm.evaluation.significance import Comparison
    from anselm.recipes.fitting import Refit
    from anselm.train.training import Progress as TrainingProgress

T = TypeVar("T")

BAR_WIDTH = 12
NEAREST = 3
PADDINGS = (1, 0)  # between columns: narrow where wide would break words
TITLES = {"share_answered": "answered", "ece": "ECE", "log_loss": "log loss", "f1": "F1"}
PATIENCE = 2.0  # seconds after which a progress bar appears
EIGHTHS = " ▏▎▍▌▋▊▉"
# What steers a terminal instead of being shown: control characters, and marks that turn the direction of writing.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
SPACES = re.compile(r"\s+")
SENTENCE_END = re.compile(r"[.!?…:;。！？][\"')\]»”’]*$")


def bar(probability: float, plain: bool = False, width: int = BAR_WIDTH) -> str:
    """A bar in eighths of a character; `plain` where the terminal knows only ASCII."""
    if plain:
        return ("#" * round(probability * width)).ljust(width)
    full, eighth = divmod(round(probability * width * 8), 8)
    return ("█" * full + EIGHTHS[eighth]).rstrip().ljust(width)


def show_ranking(console: Console, ranking: Ranking) -> None:
    """The verdict, then the candidates best first; where there is no answer, only the nearest few."""
    show_verdict(console, ranking)
    table = plain_table()
    table.add_column("#", justify="right", style="dim")
    table.add_column("probability", no_wrap=True)
    table.add_column("answer", overflow="fold")
    for place, result in enumerate(ranking.results[: None if ranking.answerable else NEAREST], start=1):
        probability = f"[cyan]{bar(result.probability, console.options.ascii_only)}[/] {result.probability:4.0%}"
        table.add_row(str(place), probability, answer(console, result).append(f"  {aside(result)}", style="dim"))
    console.print(table)


def answer(console: Console, result: Result, style: str = "") -> Text:
    """The text on one line; where it was explained, with the words that carried most standing out."""
    return emphasise(console, result.text, result.explanation.answer if result.explanation else (), style)


def emphasise(console: Console, text: str, words: Sequence[Word], style: str = "") -> Text:
    """The leading words bold and underlined; where that cannot be shown, as in a file, *between asterisks*."""
    pieces = [(SPACES.sub(" ", CONTROLS.sub(" ", piece)), mark) for piece, mark in marked(text, leading(words))]
    signs = ("*", "*") if console.color_system is None else ("", "")
    shown = Text(style=style)
    for number, (piece, mark) in enumerate(pieces, start=1):
        piece = piece.lstrip() if number == 1 else piece
        piece = piece.rstrip() if number == len(pieces) else piece
        shown.append(piece.join(signs) if mark else piece, style="bold underline" if mark else None)
    return shown


def show_answers(console: Console, ranking: Ranking) -> None:
    """The best sentence between its neighbours, then the table."""
    best = ranking.best
    if isinstance(best, Passage):
        before, here, after = map(one_line, (best.before, best.text, best.after))
        context = Text(before + between(before, here), style="dim")
        context.append_text(answer(console, best, "bold green not dim"))
        context.append(between(here, after) + after)
        context.truncate(1200, overflow="ellipsis")
        console.print(Panel(context, title=escape(origin(best)), title_align="left", border_style="dim"))
    show_ranking(console, ranking)


def between(first: str, second: str) -> str:
    """What parts two neighbours: a space between sentences, a new line where one is a heading or the like."""
    if not first or not second:
        return ""
    return " " if all(SENTENCE_END.search(text) for text in (first, second)) else "\n"


def show_verdict(console: Console, ranking: Ranking) -> None:
    """The question, with the words that carried the best result, and whether there is an answer."""
    first = ranking.results[0]
    words = first.explanation.question if first.explanation else ()
    console.print(emphasise(console, ranking.question, words, "" if words else "bold"))
    if not ranking.answerable:
        console.print(
            f"[yellow]No answer found[/]: the best candidate has a probability of {first.probability:.0%}, "
            f"below the threshold of {ranking.threshold:.0%}. The nearest:"
        )


def aside(result: Result) -> str:
    """Where it comes from, and how many near-duplicates it stands for."""
    folded = len(result.duplicates or ())
    return origin(result) + (f" and {folded} near-duplicate{'s' * (folded > 1)}" if folded else "")


def origin(result: Result) -> str:
    """Where a result comes from: the line of a file, the id that was given, or the place in the input."""
    if isinstance(result, Passage):
        return one_line(f"{result.source}:{result.line}")
    return one_line(f"[{result.index if result.id is None else result.id}]")


def one_line(text: str) -> str:
    """On one line, and without what would steer the terminal."""
    return " ".join(CONTROLS.sub(" ", text).split())


def setting(report: Report) -> str:
    """What was measured on what: every number is printed under this line."""
    copies = f" (each the worst of its copies, {report.copies:,} in all)" if report.copies else ""
    return (
        f"{shown(report.data)}, split {shown(report.split)}, protocol [bold]{report.protocol}[/]: "
        f"{report.questions:,} questions{copies}, {report.pairs:,} pairs; ties {report.ties}"
    )


def shown(text: object) -> str:
    """As rich's markup takes it."""
    return escape(one_line(str(text)))


def show_report(console: Console, report: Report) -> None:
    console.print(f"[bold]{shown(report.model)}[/] on {setting(report)}")
    show_rows(console, [report.metrics])
    if report.triggering:
        console.print("\nAnswering only from the threshold on; ECE: calibration error of the pairs")
        show_rows(console, [report.triggering | {"ece": report.ece or 0.0}])
    if report.semeval:
        console.print(
            "\nBy the rules of SemEval's 2016 scorer (first 10 candidates, ties in source order, MRR in percent)"
        )
        show_rows(console, [report.semeval])


def show_refit(console: Console, refit: Refit, rule: str) -> None:
    """Before and after, and what other thresholds would give."""
    console.print(f"[bold]{shown(refit.checkpoint)}[/], fitted on {shown(refit.calibration.fitted_on)}")
    rows = {"before": refit.before.to_dict(), "after": refit.after.to_dict()}
    show_rows(console, [{"": name} | row for name, row in rows.items()])
    curve, chosen = refit.after.tradeoff, refit.after.triggering
    console.print(
        f'\nThe threshold for "no answer" ({shown(rule)}): {curve.answerable:,} of {curve.questions:,} questions '
        "have an answer"
    )
    show_rows(console, [numbers(row) | {"": "chosen" if row == chosen else ""} for row in outline(curve, chosen)])
    console.print("[dim]Measured on the lists of the fitting; anselm evaluate measures on others.[/]")


def show_rows(console: Console, rows: Sequence[Mapping[str, float | str]]) -> None:
    """Fractions under each other, the same names in every row."""
    table = plain_table()
    for name, value in rows[0].items():
        table.add_column(TITLES.get(name, name), justify="left" if isinstance(value, str) else "right")
    for row in rows:
        table.add_row(*(value if isinstance(value, str) else f"{value:.4f}" for value in row.values()))
    console.print(table)


def show_comparison(console: Console, a: Report, b: Report, rows: Mapping[str, Comparison]) -> None:
    console.print(f"[bold]{shown(a.model)}[/] against [bold]{shown(b.model)}[/] on {setting(a)}")
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


def plain_table(padding: int = PADDINGS[0]) -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, padding))


def print_fitting(console: Console, tables: Sequence[Table]) -> None:
    """Print the first that breaks no word; or else the last."""
    fits = [table for table in tables if width_of(console, table) <= console.width]
    console.print(fits[0] if fits else tables[-1])


def width_of(console: Console, table: Table) -> int:
    """The least that it takes without breaking a word."""
    return Measurement.get(console, console.options.update_width(10**6), table).minimum


def show_table(console: Console, rows: Sequence[Mapping[str, object]]) -> None:
    """Rows of equal keys; numbers to the right. What is too wide even when narrow stands below each other."""
    tables = [table_of(rows, padding) for padding in PADDINGS]
    if width_of(console, tables[-1]) <= console.width:
        return print_fitting(console, tables)
    for row in rows:
        console.print(*(f"{heading_of(key)}: {cell(value)}" for key, value in row.items()), "", sep="\n")
    return None


def table_of(rows: Sequence[Mapping[str, object]], padding: int) -> Table:
    table = plain_table(padding)
    for key in rows[0]:
        cells = [cell(row[key]) for row in rows]
        heading = textwrap.fill(heading_of(key), max(map(len, cells)), break_long_words=False)
        numeric = all(isinstance(row[key], int | float) for row in rows)
        prose = any(" " in text for text in cells)
        table.add_column(heading, justify="right" if numeric else "left", overflow="fold", no_wrap=not prose)
    for row in rows:
        table.add_row(*map(cell, row.values()))
    return table


def heading_of(key: str) -> str:
    return shown(key).replace("_", " ")


def cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else shown(value)


def progress(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """Pass items on, and show how many there have been."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with late_bar(label, total, MofNCompleteColumn(), TimeRemainingColumn()) as advance:
        for item in items:
            yield item
            advance()


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Show that something goes on whose steps cannot be seen."""
    with late_bar(label, None, TimeElapsedColumn()):
        yield


@contextmanager
def late_bar(label: str, total: int | None, *columns: ProgressColumn) -> Iterator[Callable[[], None]]:
    """A bar on standard error, where that is a terminal, from two seconds on; gives what moves it one step ahead."""
    console = Console(stderr=True)
    display = Progress(TextColumn("{task.description}"), BarColumn(), *columns, console=console, transient=True)
    display.disable = not console.is_terminal
    task = display.add_task(label, total=total)
    starter = Timer(PATIENCE, display.start)
    starter.daemon = True
    starter.start()
    try:
        yield lambda: display.advance(task)
    finally:
        starter.cancel()
        starter.join()  # lest it starts what was stopped
        display.stop()


@contextmanager
def steps(label: str) -> Iterator[Callable[[TrainingProgress], None]]:
    """A bar for training: gives what the loop tells where it is, with the loss and the last dev value beside it."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    display = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = display.add_task(label, total=None)

    def watch(progress: TrainingProgress) -> None:
        numbers = {"loss": progress.loss, "dev": progress.dev}
        said = [label, *(f"{name} {value:.4f}" for name, value in numbers.items() if value is not None)]
        display.update(task, completed=progress.step, total=progress.steps, description=", ".join(said))

    with display:
        yield watch
