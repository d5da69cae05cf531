"""anselm reproduce."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from anselm.cli.options import DataDir, Json, switch
from anselm.cli.output import note, print_json, print_rows, say, whisper
from anselm.cli.recorded_results import COLUMNS, check_results, list_tables, row, show_gains, show_results
from anselm.errors import InputError, MissingDataError

app = typer.Typer()

Rows = Annotated[
    str | None,
    typer.Argument(metavar="RECIPE", help="A recipe, all of a paper/table or a paper, or a recorded RESULT.json."),
]


@app.command(epilog="Example: anselm reproduce gated-group-self-attention/table-4 --corpus wikiqa --workers 2")
def reproduce(
    recipe: Rows = None,
    listed: Annotated[bool, switch("--list", help="List the tables, or the recipes of one that is named.")] = False,
    show: Annotated[bool, switch("--show", help="Show the results that are recorded.")] = False,
    check: Annotated[bool, switch("--check", help="Say which recorded results today's recipes agree with.")] = False,
    gains: Annotated[
        bool, switch("--gains", help="Show where recorded rows gain: by the length of texts, and by noise.")
    ] = False,
    corpus: Annotated[list[str] | None, typer.Option(help="Only these corpora of the recipe.")] = None,
    seed: Annotated[list[int] | None, typer.Option(help="Only these seeds.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="How many trainings run side by side.")] = 1,
    journal: Annotated[Path | None, typer.Option(help="A file that keeps what is done, to go on from later.")] = None,
    results: Annotated[
        Path | None, typer.Option(help="Where results are recorded: `results`; without it, the package's are shown.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw a setting that was varied (figure-8, table-8) as PNG or SVG.")
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Run a row of a paper's table, or all of them, every seed, and record it beside the paper's numbers.

    A recorded RESULT.json is run again from itself: the settings, seeds and data that it was made of.
    """
    from anselm.experiments.recipe_files import all_recipes, find_recipes
    from anselm.experiments.results import recorded_folder, recorded_path

    asked = {"--list": listed, "--show": show, "--check": check, "--gains": gains}
    if len(given := [name for name, is_given in asked.items() if is_given]) > 1:
        raise InputError(f"{' and '.join(given)} are asked for at once; name one of them")
    if listed:
        rows = find_recipes(recipe) if recipe else list(all_recipes().values())
        if recipe is None and not as_json:
            return list_tables(rows)
        return print_rows([row(one, data_dir) for one in rows], as_json, COLUMNS)
    recorded = recorded_folder(results)
    if gains:
        return show_gains(recorded, recipe, data_dir, as_json)
    if show:
        return show_results(recorded, recipe, plot, as_json)
    if check:
        return check_results(recorded, recipe, as_json)
    if recipe and Path(recipe).suffix == ".json":
        return run_again(recorded_path(Path(recipe)), seed or [], workers, journal, data_dir, as_json)
    if recipe is None:
        raise InputError("name a recipe, or see them with --list")
    from anselm.experiments.availability import choose_corpora
    from anselm.experiments.sweeps import drawn_paper, save_sensitivity
    from anselm.train.requirements import require_torch

    wanted = find_recipes(recipe)
    if plot:
        drawn_paper(wanted, plot)  # hours before there is something to draw
    ready = [one for one in choose_corpora(wanted, corpus or [], data_dir, note) if one.corpora]
    require_torch()
    from anselm.experiments.result_tables import tables
    from anselm.experiments.results import record_result
    from anselm.experiments.run import reproduce as run

    if not ready:
        raise MissingDataError(f"no corpus of {recipe} is here; `anselm data list` says where to get them")
    found, paths = [], []
    for result in run(ready, (), seed or [], workers, journal, data_dir, say=whisper):
        found.append(result)
        paths.append(record_result(result, results or Path("results"), note))
    if plot:
        save_sensitivity(found, plot)
    if as_json:
        return print_json([asdict(result) for result in found])
    typer.echo(tables(found, recipe if recipe in {name for one in ready for name in one.tables} else ""))
    return say(f"recorded in {', '.join(map(str, paths))}")


def run_again(
    path: Path, seeds: list[int], workers: int, journal: Path | None, data_dir: Path | None, as_json: bool
) -> None:
    from anselm.train.requirements import require_torch

    require_torch()
    from anselm.experiments.jobs import Context
    from anselm.experiments.reruns import rerun

    found = list(rerun(path, seeds, workers, journal, Context(data_dir, whisper)))
    rows = [
        {
            "seed": one.seed,
            **{
                name: f"{value:.4f}, now {one.now[name]:.4f}" for name, value in one.recorded.items() if name in one.now
            },
            "start": "same" if one.same_start else "other",
            "weights": "same" if one.same_end else "other",
        }
        for one in found
    ]
    return print_json([asdict(one) for one in found]) if as_json else print_rows(rows, False, tuple(rows[0]))
