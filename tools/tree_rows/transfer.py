"""A transfer by itself, for rows that go on from it: python -m tools.tree_rows.transfer OUT RECIPE CORPUS SEED"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from anselm.experiments import jobs
from anselm.experiments.recipe_files import find_recipe
from tools.side_by_side import keep_to_memory
from tools.tree_rows.rows import paper_row


def main() -> None:
    keep_to_memory()
    out, name, corpus, seed = sys.argv[1:]
    recipe = find_recipe(paper_row(name))
    assert recipe.transfer is not None, f"{name} has none"
    jobs.transfer(jobs.Job(recipe, (corpus,), int(seed)), recipe.transfer, jobs.Context(None, say, Path(out)))


say = partial(print, flush=True)

if __name__ == "__main__":
    main()
