"""anselm train."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anselm.cli.completion import complete_corpus, complete_model
from anselm.cli.options import DataDir, Faq, Json, LogColumns, judged_columns, switch
from anselm.cli.output import console, interruptible, note, print_json, say
from anselm.cli.train_parser import PARSER, train_parser
from anselm.errors import InputError
from anselm.outputs import check_new

if TYPE_CHECKING:
    from anselm.data.datasets import Dataset
    from anselm.experiments.training_runs import TrainingRun
    from anselm.train.dry_run import Plan

app = typer.Typer()

BASE = "bm25"  # what is trained where nothing else is named

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="RECIPE",
        help="A recipe: a TOML file, or a name of `anselm reproduce --list`; or `parser`: see anselm parse.",
    ),
]


@app.command(epilog="Example: anselm train --base bm25 --data faq.jsonl --out my-ranker")
def train(
    recipe: Name = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", "-d", autocompletion=complete_corpus, help="Lists: a corpus or file; trees, for `parser`."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The checkpoint folder to write; it must not exist.")] = None,
    base: Annotated[
        str | None,
        typer.Option(
            autocompletion=complete_model,
            help="A model of `anselm models` (bm25), an encoder (name or folder), or a checkpoint to go on from.",
        ),
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option(autocompletion=complete_corpus, help="Lists to choose on; a tenth of --data by default."),
    ] = None,
    split: Annotated[str | None, typer.Option(help="Which split; `train` by default.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Which questions count; all of them by default.")] = None,
    epochs: Annotated[
        float | None, typer.Option(help="How often to go through the lists: 3 times, on word vectors 20.")
    ] = None,
    learning_rate: Annotated[
        float | None, typer.Option("--learning-rate", help="5e-5 by default, on word vectors a paper's.")
    ] = None,
    faq: Faq = None,
    columns: LogColumns = None,
    seed: Annotated[int, typer.Option(help="Two runs with the same seed end the same.")] = 1,
    corpus: Annotated[str | None, typer.Option(help="Which corpus of a recipe; the first by default.")] = None,
    dry_run: Annotated[bool, switch("--dry-run", help="Say what would happen, and do nothing.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Fit a model to your data: weights or word statistics, probabilities, and the threshold for "no answer"."""
    given = {name: value for name, value in (("epochs", epochs), ("learning_rate", learning_rate)) if value is not None}
    of_lists = {
        "--base": base, "--dev": dev, "--split": split, "--protocol": protocol, "--faq": faq, "--columns": columns
    }  # fmt: skip
    if recipe == PARSER:
        check_unused("a parser", of_lists | {"--base": None, "--corpus": corpus, "--dry-run": dry_run or None})
        return train_parser(out, base, seed, given, Path(data) if data else None, data_dir, as_json)
    if recipe is not None:
        if data is not None:
            raise InputError("a recipe names its own data; give a recipe or --data, not both")
        check_unused("a recipe, which says it for itself", of_lists)
        return train_recipe(recipe, corpus, seed, given, out, dry_run, data_dir, as_json)
    check_unused("lists of one's own", {"--corpus": corpus})
    if data is None:
        raise InputError("a recipe or --data is needed: anselm train --base bm25 --data faq.jsonl --out my-ranker")
    base = base or BASE
    from anselm.checkpoints.bases import find_base
    from anselm.checkpoints.catalogue import ranks_untrained
    from anselm.cli.show import waiting
    from anselm.data.datasets import DEV, load_training_data
    from anselm.train.requirements import require_torch

    named = judged_columns(columns, faq)
    with waiting("reading"):
        dataset = load_training_data(data, split, protocol, data_dir, columns=named, faq=faq)
    if ranks_untrained(find_base(base).model):
        check_unused(
            f"{base}, which only counts words", {"--dev": dev, "--epochs": epochs, "--learning-rate": learning_rate}
        )
        return fit_to_texts(base, dataset, out, dry_run, as_json)
    require_torch()
    from anselm.experiments.training_runs import data_run

    target = None if dry_run else check_new(needed(out))
    of_faq = named if faq else None  # whose columns they are
    chosen_on = load_training_data(dev, data_dir=data_dir, usual=DEV, columns=of_faq, faq=faq) if dev else None
    run = data_run(base, dataset, chosen_on, seed, given)
    return write(run, target, as_json) if target else show_plan(run.plan(), as_json)


