"""anselm evaluate and compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anselm.cli.completion import complete_model
from anselm.cli.measurement import Measurement
from anselm.cli.options import (
    METRICS,
    AsTyped,
    DataDir,
    DataSource,
    Device,
    Faq,
    Json,
    JudgedOnly,
    LogColumns,
    Metrics,
    Protocol,
    Split,
    System,
    TieRule,
    Workers,
    switch,
)
from anselm.cli.output import console, print_json, whisper
from anselm.cli.robust_evaluation import run_robustness

if TYPE_CHECKING:
    from anselm.evaluation.report import Report
    from anselm.evaluation.robustness import Robustness
    from anselm.ranking.ranker import Ranker

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
    judged_only: JudgedOnly = False,
    per_question: Annotated[
        bool,
        switch(
            "--per-question",
            help="Also each question: what came first, whether it is right, the verdict; in a pipe its metrics, too.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw how far the probabilities hold, and what thresholds give: .png or .svg."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            help="Write the scores: .pred (SemEval's predictions, true or false for each) or .run (TREC); with "
            "--robust each question without and with its distractor, .jsonl."
        ),
    ] = None,
    robust: Annotated[
        bool,
        switch("--robust", help="Also with a sentence in each list that only looks like an answer, and the drop."),
    ] = False,
    faq: Faq = None,
    as_typed: AsTyped = False,
    columns: LogColumns = None,
    data_dir: DataDir = None,
    device: Device = None,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Measure a model on labelled lists."""
    asked = Measurement(data, split, protocol, metrics, ties, judged_only, data_dir, columns, save, plot, faq, as_typed)
    if robust:
        if plot:
            raise typer.BadParameter("--plot draws the probabilities of one evaluation; leave it or --robust out")
        if device is not None or workers:
            raise typer.BadParameter("--device and --workers are for one evaluation; leave them or --robust out")
        return report_robustness(run_robustness(model, asked), per_question, as_json)
    (report,) = run_evaluation([model], asked, device, workers)
    if plot:
        from anselm.evaluation.plots import save_plot

        save_plot(report, plot)
    if as_json:
        return print_json(report.to_dict() | ({"per_question": report.per_question} if per_question else {}))
    from anselm.cli.show import show_questions, show_report

    show_report(console(), report)
    if per_question:
        show_questions(console(), report)
    return None


def report_robustness(found: Robustness, per_question: bool, as_json: bool) -> None:
    if as_json:
        return print_json(found.to_dict() | ({"per_question": found.rows} if per_question else {}))
    from anselm.cli.show import show_distracted, show_robustness

    show_robustness(console(), found)
    if per_question:
        show_distracted(console(), found)
    return None


@app.command(epilog="Example: anselm compare bm25 tfidf --data trecqa")
def compare(
    model_a: System,
    model_b: Annotated[str, typer.Argument(autocompletion=complete_model, help="The model to compare it with.")],
    data: DataSource,
    split: Split = None,
    protocol: Protocol = None,
    metrics: Metrics = METRICS,
    ties: TieRule = "pessimistic",
    judged_only: JudgedOnly = False,
    faq: Faq = None,
    as_typed: AsTyped = False,
    columns: LogColumns = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Compare two models question by question, with paired significance tests."""
    from anselm.evaluation.report import compare as compare_reports

    asked = Measurement(
        data, split, protocol, metrics, ties, judged_only, data_dir, columns, faq=faq, as_typed=as_typed
    )
    first, second = run_evaluation([model_a, model_b], asked)
    rows = compare_reports(first, second)
    if as_json:
        return print_json(describe(first, second) | {"comparisons": {name: vars(row) for name, row in rows.items()}})
    from anselm.cli.show import show_comparison

    return show_comparison(console(), first, second, rows)


def describe(first: Report, second: Report) -> dict[str, Any]:
    """What two reports share; the coverage of each where one is of a run."""
    shared = ("data", "split", "protocol", "ties", "questions", "copies", "pairs", "judged_only")
    a, b = first.to_dict(), second.to_dict()
    described = {"models": [first.model, second.model]} | {key: a[key] for key in shared if key in a}
    coverage = [a.get("coverage"), b.get("coverage")]
    return described | ({"coverage": coverage} if any(coverage) else {})


def run_evaluation(
    models: Sequence[str], asked: Measurement, device: str | None = None, workers: int | None = None
) -> list[Report]:
    """Of several models on the same lists; what is to be drawn or saved is of the first."""
    from anselm.cli.show import progress
    from anselm.evaluation.plots import check_plot, check_source
    from anselm.evaluation.report import assess
    from anselm.evaluation.score_files import check_target, save_scores
    from anselm.evaluation.systems import open_system
    from anselm.outputs import check_apart

    asked.check()
    if asked.plot:
        check_plot(asked.plot)
    if asked.save:
        check_target(asked.save)
        check_apart(asked.save, *asked.files, *models)
    with ExitStack() as stack:  # a mistyped name should not cost the reading of the data
        opened = (stack.enter_context(equipped(model, device, workers)) for model in models)
        systems = [open_system(one, respell=not asked.as_typed) for one in opened]
        dataset = asked.read()
        if asked.plot:
            check_source(systems[0], dataset)
        scoring = partial(progress, label="scoring")
        reports = [assess(one, dataset, asked.names, asked.tie_rule, scoring, asked.judged_only) for one in systems]
    if any(report.trivial for report in reports):
        whisper(
            f"anselm: note: every candidate that is ranked on {dataset.name} is relevant: any order scores the same"
        )
    if without := sum(max(question.labels, default=0.0) <= 0 for question in dataset):
        left = "--protocol clean leaves them out" if dataset.protocol == "raw" else "any order scores the same on them"
        whisper(
            f"anselm: note: {without:,} of {len(dataset):,} questions have no relevant candidate and count 0; {left}"
        )
    if asked.save:
        save_scores(reports[0], asked.save)
        for note in notes_on_saving(reports[0], asked.save, asked.data):
            whisper(f"anselm: note: {note}")
    return reports


@contextmanager
def equipped(model: str, device: str | None, workers: int | None) -> Iterator[str | Ranker]:
    """A model by its name, or on a device, or as several processes."""
    if device is None and workers is None:
        yield model
        return
    from anselm.ranking.ranker import Ranker
    from anselm.ranking.scorers import load_calibration
    from anselm.ranking.torch_devices import devices_of
    from anselm.scale.shared_scorer import SharedScorer

    if workers is None:
        yield Ranker.load(model, device=device)
        return
    with SharedScorer(model, workers, devices_of(device)) as scorer:
        yield Ranker(scorer, load_calibration(model), model)


def notes_on_saving(report: Report, save: Path, data: str) -> Iterator[str]:
    """What predictions cannot say by themselves."""
    if save.suffix != ".pred" or report.ranked is None:
        return
    if report.ranked.called is None:
        yield f"{report.model} has no threshold of its own; {save} calls relevant what is above 0"
    if report.protocol != OFFICIAL and has_official(data):
        lists = f"the {len(report.ranked.lists):,} lists of the protocol {report.protocol!r}"
        yield f"{save} has {lists}; the official scorer expects those of --protocol {OFFICIAL}"


def has_official(data: str) -> bool:
    """Whether it is a corpus that a task's own scorer is for."""
    from anselm.data.datasets import find_corpus, is_corpus_name

    return is_corpus_name(data) and OFFICIAL in find_corpus(data).protocols
