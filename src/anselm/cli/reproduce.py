"""anselm reproduce."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anselm.cli.options import DataDir, Json, use_data_dir
from anselm.cli.output import print_json, print_rows, say, whisper
from anselm.cli.train import require_torch
from anselm.errors import InputError, MissingDataError

if TYPE_CHECKING:
    from anselm.experiments.results import Result
    from anselm.experiments.schema import Recipe

app = typer.Typer()

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
    plot: Annotated[
        Path | None, typer.Option(help="Draw a setting that was varied (figure-8, table-8) as PNG or SVG.")
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Run a row of a paper's table, or all of them, every seed, and record it beside the paper's numbers."""
    from anselm.experiments.schema import all_recipes, find_recipes, read_recipe

    use_data_dir(data_dir)
    if listed:
        return print_rows([row(read_recipe(path)) for path in all_recipes().values()], as_json, COLUMNS)
    if show:
        return show_results(results, recipe, plot, as_json)
    if recipe is None:
        raise InputError("name a recipe, or see them with --list")
    wanted = find_recipes(recipe)
    if plot:
        from anselm.experiments.sweeps import drawn_paper

        drawn_paper(wanted, plot)  # hours before there is something to draw
    chosen = choose_corpora(wanted, corpus or [])
    require_torch()
    from anselm.experiments.results import tables
    from anselm.experiments.run import reproduce as run

    ready = [one for one in chosen if one.corpora]
    if not ready:
        raise MissingDataError(f"no corpus of {recipe} is here; `anselm data list` says where to get them")
    found, paths = [], []
    for result in run(ready, (), seed or [], workers, journal, say=whisper):
        found.append(result)
        paths.append(keep(result, results))
    if plot:
        from anselm.experiments.sweeps import save_sensitivity

        save_sensitivity(found, plot)
    if as_json:
        return print_json([asdict(result) for result in found])
    typer.echo(tables(found, recipe if recipe in {name for one in ready for name in one.tables} else ""))
    return say(f"recorded in {', '.join(map(str, paths))}")


def keep(result: Result, folder: Path) -> Path:
    """Record a result; with the seeds that are recorded already, where it has others. Fewer never replace more."""
    from anselm.experiments.results import merge, read_result, write_result

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


def choose_corpora(recipes: list[Recipe], corpora: list[str]) -> list[Recipe]:
    """Each with those of its corpora that are wanted and here. Of several recipes, not each has to have each corpus."""
    from anselm.errors import UnknownNameError
    from anselm.experiments.schema import find_stage

    known = {name for recipe in recipes for name in recipe.corpora}
    if unknown := next((name for name in corpora if name not in known), None):
        raise UnknownNameError("corpus of " + " ".join(recipe.name for recipe in recipes[:1]), unknown, known)
    chosen: list[Recipe] = []
    absent: dict[tuple[str, str], list[str]] = {}  # corpus and what it lacks -> rows
    for recipe in recipes:
        wanted = {name: find_stage(recipe, name) for name in recipe.corpora if name in corpora or not corpora}
        lacks = {name: ", ".join(lacking(recipe, name)) for name in wanted}
        for name, what in lacks.items():
            if what:
                absent.setdefault((name, what), []).append(recipe.name)
        if wanted:
            chosen.append(replace(recipe, corpora={name: wanted[name] for name in wanted if not lacks[name]}))
    for (name, what), rows in absent.items():
        if name in corpora:
            raise MissingDataError(
                f"{rows[0]} on {name} needs {what}, which is not here; `anselm data list` says where to get it"
            )
        which = rows[0] if len(rows) == 1 else f"{len(rows)} recipes"
        whisper(f"anselm: note: {which} on {name} left out, since {what} is not here")
    return chosen


def lacking(recipe: Recipe, corpus: str) -> list[str]:
    """What one corpus of a recipe needs and is not here."""
    from anselm.experiments.schema import find_stage, missing_parts

    stage = find_stage(recipe, corpus)
    common = [*recipe.transfer.train, recipe.transfer.dev] if recipe.transfer else []
    return missing_parts([*common, *stage.train, *stage.texts, stage.dev, *stage.tests])


COLUMNS = ("recipe", "model", "seeds", "corpora", "here")


def row(recipe: Recipe) -> dict[str, object]:
    from anselm.experiments.schema import missing_data

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
    from anselm.experiments.results import read_results, tables

    found = [result for result in read_results(folder) if part is None or any(
        f"{name}/".startswith(f"{part}/") for name in result.names
    )]  # fmt: skip
    if not found:
        what = f" of {part}" if part else ""
        raise InputError(f"no results{what} are recorded in {folder}; `anselm reproduce RECIPE` records some")
    if plot:
        from anselm.experiments.sweeps import save_sensitivity

        save_sensitivity(found, plot)
    return print_json([asdict(result) for result in found]) if as_json else typer.echo(tables(found, part or ""))
