"""What became of each question that was evaluated: a table for people, rows with tabs in a file or a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from anselm.cli.show.tables import one_line, plain_table, show_rows, shown

if TYPE_CHECKING:
    from anselm.evaluation.outcomes import Outcome
    from anselm.evaluation.report import Report

NAMES = ("id", "question", "first is", "verdict", "first id", "first")  # of the columns, before the metrics


def show_questions(console: Console, report: Report) -> None:
    """The metrics alone where copies stand for a question, as each may have another first."""
    console.print()
    if not (outcomes := report.outcomes):
        return show_rows(console, [{**row, "id": shown(row["id"])} for row in report.measured])
    if console.is_terminal:
        return show_table_of(console, report, outcomes)
    lines = [[*NAMES, *report.values]]
    for row, outcome in zip(report.measured, outcomes, strict=True):
        lines.append([*told(row["id"], outcome), *(f"{row[name]:.4f}" for name in report.values)])
    for line in lines:
        console.file.write("\t".join(map(one_line, line)) + "\n")  # the console would make spaces of the tabs
    return None


def show_table_of(console: Console, report: Report, outcomes: list[Outcome]) -> None:
    """A line for each: question and candidate are cut where the screen ends."""
    table = plain_table()
    table.expand = True
    for name in NAMES:
        if name != "first id":
            wide = 1 if name in ("question", "first") else None
            table.add_column(name, no_wrap=True, overflow="ellipsis", ratio=wide)
    for id, outcome in zip(report.ids, outcomes, strict=True):
        *known, first_id, first = told(id, outcome)
        place = f"[dim]{shown(f'[{first_id}]')}[/] " if first_id else ""
        number, asked, right, verdict = map(shown, known)
        colour = {"right": "green", "wrong": "yellow"}.get(right, "dim")
        table.add_row(number, asked, f"[{colour}]{right}[/]", verdict, place + shown(first))
    console.print(table)


def told(id: str, outcome: Outcome) -> tuple[str, ...]:
    """As `NAMES` has it; a run has no verdict, and perhaps no candidate."""
    first, given = outcome.first, outcome.verdict
    verdict = f"{'answered' if given.answerable else 'refused'} {given.answerability:.0%}" if given else ""
    if first is None:
        return id, outcome.question, "missing", verdict, "", ""
    right = "right" if first.relevant else "wrong" if outcome.any_relevant else "none right"
    return id, outcome.question, right, verdict, first.id, first.text
