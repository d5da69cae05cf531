"""Recipes as files: the tables of papers that come with the package, and a file of one's own.

papers/<paper>/<table>.toml holds the rows of a table as `[row.<name>]`. A row has what its table says, and the table
what papers/<paper>/paper.toml says: what is said again replaces it, for each corpus entry by entry. Besides what a
recipe has (schema.py) there are

corpora = ["wikiqa", "squad"]               which corpora a row has; all by default
published.wikiqa = [{ map = 0.843 }]        what the paper reports for that row, for each `test` of the corpus in turn

A file of one's own is one recipe, with `paper`, `table` and `row` in it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anselm.errors import FormatError, InputError, UnknownNameError
from anselm.experiments.schema import Recipe, make_recipe

RECIPES = Path(__file__).parent / "papers"
PAPER, PUBLISHED = "paper.toml", "published.toml"  # besides the tables; the latter is about systems of others


def all_recipes() -> dict[str, Recipe]:
    """Every recipe that comes with the package, by name: paper/table/row."""
    return {recipe.name: recipe for path in _tables() for recipe in read_table(path)}


def find_recipes(name: str) -> list[Recipe]:
    """One by its name or from a file; all of a table by `paper/table`, all of a paper by `paper`."""
    recipes = list(all_recipes().values())
    if found := [recipe for recipe in recipes if name in (*recipe.tables, recipe.paper)]:
        return found
    if name.count("/") < 2 and Path(name).suffix != ".toml":  # there are far fewer tables than recipes to choose from
        tables = {table for recipe in recipes for table in (*recipe.tables, recipe.paper)}
        raise UnknownNameError("paper or table", name, tables)
    return [find_recipe(name)]


def find_recipe(name: str) -> Recipe:
    """By name, or from a file of one's own."""
    known = all_recipes()
    if name in known:
        return known[name]
    path = Path(name)
    if path.suffix != ".toml":
        raise UnknownNameError("recipe", name, known)
    return read_recipe(path)


def read_recipe(path: Path) -> Recipe:
    """A file of one's own."""
    with named(path):
        return make_recipe(_read(path))


def read_table(path: Path) -> list[Recipe]:
    """The rows of a table, in the order of the file."""
    with named(path):
        return [make_recipe(record) for record in _rows(path)]


def _tables() -> list[Path]:
    return [path for path in sorted(RECIPES.glob("*/*.toml")) if path.name not in (PAPER, PUBLISHED)]


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise FormatError(path, f"not a readable recipe ({error})") from None


@contextmanager
def named(place: object) -> Iterator[None]:
    """What is wrong with a recipe, with the file, or the part of one, that it stands in."""
    try:
        yield
    except KeyError as error:
        raise FormatError(place, f"{error.args[0]!r} is missing") from None
    except InputError as error:
        raise error if isinstance(error, FormatError) else FormatError(place, str(error)) from None
    except (TypeError, AttributeError) as error:
        raise FormatError(place, f"does not follow the form of a recipe ({error})") from None


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    paper = path.with_name(PAPER)
    table = _read(path)
    rows = table.pop("row")
    shared = _inherit(_read(paper) if paper.is_file() else {}, table)
    for name, row in rows.items():
        yield {"paper": path.parent.name, "table": path.stem, "row": name, **_whole(_inherit(shared, row))}


def _inherit(parent: Mapping[str, Any], child: Mapping[str, Any]) -> dict[str, Any]:
    """What is said again replaces what was said before; of the corpora, entry by entry."""
    before, after = parent.get("corpus", {}), child.get("corpus", {})
    corpora = {name: {**before.get(name, {}), **after.get(name, {})} for name in {**before, **after}}
    return {**parent, **child, "corpus": corpora}


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    """As a file with this row alone would have it."""
    corpora, published = row.pop("corpora", row["corpus"]), row.pop("published", {})
    if unknown := next((name for name in published if name not in corpora), None):
        raise UnknownNameError("corpus that has figures:", unknown, corpora)
    return {**row, "corpus": {name: _with_figures(row["corpus"][name], published.get(name, ())) for name in corpora}}


def _with_figures(corpus: Mapping[str, Any], published: Any) -> dict[str, Any]:
    tests = corpus.get("test", [])
    if len(published) > len(tests):
        raise TypeError(f"there are figures for {len(published)} test sets, but {len(tests)} are tested on")
    figures = [*published, *({} for _ in tests[len(published) :])]
    return {**corpus, "test": [{**test, "published": one} for test, one in zip(tests, figures, strict=True)]}
