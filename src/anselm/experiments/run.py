"""Running recipes: settings chosen on dev, every seed, every corpus, recorded as results. Needs torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from anselm.checkpoints.catalogue import import_model
from anselm.data.datasets import Dataset
from anselm.errors import InputError
from anselm.experiments.job_pool import run_jobs
from anselm.experiments.jobs import Context, Job, Say, say_nothing, settings
from anselm.experiments.journal import Run, Tested
from anselm.experiments.provenance import commit, describe_row
from anselm.experiments.results import Result, summary
from anselm.experiments.schema import Part, Recipe, Stage, find_stage, of_config
from anselm.train.hyperparameters import Training


@dataclass
class Row:
    """One corpus of one recipe: what was chosen on dev, and a run for each seed."""

    recipe: Recipe
    corpus: str
    stage: Stage
    changes: dict[str, Any] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)


def reproduce(
    recipes: Sequence[Recipe],
    corpora: Sequence[str] = (),
    seeds: Sequence[int] = (),
    workers: int = 1,
    journal: Path | None = None,
    data_dir: Path | None = None,
    say: Say = say_nothing,
) -> Iterator[Result]:
    """Train and test every seed of every recipe; a result for each test set of each corpus.

    Settings that a recipe wants searched are chosen first, with the first seed, all at once; then the other seeds, or,
    where trials are trained otherwise than what is recorded, all of them. Transfers that seeds share are kept beside
    the journal; without one, for as long as this runs.
    """
    rows = [row for recipe in recipes for row in plan_rows(recipe, corpora)]
    for row in rows:
        check_models(row.recipe, row.stage)
    tries = {id(row): searches(row, seeds) for row in rows if len(row.stage.settings) > 1}
    with keep_transfers(journal) as kept:
        context = Context(data_dir, say, kept)
        done = run_jobs([job for jobs in tries.values() for job in jobs], context, workers, journal)
        for row in rows:
            if jobs := tries.get(id(row)):
                row.changes = choose(row, [done[job.key][0] for job in jobs])
                say(f"{row.recipe.name}, {row.corpus}: {row.changes} is best on dev")
        jobs = [job for recipe in recipes for job in seed_jobs(recipe, rows, seeds)]
        done |= run_jobs([job for job in jobs if job.key not in done], context, workers, journal)
    for row in rows:
        row.runs = [
            run
            for job in jobs
            if job.recipe is row.recipe and row.corpus in job.corpora
            for run in done[job.key]
            if run.corpus == row.corpus
        ]
        for index, part in enumerate(row.stage.tests):
            yield record(row, part, context.load(part), index)


@contextmanager
def keep_transfers(journal: Path | None) -> Iterator[Path]:
    if journal:
        yield journal.with_suffix(".transfers")
        return
    with TemporaryDirectory() as folder:
        yield Path(folder)


def plan_rows(recipe: Recipe, corpora: Sequence[str]) -> list[Row]:
    """With the first of the settings to be searched: where there is but one, it is the choice."""
    stages = {name: find_stage(recipe, name) for name in corpora or recipe.corpora}
    return [Row(recipe, name, stage, stage.settings[0]) for name, stage in stages.items()]


def check_models(recipe: Recipe, stage: Stage) -> None:
    """Every setting of the model that will be tried: a slip should not wait until the others have been trained."""
    module: Any = import_model(recipe.model)
    if not hasattr(module, "configure"):
        raise InputError(f"{recipe.name} is of {recipe.model!r}, which is not trained by a recipe")
    for changes in stage.settings:
        module.configure(recipe.model, settings(recipe, stage, of_config(changes)))


def searches(row: Row, seeds: Sequence[int]) -> list[Job]:
    """Those that are trained otherwise than what is recorded are no row's first seed, so nobody wants their tests."""
    seed, tested = (seeds or row.recipe.seeds)[0], not row.stage.trial
    every = ({**changes, **row.stage.trial} for changes in row.stage.settings)
    return [Job(row.recipe, (row.corpus,), seed, changes, tested) for changes in every]


def choose(row: Row, runs: Sequence[Run]) -> dict[str, Any]:
    """The setting that was best on dev, of one run for each."""
    return max(zip(row.stage.settings, runs, strict=True), key=lambda tried: tried[1].dev)[0]


def seed_jobs(recipe: Recipe, rows: Sequence[Row], seeds: Sequence[int]) -> list[Job]:
    """Corpora that come after the same transfer, with nothing changed, share a job."""
    own = [row for row in rows if row.recipe is recipe]
    shared = tuple(row.corpus for row in own if recipe.transfer and not row.changes)
    groups: list[tuple[tuple[str, ...], dict[str, Any]]] = [(shared, {})] if shared else []
    groups += [((row.corpus,), row.changes) for row in own if row.corpus not in shared]
    return [Job(recipe, names, seed, changes) for names, changes in groups for seed in seeds or recipe.seeds]


def record(row: Row, part: Part, dataset: Dataset, index: int) -> Result:
    recipe, runs = row.recipe, row.runs
    tests = [run.tests[index] for run in runs]
    return Result(
        paper=recipe.paper,
        table=part.table or recipe.table,
        row=recipe.row,
        corpus=Path(part.data).name,  # of a file, its name without the folders
        protocol=dataset.protocol,
        split=dataset.split,
        model=recipe.model,
        seeds=[run.seed for run in runs],
        metrics={name: summary([tested.metrics[name] for tested in tests]) for name in shared(tests)},
        published=dict(part.published),
        parameters=runs[0].parameters,
        device=runs[0].device,
        seconds=round(sum(run.seconds for run in runs), 1),
        data_sha256=dataset.sha256,
        commit=runs[0].made.get("commit") or commit(),
        note=recipe.note,
        dev={
            "data": row.stage.dev.data,
            "map": summary([run.dev for run in runs]),
            **dev_mrr(runs),
            **best_steps(runs),
        },
        chosen=row.changes,
        also=list(recipe.also),
        against=recipe.against,
        metric=recipe.metric,
        values=[round(float(value), 3) for value in np.mean([tested.values for tested in tests], axis=0)],
        encoder=dict(runs[0].encoder),
        optimizer=row.stage.training.get("optimizer", Training.optimizer),
        made=describe_row(recipe, row.corpus, part, row.changes, runs),
    )


def dev_mrr(runs: Sequence[Run]) -> dict[str, Any]:
    """Likewise."""
    found = [run.dev_mrr for run in runs if run.dev_mrr is not None]
    return {"mrr": summary(found)} if len(found) == len(runs) else {}


def best_steps(runs: Sequence[Run]) -> dict[str, list[int]]:
    """Nothing where a journal does not say: a zero would be a claim."""
    steps = [run.best_step for run in runs if run.best_step is not None]
    return {"best_steps": steps} if len(steps) == len(runs) else {}


def shared(tests: Sequence[Tested]) -> list[str]:
    """The metrics that all seeds have: journals of earlier versions have fewer."""
    return [name for name in tests[0].metrics if all(name in tested.metrics for tested in tests)]
