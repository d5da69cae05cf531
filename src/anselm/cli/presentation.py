"""How what was ranked or asked is shown: as JSON, as lines, or to people, with notes on standard error."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from anselm.cli.options import switch
from anselm.cli.output import console, print_json, whisper
from anselm.cli.skips import Skips

if TYPE_CHECKING:
    from anselm.ranking.answers import Ranking
    from anselm.ranking.ranker import Ranker

Ranked = TypeVar("Ranked", bound="Ranking[Any]")

NO_ANSWER = 1  # the exit code, where it is asked for
GLANCED = 5  # long texts, at most, of which a terminal shows the best sentence

Explain = Annotated[
    bool,
    switch("--explain", help="Mark the words that carried the scores; with trees, what drew attention in them."),
]
Fold = Annotated[bool, switch("--fold-duplicates", help="Fold near-duplicates under the best of them.")]
Graph = Annotated[
    Path | None,
    typer.Option(help="Draw what the model sees, graphs over the candidates or trees of the best: .svg or .html."),
]
ExitCode = Annotated[bool, switch("--exit-code", help="Leave with exit code 1 where no answer was found.")]


def glance(ranker: Ranker, ranking: Ranked, as_json: bool) -> Ranked:
    """For a terminal, with the best sentences of the long texts that come first: what is shown is around them."""
    if as_json or not sys.stdout.isatty():
        return ranking
    from anselm.cli.show.rankings import is_long, shown_results
    from anselm.ranking.best_sentences import with_spans

    results = list(ranking.results)
    places = [place for place, one in enumerate(shown_results(ranking)) if one.spans is None and is_long(one)][:GLANCED]
    for place, one in zip(places, with_spans(ranker, ranking.question, [results[i] for i in places]), strict=True):
        results[place] = one
    return replace(ranking, results=tuple(results))


def present(ranking: Ranking[Any], as_json: bool) -> None:
    if as_json:
        return print_json(ranking.to_dict())
    from anselm.cli.show import show_answers, show_ranking
    from anselm.ranking.answers import Answers

    if isinstance(ranking, Answers):
        return show_answers(console(), ranking)
    return show_ranking(console(), ranking)


def check_graph(graph: Path | None) -> None:
    """A mistyped name should not cost the ranking."""
    if graph is not None:
        from anselm.ranking.context_pictures import check_picture

        check_picture(graph)


def draw_graph(ranking: Ranking[Any], graph: Path | None) -> None:
    """The graphs over the candidates, or the trees of the question and its best answer."""
    if graph is not None and ranking.context is not None:
        from anselm.ranking.context_pictures import save_picture

        save_picture(ranking.context, graph)
    elif graph is not None and ranking.best.trees is not None:
        from anselm.annotations.attended_pictures import attended_page, attended_svg
        from anselm.files import replace_file

        draw = attended_page if graph.suffix.lower() == ".html" else attended_svg
        replace_file(graph, draw(ranking.best.trees, ranking.question).encode())


def finish(ranking: Ranking[Any], skips: Skips, exit_code: bool) -> None:
    """Notes on standard error, and the exit code."""
    for warning in ranking.warnings:
        whisper(f"anselm: warning: {warning}")
    if ranking.question_cut is not None:
        read = f"candidates are read beside its first {ranking.question_cut:,} characters"
        whisper(f"anselm: note: the question is longer than the model reads: {read}, where what is asked should stand")
    if ranking.empty:
        whisper(f"anselm: note: {ranking.empty:,} empty candidate{'s' * (ranking.empty > 1)} came last")
    if unread := sum(result.read is False for result in ranking):
        whisper(f"anselm: note: the last {unread:,} of these were read by the default model alone")
    skips.finish()
    if exit_code and ranking.answerable is False:
        raise typer.Exit(NO_ANSWER)
