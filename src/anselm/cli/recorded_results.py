"""What `anselm reproduce` shows without running anything: recipes, recorded results, gains, and what agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from anselm.cli.output import note, print_json, print_rows
from anselm.errors import InputError

if TYPE_CHECKING:
    from anselm.experiments.schema import Recipe

COLUMNS = ("recipe", "model", "seeds", "corpora", "here")


def list_tables(recipes: Sequence[Recipe]) -> None:
    """What there is, at a glance: the rows are many."""
    tables: dict[str, list[Recipe]] = {}
    for recipe in recipes:
        tables.setdefault(f"{recipe.paper}/{recipe.table}", []).append(recipe)
    print_rows([{"table": name, "rows": len(own)} for name, own in tables.items()], as_json=False)
    note("anselm reproduce PAPER/TABLE --list names the rows of a table")


def row(recipe: Recipe, data_dir: Path | None) -> dict[str, object]:
    from anselm.experiments.availability import missing_data

    absent = missing_data(recipe, data_dir)
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


def show_gains(folder: Path, part: str | None, data_dir: Path | None, as_json: bool) -> None:
    """Of rows that are compared with another, of which both have values of each question."""
    from anselm.data.datasets import load_dataset
    from anselm.experiments.comparisons import partner
    from anselm.experiments.gains import gains_of
    from anselm.experiments.results import find_results, read_results

    everything, rows = read_results(folder), list[dict[str, object]]()
    for result in find_results(folder, part or ""):
        table = [other for other in everything if other.path.parent == result.path.parent]
        if partner(result, table):
            dataset = load_dataset(result.corpus, result.split, result.protocol, data_dir)
            rows += [asdict(gain) for gain in gains_of(result, table, dataset.questions)]
    if not rows:
        raise InputError(f"no recorded row of {part or 'any paper'} has values of each question beside another's")
    return print_rows([{**row, **_rounded(row)} for row in rows], as_json)


def _rounded(row: dict[str, Any]) -> dict[str, object]:
    low, high = row["interval"]
    numbers = {name: round(row[name], 3) for name in ("least", "most", "gain", "p")}
    return {**numbers, "interval": f"{low:+.3f} to {high:+.3f}"}


def show_results(folder: Path, part: str | None, plot: Path | None, as_json: bool) -> None:
    """All of them, or those of a paper, a paper/table or a paper/table/row."""
    from anselm.experiments.result_tables import tables
    from anselm.experiments.results import find_results

    found = find_results(folder, part or "")
    if plot:
        from anselm.experiments.sweeps import save_sensitivity

        save_sensitivity(found, plot)
    return print_json([asdict(result) for result in found]) if as_json else typer.echo(tables(found, part or ""))


def check_results(folder: Path, part: str | None, as_json: bool) -> None:
    """Exit 1 where some differ."""
    from anselm.experiments.agreement import DIFFERS, NO_RECIPE
    from anselm.experiments.agreement import check_results as check
    from anselm.experiments.agreement import summarise as summarise_check
    from anselm.experiments.recipe_files import all_recipes
    from anselm.experiments.results import find_results

    found = check(find_results(folder, part or ""), all_recipes())
    if as_json:
        print_json([{**asdict(one), "path": str(one.path)} for one in found])
    else:
        for one in found:
            if one.state in (DIFFERS, NO_RECIPE):
                typer.echo(f"{one.path}: {one.why}")
        typer.echo(summarise_check(found))
    counts = Counter(one.state for one in found)
    if counts[DIFFERS]:
        raise typer.Exit(1)
