"""The answers to many questions: a line for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from anselm.cli.show.tables import plain_table, shown

if TYPE_CHECKING:
    from anselm.ranking.answer_files import Answered
    from anselm.ranking.answers import Answers

COLOURS = {"answered": "green", "refused": "yellow", "perhaps": "yellow"}


def show_answered(console: Console, answered: Sequence[Answered]) -> None:
    """Question, verdict and first answer, which are cut where the screen ends; then how many were answered."""
    table = plain_table()
    table.expand = True
    for name, ratio in (("question", 1), ("verdict", None), ("first answer", 1)):
        table.add_column(name, no_wrap=True, overflow="ellipsis", ratio=ratio)
    for one in answered:
        found = one.answers
        verdict = verdict_of(found)
        sure = "" if found.answerability is None else f" {found.answerability:.0%}"
        said = f"[{COLOURS.get(verdict, 'dim')}]{verdict}[/]{sure}"
        table.add_row(shown(found.question), said, shown(found.best.text))
    console.print(table)
    counted = Counter(verdict_of(one.answers) for one in answered)
    told = ", ".join(f"{count:,} {name}" for name, count in counted.most_common())
    console.print(f"{len(answered):,} questions: {told}", highlight=False)


def verdict_of(found: Answers) -> str:
    """In a word; a refusal that may well be wrong is a doubt."""
    if found.answerable is None:
        return "ranked"
    return "answered" if found.answerable else "perhaps" if found.unsure else "refused"
