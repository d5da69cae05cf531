"""anselm train."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anselm.cli.completion import complete_corpus, complete_model
from anselm.cli.options import Columns, DataDir, Json, named_columns, use_data_dir
from anselm.cli.output import console, interruptible, print_json, say, whisper
from anselm.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from anselm.data.datasets import Dataset
    from anselm.train.dry_run import Plan

app = typer.Typer()

MODEST = {"batch_lists": 16, "batch_tokens": 16_384}  # for a few hundred lists, and for memory without a GPU

Name = Annotated[str | None, typer.Argument(metavar="RECIPE", help="A recipe: a TOML file, or a name of `--list`.")]


@app.command(epilog="Example: anselm train --base bm25 --data faq.jsonl --out my-ranker")
def train(
    recipe: Name = None,
    data: Annotated[
        str | None,
        typer.Option("--data", "-d", autocompletion=complete_corpus, help="Labelled lists: a corpus name or a file."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The checkpoint folder to write; it must not exist.")] = None,
    base: Annotated[
        str,
        typer.Option(
            autocompletion=complete_model,
            help="A model of `anselm models`, an encoder (name or folder), or a checkpoint to go on from.",
        ),
    ] = "bm25",
    dev: Annotated[
        str | None,
        typer.Option(autocompletion=complete_corpus, help="Lists to choose on; a tenth of --data by default."),
    ] = None,
    split: Annotated[str | None, typer.Option(help="Which split; `train` by default.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Which questions count; all of them by default.")] = None,
    epochs: Annotated[
        float | None, typer.Option(help="How often to go through the lists: 3 times, on word vectors 20.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="The learning rate: 5e-5, on word vectors a paper's.")] = None,
    columns: Columns = None,
    seed: Annotated[int, typer.Option(help="Two runs with the same seed end the same.")] = 1,
    corpus: Annotated[str | None, typer.Option(help="Which corpus of a recipe; the first by default.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen, and do nothing.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Fit a model to your data: weights or word statistics, probabilities, and the threshold for "no answer"."""
    if recipe is not None:
        if data is not None:
            raise InputError("a recipe names its own data; give a recipe or --data, not both")
        others = {"--base": base if base != "bm25" else None, "--dev": dev, "--split": split, "--protocol": protocol}
        others["--columns"] = columns
        if extra := next((name for name, value in others.items() if value is not None), None):
            raise InputError(f"{extra} is for training without a recipe, which says it for itself")
        wanted = {name: value for name, value in (("epochs", epochs), ("rate", rate)) if value is not None}
        use_data_dir(data_dir)
        return train_recipe(recipe, corpus, seed, wanted, out, dry_run, as_json)
    if data is None:
        raise InputError("a recipe or --data is needed: anselm train --base bm25 --data faq.jsonl --out my-ranker")
    from anselm.cli.show import waiting
    from anselm.experiments.recalibration import load_training_data

    with waiting("reading"):
        dataset = load_training_data(data, split, protocol, data_dir, columns=named_columns(columns))
    if is_lexical(base):
        return fit_lexical(base, dataset, needed(out), dry_run, as_json)
    require_torch()
    if not dry_run:
        check_new(needed(out))
    from anselm.train.fit import is_trained, make_model, split_off_dev
    from anselm.train.hyperparameters import make_training

    parts = (dataset, load_training_data(dev, data_dir=data_dir, usual="dev")) if dev else split_off_dev(dataset)
    model = make_model(base, {}, seed, parts[0].questions)
    given = {name: value for name, value in (("epochs", epochs), ("rate", rate)) if value is not None}
    training = make_training({**MODEST, **model.usual, **given, "keep_start": is_trained(base), "seed": seed})
    return train_network(model, *parts, training, out, dry_run, as_json)


def require_torch() -> None:
    """Before anything that would need it is imported."""
    if any(find_spec(library) is None for library in ("torch", "accelerate", "transformers")):
        raise MissingExtraError("training a network", "train")


def is_lexical(base: str) -> bool:
    """Whether it has word statistics to fit, and no weights."""
    from anselm.checkpoints.catalogue import all_models, find_checkpoint
    from anselm.checkpoints.checkpoint import STATISTICS, is_checkpoint

    known = base in all_models() or is_checkpoint(Path(base))
    checkpoint = find_checkpoint(base) if known else None
    model = checkpoint.model if checkpoint and checkpoint.has(STATISTICS) else base
    return model in all_models() and all_models()[model].kind == "lexical"


