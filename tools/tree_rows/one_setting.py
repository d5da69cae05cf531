"""One setting of a row's search, so that all can be tried at once, and one seed of a row without one:

    python -m tools.tree_rows.one_setting FOLDER TREES JOURNAL RECIPE CORPUS SEED NUMBER

As `rows`, which goes on from a journal that has all settings of its first seed.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from anselm.experiments import run as runs
from anselm.experiments.job_pool import run_jobs
from anselm.experiments.jobs import Context
from anselm.experiments.recipe_files import find_recipe
from tools.side_by_side import keep_to_memory
from tools.tree_rows.rows import keep_models, paper_row, read_kept, use_kept


def main() -> None:
    keep_to_memory()
    folder, trees, journal, recipe, corpus, seed, number = sys.argv[1:]
    (row,) = runs.plan_rows(find_recipe(paper_row(recipe)), [corpus])
    use_kept(Path(folder))
    read_kept(Path(trees), row.recipe, corpus)
    if models := os.environ.get("KEEP_MODELS"):
        keep_models(Path(models) / number)
    transfers = os.environ.get("KEEP_TRANSFERS")
    context = Context(None, partial(print, flush=True), Path(transfers) if transfers else None)
    run_jobs([runs.searches(row, [int(seed)])[int(number)]], context, 1, Path(journal))


if __name__ == "__main__":
    main()
