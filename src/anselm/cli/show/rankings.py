"""Ranked answers with probability bars, and the best one in its context."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from anselm.cli.show.attention_drawings import show_attention
from anselm.cli.show.bars import bar
from anselm.cli.show.tables import CONTROLS, one_line, plain_table
from anselm.ranking.answers import Answers, Passage, Ranking, Result, Span
from anselm.ranking.best_sentences import LIKELY
from anselm.ranking.explanations import Word, leading, marked

NEAREST = 3
GLANCE = 280  # characters: of a longer text a table shows what stands around its best sentence
SPACES = re.compile(r"\s+")
SENTENCE_END = re.compile(r"[.!?…:;。！？][\"')\]»”’]*$")


def show_ranking(console: Console, ranking: Ranking[Result]) -> None:
    """The verdict, then the candidates best first; where there is no answer, only the nearest few.

    Where they are grouped, those that are like the one above stand behind a ~. In a file or a pipe, each candidate is
    one line.
    """
    show_verdict(console, ranking)
    shown = shown_results(ranking)
    if not console.is_terminal:
        return show_lines(console, shown)
    table = plain_table()
    table.add_column("#", justify="right", style="dim")
    table.add_column("score" if ranking.best.probability is None else "probability", no_wrap=True)
    table.add_column("answer", overflow="fold")
    for place, result in enumerate(shown, start=1):
        text = entry(console, result, glance=True).append(f"  {aside(result)}", style="dim")
        follows = result.cluster is not None and place > 1 and shown[place - 2].cluster == result.cluster
        table.add_row(
            str(place), strength(console, result), Text("  ~ ", style="dim").append_text(text) if follows else text
        )
    console.print(table)
    if ranking.best.trees is not None:
        show_attention(console, ranking.best.trees)
    return None


def shown_results(ranking: Ranking[Result]) -> Sequence[Result]:
    """All, or, where there is no answer, only the nearest few."""
    return ranking.results[: NEAREST if ranking.answerable is False else None]


def is_long(result: Result) -> bool:
    return result.explanation is None and len(result.text) > GLANCE


def show_lines(console: Console, results: Sequence[Result]) -> None:
    """Place, probability or score, where it comes from, and the text, with tabs between."""
    for place, result in enumerate(results, start=1):
        fields = [str(place), amount(result).strip(), aside(result), entry(console, result).plain]
        console.file.write("\t".join(fields) + "\n")  # the console would make spaces of the tabs


def strength(console: Console, result: Result) -> str:
    """A bar with the probability; where there is none, the score."""
    if result.probability is None:
        return amount(result)
    return f"[cyan]{bar(result.probability, console.options.ascii_only)}[/] {amount(result)}"


def amount(result: Result) -> str:
    return f"{result.score:.2f}" if result.probability is None else f"{result.probability:4.0%}"


def entry(console: Console, result: Result, glance: bool = False) -> Text:
    """The answer, behind the question that it is filed under where it is an entry of a FAQ."""
    said = excerpt if glance and is_long(result) else answer
    if not result.question:
        return said(console, result)
    return filed_under(console, result).append(" ").append_text(said(console, result, "dim"))


def filed_under(console: Console, result: Result, style: str = "") -> Text:
    words = result.explanation.entry_question if result.explanation else None
    return emphasise(console, result.question or "", words or (), style)


def answer(console: Console, result: Result, style: str = "") -> Text:
    """The text on one line; the words that carried most, or its best sentence, stand out where they are known."""
    words = result.explanation.answer if result.explanation else best_sentence(result)
    return emphasise(console, result.text, words, style)


def best_sentence(result: Result) -> list[Word]:
    """Where it is likely to answer."""
    likely = [one for one in (result.spans or ())[:1] if one.score > LIKELY]
    return [Word(result.text[one.start : one.end], one.start, one.end, 1.0) for one in likely]


def excerpt(console: Console, result: Result, style: str = "") -> Text:
    """A long text around its best sentence, or its beginning where that is not known."""
    best = (result.spans or [Span(0, 0, 0.0)])[0]
    first, last = around(result.text, (best.start, best.end))
    words = [replace(one, start=one.start - first, end=one.end - first) for one in best_sentence(result)]
    shown = emphasise(console, result.text[first:last], words, style)
    before, after = ("… " if result.text[:first].strip() else ""), (" …" if result.text[last:].strip() else "")
    return Text(before, style=style).append_text(shown).append(after)


def around(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """So many characters with the span among them, from space to space."""
    start, end = span
    room = max(0, GLANCE - (end - start))
    first = max(0, min(start - room // 2, len(text) - GLANCE))
    last = min(len(text), max(end, first + GLANCE))
    while 0 < first < start and not text[first - 1].isspace():
        first += 1
    while end < last < len(text) and not text[last].isspace():
        last -= 1
    return min(first, start), max(last, end)


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


def show_answers(console: Console, ranking: Answers) -> None:
    """The best sentence between its neighbours, then the table."""
    best = ranking.answer
    if best is not None and console.is_terminal:
        before, here, after = map(one_line, (best.before, best.text, best.after))
        above = filed_under(console, best, "bold") if best.question else Text(one_line(best.heading or ""), style="dim")
        context = above.append("\n" if above else "")
        context.append(before + between(before, here), style="not bold dim")
        context.append_text(answer(console, best, "bold green not dim"))
        context.append(between(here, after) + after, style="not bold dim")
        context.truncate(1200, overflow="ellipsis")
        console.print(Panel(context, title=escape(origin(best)), title_align="left", border_style="dim"))
    show_ranking(console, ranking)


def between(first: str, second: str) -> str:
    """What parts two neighbours: a space between sentences, a new line where one is a heading or the like."""
    if not first or not second:
        return ""
    return " " if all(SENTENCE_END.search(text) for text in (first, second)) else "\n"


def show_verdict(console: Console, ranking: Ranking[Result]) -> None:
    """The question, with the words that carried the best result, and whether there is an answer."""
    first = ranking.best
    words = first.explanation.question if first.explanation else ()
    if ranking.read_as is not None:
        console.print(Text(f"{one_line(ranking.question)}, read as:", style="dim"), soft_wrap=True)
    asked = ranking.question if ranking.read_as is None else ranking.read_as
    console.print(emphasise(console, asked, words, "" if words else "bold"), soft_wrap=True)
    if ranking.answerability is None:
        return
    console.print(verdict(ranking, f"{ranking.answerability:.0%}"), highlight=False, soft_wrap=True)


def verdict(ranking: Ranking[Result], sure: str) -> str:
    """In a sentence, in the markup of the terminal. A refusal that may well be wrong is called a doubt.

    Several candidates may each be unlikely, and it be likely all the same that one of them answers.
    """
    if ranking.answerable:
        alone = ranking.best.probability
        if alone is None or alone >= 0.5:
            return f"[green]An answer was found[/], with {sure} certainty that there is one."
        return f"[green]There seems to be an answer[/], with {sure} certainty{among(ranking, alone)}."
    hint = "[dim]anselm calibrate[/] fits this to your own questions."
    if ranking.threshold not in (None, 0.5):
        sure += f", below the threshold of {ranking.threshold:.0%}"
    if ranking.unsure:
        return f"[yellow]Perhaps an answer[/]: the certainty that there is one is {sure}. The best are shown; {hint}"
    return f"[yellow]No answer found[/]: the certainty that there is one is {sure}. The nearest are shown; {hint}"


def among(ranking: Ranking[Result], first: float) -> str:
    """How the best stands among the others, where it is less likely than not."""
    second = ranking.results[1].probability if len(ranking) > 1 else None
    if second is not None and second > first / 2:
        return f", but none stands out: the first has {first:.0%}, the second {second:.0%}"
    return f"; the first is right with {first:.0%}"


def aside(result: Result) -> str:
    """Where it comes from, and how many near-duplicates it stands for."""
    folded = len(result.duplicates or ())
    return origin(result) + (f" and {folded} near-duplicate{'s' * (folded > 1)}" if folded else "")


def origin(result: Result) -> str:
    """Where a result comes from: the line of a file, the id that was given, or the place in the input."""
    if isinstance(result, Passage) and result.source:
        page = f", page {result.page}" if result.page else ""
        line = f":{result.line}" if result.line else f" [{result.id}]"
        return one_line(f"{result.source}{line}{page}")
    return one_line(f"[{result.index if result.id is None else result.id}]")