def check_unused(trained: str, options: Mapping[str, object]) -> None:
    """What was given and would do nothing."""
    if extra := next((name for name, value in options.items() if value is not None), None):
        raise InputError(f"{extra} is not for training {trained}")


def train_recipe(
    name: str,
    corpus: str | None,
    seed: int,
    given: dict[str, float],
    out: Path | None,
    dry_run: bool,
    data_dir: Path | None,
    as_json: bool,
) -> None:
    from anselm.experiments.recipe_files import find_recipe
    from anselm.train.requirements import require_torch

    recipe = find_recipe(name)
    require_torch()
    from anselm.experiments.jobs import Context
    from anselm.experiments.training_runs import recipe_job, recipe_plan, recipe_run

    job, context = recipe_job(recipe, corpus, seed, given, note), Context(data_dir, note)
    if dry_run:
        return show_plan(recipe_plan(job, context), as_json)
    target = check_new(needed(out))
    return write(recipe_run(job, context), target, as_json)


def fit_to_texts(base: str, dataset: Dataset, out: Path | None, dry_run: bool, as_json: bool) -> None:
    from anselm.cli.show import progress
    from anselm.experiments.recalibration import fit_to_texts as fit

    counts = {"lists": len(dataset), "pairs": dataset.pairs}
    if dry_run:
        planned = f"{base} would be fitted on {len(dataset):,} lists, {dataset.pairs:,} pairs"
        return print_json({"model": base, **counts}) if as_json else say(planned)
    out = needed(out)
    calibration = fit(base, dataset, out, partial(progress, label="fitting"))
    threshold, fitted_on = (calibration.threshold, calibration.fitted_on) if calibration else (None, None)
    if as_json:
        return print_json({"checkpoint": str(out), **counts, "threshold": threshold, "fitted_on": fitted_on})
    said = f"threshold {threshold:.2f}" if calibration else "not calibrated: the data has no labels"
    name = f"{dataset.name}, split {dataset.split}, protocol {dataset.protocol}"
    return say(f"{out}: fitted on {name}: {len(dataset):,} lists, {dataset.pairs:,} pairs; {said}")


def write(run: TrainingRun, out: Path, as_json: bool) -> None:
    from anselm.cli.show import steps

    with interruptible("the same command goes on from what was saved last"), steps("training") as watch:
        found = run.write(out, note, watch)
    dataset, dev = run.lists, run.dev
    start, best = found.start, found.best or 0.0
    if as_json:
        counts = {"lists": len(dataset), "pairs": dataset.pairs}
        return print_json({"checkpoint": str(out), **counts, "dev_map_before": start, "dev_map": best})
    if start is not None and found.best_step == 0:
        note(f"note: training did not better its MAP on {dev.name}, so {out} has the weights it began with")
    before = "" if start is None else f", {start:.4f} before"
    return say(
        f"{out}: trained on {len(dataset):,} lists, {dataset.pairs:,} pairs; MAP {best:.4f} on {dev.name}{before}"
    )


def needed(out: Path | None) -> Path:
    if out is None:
        raise InputError("--out is needed: the checkpoint folder to write")
    return out


def show_plan(found: Plan, as_json: bool) -> None:
    record = asdict(found) | {"overlaps": [str(overlap) for overlap in found.overlaps]}
    if as_json:
        return print_json(record)
    for name, value in record.items():
        shown = f"{value:,}" if isinstance(value, int) else f"about {value:,.0f}" if isinstance(value, float) else value
        console().print(f"{name:12} {shown if shown != [] else 'none'}", highlight=False)
    return None