def fit_lexical(base: str, dataset: Dataset, out: Path, dry_run: bool, as_json: bool) -> None:
    from anselm.cli.show import progress
    from anselm.experiments.recalibration import train as run

    counts = {"lists": len(dataset), "pairs": dataset.pairs}
    if dry_run:
        return print_json({"model": base, **counts}) if as_json else say(f"{base} would be fitted on {counts}")
    calibration = run(base, dataset, out, partial(progress, label="fitting"))
    threshold, fitted_on = (calibration.threshold, calibration.fitted_on) if calibration else (None, None)
    if as_json:
        return print_json({"checkpoint": str(out), **counts, "threshold": threshold, "fitted_on": fitted_on})
    said = f"threshold {threshold:.2f}" if calibration else "not calibrated: the data has no labels"
    name = f"{dataset.name}, split {dataset.split}, protocol {dataset.protocol}"
    return say(f"{out}: fitted on {name}: {len(dataset):,} lists, {dataset.pairs:,} pairs; {said}")


def train_network(
    model: Any, dataset: Dataset, dev: Dataset, training: Any, out: Path | None, dry_run: bool, as_json: bool
) -> None:
    from anselm.cli.show import steps
    from anselm.data.overlap import find_overlap
    from anselm.train.dry_run import plan
    from anselm.train.fit import train_checkpoint

    if dry_run:
        return show_plan(plan(model, dataset, dev, training), as_json)
    if overlap := find_overlap(dataset, dev.name, dev):
        typer.echo(f"anselm: note: {overlap}", err=True)
    with interruptible("the same command goes on from what was saved last"), steps("training") as watch:
        found = train_checkpoint(model, dataset, dev, training, needed(out), watch)
    start, best = found.start, found.best or 0.0
    if as_json:
        counts = {"lists": len(dataset), "pairs": dataset.pairs}
        return print_json({"checkpoint": str(out), **counts, "dev_map_before": start, "dev_map": best})
    if start is not None and found.best_step == 0:
        whisper(f"anselm: note: training did not better its MAP on {dev.name}, so {out} has the weights it began with")
    before = "" if start is None else f", {start:.4f} before"
    return say(
        f"{out}: trained on {len(dataset):,} lists, {dataset.pairs:,} pairs; MAP {best:.4f} on {dev.name}{before}"
    )


def needed(out: Path | None) -> Path:
    if out is None:
        raise InputError("--out is needed: the checkpoint folder to write")
    return out


def check_new(out: Path) -> None:
    """Before anything is made that could not be written there."""
    if out.exists():
        raise InputError(f"{out} exists already; give the name of a new folder")


def show_plan(found: Plan, as_json: bool) -> None:
    record = asdict(found) | {"overlaps": [str(overlap) for overlap in found.overlaps]}
    if as_json:
        return print_json(record)
    for name, value in record.items():
        shown = f"{value:,}" if isinstance(value, int) else f"about {value:,.0f}" if isinstance(value, float) else value
        console().print(f"{name:12} {shown if shown != [] else 'none'}", highlight=False)
    return None


def train_recipe(
    name: str, corpus: str | None, seed: int, wanted: dict[str, float], out: Path | None, dry_run: bool, as_json: bool
) -> None:
    """One corpus and seed of a recipe. Of settings that it leaves to a search, the first is taken, and that is said."""
    from anselm.experiments.schema import find_recipe, find_stage, of_config, of_training

    recipe = find_recipe(name)
    stage = find_stage(recipe, corpus)
    if not stage.train:
        raise InputError(f"{recipe.name} has nothing to train on for {stage.dev.data}: it tests the transfer as it is")
    require_torch()
    if not dry_run:
        check_new(needed(out))
    from anselm.experiments.jobs import new_model, run_stage
    from anselm.experiments.parts import join_parts, load_part
    from anselm.train.hyperparameters import make_training

    first = {key: value for key, value in stage.settings[0].items() if key not in {**stage.training, **wanted}}
    for key, value in first.items():
        whisper(f"anselm: note: `anselm reproduce` searches {key} in {list(stage.search[key])}; {value} is taken here")
    model = new_model(recipe, seed, recipe.transfer or stage, load_part, of_config(first))
    if recipe.transfer and not dry_run:
        run_stage(model, recipe.transfer, seed, {}, load_part, say)
    training = make_training({**stage.training, **of_training(first), **wanted, "seed": seed})
    return train_network(
        model, join_parts(stage.train, load_part), load_part(stage.dev), training, out, dry_run, as_json
    )
