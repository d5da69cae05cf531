"""Rows of recipes as jobs of tools.side_by_side: python -m tools.tree_rows.plan FOLDER ROW:CORPUS[:SEEDS] ... > JOBS

ROW is paper/table/row, or table/row of the tree paper; SEEDS are 1,2,3, by default the recipe's. Settings of a search
are tried side by side with the first seed, the other seeds follow. FOLDER/parser and FOLDER/trees are what `keep_trees`
has been told, FOLDER/journals gets a journal for each job, which together are read by `anselm reproduce --journal`, and
FOLDER/transfers is shared: rows that go on from a transfer wait for the job that makes it.
"""

# ruff: noqa: T201

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from anselm.experiments.jobs import Job as Training
from anselm.experiments.recipe_files import find_recipe
from anselm.experiments.schema import Recipe, find_stage
from tools.side_by_side import Job
from tools.tree_rows.rows import paper_row

LARGE, FORUM, TRANSFERS = "all-mpnet-base-v2", "semeval", "transfers"
# GB, by encoder and whether texts are long: 0.65 MB for each token of a batch of all-mpnet-base-v2, and its weights
MEMORY = {(False, False): 8.0, (False, True): 10.0, (True, False): 24.0, (True, True): 34.0}
TRANSFER = {False: 12.0, True: 33.0}  # batches of 64 lists


def plan(folder: Path, asked: Sequence[str]) -> Iterator[Job]:
    made = set[str]()
    for one in asked:
        name, corpus, *rest = one.split(":")
        recipe = find_recipe(paper_row(name))
        seeds = [int(seed) for seed in rest[0].split(",")] if rest else list(recipe.seeds)
        yield from (job for job in transfer_jobs(folder, recipe, corpus, seeds) if job.id not in made)
        made |= {transfer_of(recipe, corpus, seed) for seed in seeds}
        yield from row_jobs(folder, recipe, corpus, seeds)


def transfer_of(recipe: Recipe, corpus: str, seed: int) -> str:
    """The id of the job that makes it; or none."""
    name = Training(recipe, (corpus,), seed).transfer
    return f"transfer.{Path(name).stem}" if name else ""


def transfer_jobs(folder: Path, recipe: Recipe, corpus: str, seeds: Sequence[int]) -> Iterator[Job]:
    firsts = {transfer_of(recipe, corpus, seed): seed for seed in reversed(seeds)}
    for id, seed in reversed(firsts.items()):
        if id:
            command = f"python3 -m tools.tree_rows.transfer {folder / TRANSFERS} {recipe.name} {corpus} {seed}"
            yield Job(id, command, TRANSFER[large(recipe)], tries=2)


def row_jobs(folder: Path, recipe: Recipe, corpus: str, seeds: Sequence[int]) -> Iterator[Job]:
    stage, name = find_stage(recipe, corpus), f"{recipe.name}.{corpus}".replace("/", ".")
    journals = folder / "journals"
    spot = f"{folder / 'parser'} {folder / 'trees'}"
    count = len(stage.settings)
    tried = [f"{name}.{seeds[0]}.{number}" for number in range(count)] if count > 1 or stage.trial else []

    def job(id: str, seed: int, command: str, after: Sequence[str]) -> Job:
        memory = MEMORY[large(recipe), corpus.startswith(FORUM)]
        waits = [one for one in (*after, transfer_of(recipe, corpus, seed)) if one]
        return Job(id, command, memory, waits, environment={"KEEP_TRANSFERS": str(folder / TRANSFERS)}, tries=2)

    for number, id in enumerate(tried):
        path = journals / f"{id}.jsonl"
        command = f"python3 -m tools.tree_rows.one_setting {spot} {path} {recipe.name} {corpus} {seeds[0]} {number}"
        yield job(id, seeds[0], command, [])
    searched = " ".join(str(journals / f"{id}.jsonl") for id in tried)
    if stage.trial:  # is trained otherwise than what is recorded, so that the first seed is not done either
        groups = [list(seeds)]
    else:
        groups = [[seeds[0], seed] for seed in seeds[1:]] if tried else [[seed] for seed in seeds]
    for group in groups:
        id = f"{name}.{group[-1]}"
        path = journals / f"{id}.jsonl"
        begin = f"cat {searched} > {path} && " if tried else f"mkdir -p {journals} && "
        command = f"{begin}python3 -m tools.tree_rows.rows {spot} {path} {recipe.name} {corpus}"
        yield job(id, group[-1], " ".join([command, *map(str, group)]), tried)


def large(recipe: Recipe) -> bool:
    return LARGE in recipe.config.get("base", "")


def main() -> None:
    folder, *asked = sys.argv[1:]
    print(json.dumps([asdict(job) for job in plan(Path(folder), asked)], indent=1))


if __name__ == "__main__":
    main()
