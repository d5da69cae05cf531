"""Seeds of a row, where a GPU is and little else:

    python -m tools.tree_rows.rows FOLDER TREES JOURNAL RECIPE CORPUS SEED...

Trees are those that `keep_trees` has left in the folder TREES. With $KEEP_MODELS, a folder, the model of each seed is
left there, for the probes; with $KEEP_TRANSFERS transfers are, for other rows.
"""

# ruff: noqa: T201

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any, cast

from anselm.annotations import syntax
from anselm.annotations.span_parser import HEADS, MODEL
from anselm.annotations.trees import Tree
from anselm.checkpoints.checksums import hash_file, write_checkpoint
from anselm.errors import InputError
from anselm.experiments import jobs
from anselm.experiments import run as runs
from anselm.experiments.journal import Run
from anselm.experiments.recipe_files import find_recipe
from anselm.experiments.schema import Recipe
from anselm.models.frames.constituents import READ
from anselm.models.frames.pretrained import MINILM
from tools.side_by_side import keep_to_memory
from tools.tree_rows.keep_trees import shards


def paper_row(recipe: str) -> str:
    """A row of any paper; without one, of the tree paper."""
    return recipe if recipe.count("/") == 2 else f"tree-aggregation-transformer/{recipe}"


class Kept:
    """Our parser where its engine is not: only what is in the cache."""

    name, costly = MODEL, True

    def __init__(self, folder: Path) -> None:
        self.version = hash_file(folder / HEADS)

    def parse(self, texts: Sequence[str]) -> list[tuple[Tree, ...]]:
        raise InputError(f"{len(texts)} texts have no tree, first {texts[0]!r:.100}")


def use_kept(folder: Path) -> None:
    cast(dict[str, object], syntax.PARSERS)["own"] = lambda _: Kept(folder)


def read_kept(trees: Path, row: Recipe, corpus: str) -> None:
    if row.config.get("parser") == "own":
        for path in shards(trees, corpus, row.config.get("base", MINILM)):
            READ.keep(pickle.loads(path.read_bytes()))


def keep_models(folder: Path, run: Any = jobs.run_corpus) -> None:
    """What a job has trained is also written, as `anselm train` would; of several settings the best on dev."""
    best: dict[Path, float] = {}

    def run_corpus(job: jobs.Job, name: str, model: Any, began: float, context: jobs.Context) -> Run:
        found: Run = run(job, name, model, began, context)
        path = folder / f"{job.recipe.row}--{name}--{job.seed}"
        if path not in best or found.dev > best[path]:
            best[path] = found.dev
            if path.exists():
                rmtree(path)
            with write_checkpoint(path) as place:
                model.save(place)
        return found

    jobs.run_corpus = run_corpus


def main() -> None:
    keep_to_memory()
    folder, trees, journal, recipe, corpus, *seeds = sys.argv[1:]
    row = find_recipe(paper_row(recipe))
    use_kept(Path(folder))
    read_kept(Path(trees), row, corpus)
    if models := os.environ.get("KEEP_MODELS"):
        keep_models(Path(models))
    if transfers := os.environ.get("KEEP_TRANSFERS"):
        runs.keep_transfers = lambda _: nullcontext(Path(transfers))  # type: ignore[assignment,return-value]
    say = partial(print, flush=True)
    for result in runs.reproduce([row], [corpus], [*map(int, seeds)], 1, Path(journal), None, say):
        print(result.path, {name: found["mean"] for name, found in result.metrics.items()}, flush=True)


if __name__ == "__main__":
    main()
