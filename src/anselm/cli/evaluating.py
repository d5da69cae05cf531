"""anselm evaluate and compare."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from anselm.cli.options import METRICS, DataDir, DataSource, Json, Metrics, Protocol, Split, System, TieRule
from anselm.cli.output import console, print_json, whisper

if TYPE_CHECKING:
    from anselm.evaluation.report import Report
    from anselm.evaluation.ties import Ties

app = typer.Typer()

OFFICIAL = "official"  # the protocol of a shared task


@app.command(epilog="Example: anselm evaluate bm25 --data wikiqa --split test --protocol clean")
def evaluate(
    model: System,
    data: DataSource,
    split: Split = None,
    protocol: Protocol = None,
    metrics: Metrics = METRICS,
    ties: TieRule = "pessimistic",
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw how far the probabilities hold, and what thresholds give: .png or .svg."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Write the scores: .pred (SemEval's predictions, true or false for each) or .run (TREC)."),
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Measure a model on labelled lists."""
    (report,) = run_evaluation([model], data, split, protocol, metrics, ties, data_dir, plot, save)
    if plot:
        from anselm.evaluation.plots import save_plot

        save_plot(report, plot)
    if as_json:
        return print_json(report.to_dict())
    from anselm.terminal import show_report

    return show_report(console(), report)


@app.command(epilog="Example: anselm compare bm25 tfidf --data trecqa")
def compare(
    model_a: System,
    model_b: Annotated[str, typer.Argument(help="The model to compare it with.")],
    data: DataSource,
    split: Split = None,
    protocol: Protocol = None,
    metrics: Metrics = METRICS,
    ties: TieRule = "pessimistic",
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Compare two models question by question, with paired significance tests."""
    from anselm.evaluation.report import compare as compare_reports

    first, second = run_evaluation([model_a, model_b], data, split, protocol, metrics, ties, data_dir)
    rows = compare_reports(first, second)
    if as_json:
        shared = ("data", "split", "protocol", "ties", "questions", "copies", "pairs")
        described = {key: value for key, value in first.to_dict().items() if key in shared}
        comparisons = {name: vars(row) for name, row in rows.items()}
        return print_json({"models": [first.model, second.model]} | described | {"comparisons": comparisons})
    from anselm.terminal import show_comparison

    return show_comparison(console(), first, second, rows)


def run_evaluation(
    models: Sequence[str],
    data: str,
    split: str | None,
    protocol: str | None,
    metrics: str,
    ties: str,
    data_dir: Path | None,
    plot: Path | None = None,
    save: Path | None = None,
) -> list[Report]:
    """Of several models on the same lists; what is to be drawn or saved is of the first."""
    from anselm.data.datasets import load_dataset
    from anselm.evaluation.plots import check_plot, check_source
    from anselm.evaluation.report import assess, check_metrics, open_system
    from anselm.evaluation.saving import check_target, save_scores
    from anselm.outputs import check_apart
    from anselm.terminal import progress, waiting

    names = [name.strip() for name in metrics.split(",") if name.strip()]
    check_metrics(names, ties)
    if plot:
        check_plot(plot)
    if save:
        check_target(save)
        check_apart(save, data, *models)
    systems = [open_system(model) for model in models]  # a mistyped name should not cost the reading of the data
    with waiting("reading"):
        dataset = load_dataset(data, split, protocol, data_dir)
    if plot:
        check_source(systems[0], dataset)
    scoring = partial(progress, label="scoring")
    reports = [assess(system, dataset, names, cast("Ties", ties), scoring) for system in systems]
    if save:
        save_scores(reports[0], dataset, save)
        if save.suffix == ".pred" and reports[0].called is None:
            whisper(f"anselm: note: {models[0]} has no threshold of its own; {save} calls relevant what is above 0")
        if save.suffix == ".pred" and dataset.protocol != OFFICIAL and has_official(data):
            lists = f"the {len(dataset):,} lists of the protocol {dataset.protocol!r}"
            whisper(f"anselm: note: {save} has {lists}; the official scorer expects those of --protocol {OFFICIAL}")
    return reports


def has_official(data: str) -> bool:
    """Whether it is a corpus that a task's own scorer is for."""
    from anselm.data.datasets import find_corpus, is_corpus_name

    return is_corpus_name(data) and OFFICIAL in find_corpus(data).protocols
