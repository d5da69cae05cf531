"""A recorded result run again, from nothing but its record and the data. Needs torch.

On the same kind of machine with the same versions the weights are the same to the last bit; on another one figures
differ as seeds do, and both are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anselm.errors import FormatError, InputError
from anselm.experiments.job_pool import run_jobs
from anselm.experiments.jobs import Context, Job, data_sha256
from anselm.experiments.journal import Run
from anselm.experiments.provenance import versions
from anselm.experiments.recipe_files import named
from anselm.experiments.results import Result, read_result
from anselm.experiments.schema import Recipe, make_recipe
from anselm.train.devices import use_matmul_precision


@dataclass(frozen=True)
class Again:
    """One seed: what its record has, and what it gave now."""

    seed: int
    recorded: Mapping[str, float]
    now: Mapping[str, float]
    same_start: bool
    same_end: bool  # all weights, to the last bit


def rerun(
    path: Path, seeds: Sequence[int] = (), workers: int = 1, journal: Path | None = None, context: Context | None = None
) -> Iterator[Again]:
    """All seeds of a record, or some. Nothing is recorded."""
    result, context = read_result(path), context or Context()
    recipe = recorded_recipe(result, path)
    if unknown := next((seed for seed in seeds if seed not in result.seeds), None):
        raise InputError(f"{path} has the seeds {result.seeds}, not {unknown}")
    check_data(result, recipe, context)
    for line in other_versions(result):
        context.say(f"note: {line}")
    (corpus,) = recipe.corpora
    use_matmul_precision(result.made["seeds"][0]["matmul"])
    jobs = {seed: Job(recipe, (corpus,), seed, result.chosen) for seed in seeds or result.seeds}
    done = run_jobs(list(jobs.values()), context, workers, journal)
    for seed, job in jobs.items():
        yield compare_seed(result, done[job.key][0])


def recorded_recipe(result: Result, path: Path) -> Recipe:
    """One corpus and one test set, as they were."""
    if "seeds" not in result.made:
        raise InputError(
            f"{path} does not say of what it was made, as earlier records do not; "
            f"`anselm reproduce {result.names[0]}` runs the recipe of today"
        )
    with named(f"{path}, made.recipe"):
        recipe = make_recipe(result.made["recipe"])
    if len(recipe.corpora) != 1 or any(len(stage.tests) != 1 for stage in recipe.corpora.values()):
        raise FormatError(f"{path}, made.recipe", "it must have one corpus, with one test set")
    return recipe


def check_data(result: Result, recipe: Recipe, context: Context) -> None:
    """That it is the data of the record is known before anything is trained."""
    (stage,) = recipe.corpora.values()
    found = {**data_sha256(recipe, stage, context), "test": context.load(stage.tests[0]).sha256}
    recorded = {**result.made["data"], "test": result.data_sha256}
    if other := next((name for name in recorded if found.get(name) != recorded[name]), None):
        raise InputError(f"the {other} lists here are not those of {result.path}: their checksums differ")


def other_versions(result: Result) -> Iterator[str]:
    here, there = versions(), result.made["seeds"][0]["versions"]
    for name in sorted({*here, *there}):
        if here.get(name) != there.get(name):
            yield f"{name} is {here.get(name, 'missing')} here, and was {there.get(name, 'missing')}"


def compare_seed(result: Result, run: Run) -> Again:
    place = result.seeds.index(run.seed)
    made: Mapping[str, Any] = next(made for made in result.made["seeds"] if made["seed"] == run.seed)
    recorded = {name: metric["values"][place] for name, metric in result.metrics.items()}
    now = {name: round(value, 6) for name, value in run.tests[0].metrics.items() if name in recorded}
    same = [run.made[name] == made[name] for name in ("start", "end")]
    return Again(run.seed, recorded, now, *same)
