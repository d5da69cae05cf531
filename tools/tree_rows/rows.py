"""Seeds of a row with trees that are kept: python -m tools.tree_rows.rows FOLDER JOURNAL RECIPE CORPUS SEED..."""

# ruff: noqa: T201

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import cast

from anselm.annotations import syntax
from anselm.annotations.span_parser import HEADS, MODEL
from anselm.annotations.trees import Tree
from anselm.checkpoints.checksums import hash_file
from anselm.errors import InputError
from anselm.experiments.recipe_files import find_recipe
from anselm.experiments.run import reproduce


class Kept:
    """Our parser where its engine is not: only what is in the cache."""

    name, costly = MODEL, True

    def __init__(self, folder: Path) -> None:
        self.version = hash_file(folder / HEADS)

    def parse(self, texts: Sequence[str]) -> list[tuple[Tree, ...]]:
        raise InputError(f"{len(texts)} texts have no tree, first {texts[0]!r:.100}")


def main() -> None:
    folder, journal, recipe, corpus, *seeds = sys.argv[1:]
    cast(dict[str, object], syntax.PARSERS)["own"] = lambda _: Kept(Path(folder))
    row = find_recipe(f"tree-aggregation-transformer/{recipe}")
    for result in reproduce([row], [corpus], [*map(int, seeds)], 1, Path(journal), None, partial(print, flush=True)):
        print(result.path, {name: found["mean"] for name, found in result.metrics.items()}, flush=True)


if __name__ == "__main__":
    main()
