"""anselm train and reproduce."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anselm.cli.options import DataDir, Json
from anselm.cli.output import console, print_json, print_rows, say
from anselm.errors import InputError, MissingDataError, MissingExtraError

if TYPE_CHECKING:
    from anselm.data.datasets import Dataset
    from anselm.recipes.results import Result
    from anselm.recipes.schema import Recipe
    from anselm.recipes.training import Plan

app = typer.Typer()

MODEST = {"batch_lists": 16, "batch_tokens": 16_384}  # for a few hundred lists, and for memory without a GPU
USUAL = {"transformer": {"epochs": 3.0, "rate": 5e-5}, "siamese": {"epochs": 20.0, "rate": 5e-4}}  # by a model's kind

Name = Annotated[str | None, typer.Argument(metavar="RECIPE", help="A recipe: a TOML file, or a name of `--list`.")]


@app.command(epilog="Example: anselm train --base bm25 --data faq.jsonl --out my-ranker")
def train(
    recipe: Name = None,
    data: Annotated[str | None, typer.Option("--data", "-d", help="Labelled lists: a corpus name or a file.")] = None,
    out: Annotated[Path | None, typer.Option(help="The checkpoint folder to write; it must not exist.")] = None,
    base: Annotated[
        str,
        typer.Option(help="A model of `anselm models`, an encoder (name or folder), or a checkpoint to go on from."),
    ] = "bm25",
    dev: Annotated[str | None, typer.Option(help="Lists to choose on; a tenth of --data by default.")] = None,
    split: Annotated[str | None, typer.Option(help="Which split; `train` by default.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Which questions count; all of them by default.")] = None,
    epochs: Annotated[
        float | None, typer.Option(help="How often to go through the lists: 3 times, on word vectors 20.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="The learning rate: 5e-5, on word vectors 5e-4.")] = None,
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
        if extra := next((name for name, value in others.items() if value is not None), None):
            raise InputError(f"{extra} is for training without a recipe, which says it for itself")
        wanted = {name: value for name, value in (("epochs", epochs), ("rate", rate)) if value is not None}
        return train_recipe(recipe, corpus, seed, wanted, out, dry_run, as_json)
    if data is None:
        raise InputError("a recipe or --data is needed: anselm train --base bm25 --data faq.jsonl --out my-ranker")
    from anselm.recipes.fitting import load_training_data
    from anselm.terminal import waiting

    with waiting("reading"):
        dataset = load_training_data(data, split, protocol, data_dir)
    if is_lexical(base):
        return fit_lexical(base, dataset, needed(out), dry_run, as_json)
    require_torch()
    from anselm.recipes.training import make_model, make_training, split_off_dev

    parts = (dataset, load_training_data(dev, data_dir=data_dir, usual="dev")) if dev else split_off_dev(dataset)
    model = make_model(base, {}, seed, parts[0].questions)
    given = {name: value for name, value in (("epochs", epochs), ("rate", rate)) if value is not None}
    usual = USUAL["siamese" if is_siamese(model.name) else "transformer"]
    training = make_training({**MODEST, **usual, **given, "seed": seed})
    return train_network(model, *parts, training, out, dry_run, as_json)


def is_siamese(name: str) -> bool:
    from anselm.models.registry import all_models

    return all_models()[name].kind == "siamese"


def require_torch() -> None:
    """Before anything that would need it is imported."""
    if any(find_spec(library) is None for library in ("torch", "accelerate", "transformers")):
        raise MissingExtraError("training a network", "train")


def is_lexical(base: str) -> bool:
    from anselm.models.registry import all_models, find_checkpoint, read_config

    entry = all_models().get(base)
    if entry is None and Path(base).is_dir() and (Path(base) / "statistics.json").exists():
        folder = find_checkpoint(base)
        entry = all_models()[read_config(folder / "config.json")["model"]] if folder else None
    return entry is not None and entry.kind == "lexical"


def fit_lexical(base: str, dataset: Dataset, out: Path, dry_run: bool, as_json: bool) -> None:
    from anselm.recipes.fitting import train as run
    from anselm.terminal import progress

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
    from anselm.recipes.overlap import find_overlap
    from anselm.recipes.training import plan, train_checkpoint
    from anselm.terminal import steps

    if dry_run:
        return show_plan(plan(model, dataset, dev, training), as_json)
    if overlap := find_overlap(dataset, dev.name, dev):
        typer.echo(f"anselm: note: {overlap}", err=True)
    with steps("training") as watch:
        best = train_checkpoint(model, dataset, dev, training, needed(out), watch)
    if as_json:
        return print_json({"checkpoint": str(out), "lists": len(dataset), "pairs": dataset.pairs, "dev_map": best})
    return say(f"{out}: trained on {len(dataset):,} lists, {dataset.pairs:,} pairs; MAP {best:.4f} on {dev.name}")


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


def train_recipe(
    name: str, corpus: str | None, seed: int, wanted: dict[str, float], out: Path | None, dry_run: bool, as_json: bool
) -> None:
    """One corpus and seed of a recipe. Of settings that it leaves to a search, the first is taken, and that is said."""
    from anselm.recipes.schema import find_recipe, find_stage

    recipe = find_recipe(name)
    stage = find_stage(recipe, corpus)
    require_torch()
    if not dry_run and needed(out).exists():
        raise InputError(f"{out} exists already; give the name of a new folder")
    from anselm.recipes.jobs import join_parts, load_part, new_model, run_stage
    from anselm.recipes.training import make_training

    first = {key: value for key, value in stage.settings[0].items() if key not in {**stage.training, **wanted}}
    for key, value in first.items():
        whisper(f"anselm: note: `anselm reproduce` searches {key} in {list(stage.search[key])}; {value} is taken here")
    model = new_model(recipe, seed, recipe.transfer or stage, load_part)
    if recipe.transfer and not dry_run:
        run_stage(model, recipe.transfer, seed, {}, load_part, say)
    training = make_training({**stage.training, **first, **wanted, "seed": seed})
    return train_network(
        model, join_parts(stage.train, load_part), load_part(stage.dev), training, out, dry_run, as_json
    )


Rows = Annotated[str | None, typer.Argument(metavar="RECIPE", help="A recipe, or all of a paper/table or a paper.")]


@app.command(epilog="Example: anselm reproduce gated-group-self-attention/table-4 --corpus wikiqa --workers 2")
def reproduce(
    recipe: Rows = None,
    listed: Annotated[bool, typer.Option("--list", help="List the recipes.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Show the results that are recorded.")] = False,
    corpus: Annotated[list[str] | None, typer.Option(help="Only these corpora of the recipe.")] = None,
    seed: Annotated[list[int] | None, typer.Option(help="Only these seeds.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="How many trainings run side by side.")] = 1,
    journal: Annotated[Path | None, typer.Option(help="A file that keeps what is done, to go on from later.")] = None,
    results: Annotated[Path, typer.Option(help="Where results are recorded.")] = Path("results"),
    plot: Annotated[Path | None, typer.Option(help="Draw group sizes and heads (figure-8) into a PNG or SVG.")] = None,
    as_json: Json = False,
) -> None:
    """Run a row of a paper's table, or all of them, every seed, and record it beside the paper's numbers."""
    from anselm.recipes.schema import all_recipes, find_recipes, read_recipe

    if listed:
        return print_rows([row(read_recipe(path)) for path in all_recipes().values()], as_json, COLUMNS)
    if show:
        return show_results(results, recipe, plot, as_json)
    if recipe is None:
        raise InputError("name a recipe, or see them with --list")
    chosen = choose_corpora(find_recipes(recipe), corpus or [])
    require_torch()
    if plot:
        from anselm.evaluation.plots import check_plot

        check_plot(plot)
    from anselm.recipes.reproducing import reproduce as run
    from anselm.recipes.results import tables

    ready = [one for one in chosen if one.corpora]
    if not ready:
        raise MissingDataError(f"no corpus of {recipe} is here; `anselm data list` says where to get them")
    found, paths = [], []
    for result in run(ready, (), seed or [], workers, journal, say=whisper):
        found.append(result)
        paths.append(keep(result, results))
    if plot:
        from anselm.recipes.sensitivity import save_sensitivity

        save_sensitivity(found, plot)
    if as_json:
        return print_json([asdict(result) for result in found])
    typer.echo(tables(found, recipe if recipe in {name for one in ready for name in one.tables} else ""))
    return say(f"recorded in {', '.join(map(str, paths))}")


def keep(result: Result, folder: Path) -> Path:
    """Record a result; with the seeds that are recorded already, where it has others. Fewer never replace more."""
    from anselm.recipes.results import merge, read_result, write_result

    path = folder / result.path
    before = read_result(path) if path.exists() else None
    if before is None or set(before.seeds) <= set(result.seeds):
        return write_result(result, folder)
    if (before.data_sha256, before.model, before.chosen) == (result.data_sha256, result.model, result.chosen) and not (
        set(before.seeds) & set(result.seeds)
    ):
        return write_result(merge([before, result]), folder)
    whisper(f"anselm: note: {path} stays as it is: it has the seeds {before.seeds}, and these are {result.seeds}")
    return path


def whisper(line: str) -> None:
    typer.echo(line, err=True)


def choose_corpora(recipes: list[Recipe], corpora: list[str]) -> list[Recipe]:
    """Each with those of its corpora that are wanted and here. Of several recipes, not each has to have each corpus."""
    from anselm.errors import UnknownNameError

    known = {name for recipe in recipes for name in recipe.corpora}
    if unknown := next((name for name in corpora if name not in known), None):
        raise UnknownNameError("corpus of " + " ".join(recipe.name for recipe in recipes[:1]), unknown, known)
    wanted = [(recipe, [name for name in corpora if name in recipe.corpora]) for recipe in recipes]
    return [here(recipe, own) for recipe, own in wanted if own or not corpora]


def here(recipe: Recipe, corpora: list[str]) -> Recipe:
    """The recipe with those of its corpora that are wanted and not missing; what is missing is said."""
    from anselm.recipes.schema import find_stage, missing_parts

    stages = {name: find_stage(recipe, name) for name in corpora or recipe.corpora}
    common = [*recipe.transfer.train, recipe.transfer.dev] if recipe.transfer else []
    for name, stage in list(stages.items()):
        if absent := missing_parts([*common, *stage.train, stage.dev, *stage.tests]):
            if name in corpora:
                raise MissingDataError(
                    f"{recipe.name} on {name} needs {', '.join(absent)}, which is not here; `anselm data list` says "
                    "where to get it"
                )
            whisper(f"anselm: note: {recipe.name} on {name} is left out, since {', '.join(absent)} is not here")
            del stages[name]
    return replace(recipe, corpora=stages)


COLUMNS = ("recipe", "model", "seeds", "corpora", "here")


def row(recipe: Recipe) -> dict[str, object]:
    from anselm.recipes.schema import missing_data

    absent = missing_data(recipe)
    return {
        "recipe": recipe.name,
        "paper": recipe.paper,
        "table": recipe.table,
        "row": recipe.row,
        "model": recipe.model,
        "seeds": len(recipe.seeds),
        "corpora": ", ".join(recipe.corpora),
        "here": "yes" if not absent else f"without {', '.join(absent)}",
    }


def show_results(folder: Path, part: str | None, plot: Path | None, as_json: bool) -> None:
    """All of them, or those of a paper, a paper/table or a paper/table/row."""
    from anselm.recipes.results import read_results, tables

    found = [result for result in read_results(folder) if part is None or any(
        f"{name}/".startswith(f"{part}/") for name in result.names
    )]  # fmt: skip
    if not found:
        what = f" of {part}" if part else ""
        raise InputError(f"no results{what} are recorded in {folder}; `anselm reproduce RECIPE` records some")
    if plot:
        from anselm.recipes.sensitivity import save_sensitivity

        save_sensitivity(found, plot)
    return print_json([asdict(result) for result in found]) if as_json else typer.echo(tables(found, part or ""))
