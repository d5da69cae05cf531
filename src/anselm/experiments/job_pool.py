"""Many jobs, one after the other or side by side, with a journal of what is done. Needs torch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from anselm.experiments import jobs as one_by_one
from anselm.experiments.jobs import Context, Job, settings, transfer
from anselm.experiments.journal import Run, add_to_journal, mend_journal, read_journal
from anselm.experiments.parts import join_parts
from anselm.experiments.schema import of_config
from anselm.experiments.stage_vectors import stage_vectors
from anselm.train.devices import use_one_thread


def run_jobs(
    jobs: Sequence[Job], context: Context, workers: int = 1, journal: Path | None = None
) -> dict[str, list[Run]]:
    """Every job's runs by its key. What the journal has is not run again, and what is run is added to it."""
    done = read_journal(journal)
    left = [job for job in jobs if job.key not in done]
    if journal:
        mend_journal(journal)
    for key, runs in _run(left, workers, context):
        done[key] = runs
        if journal:
            add_to_journal(journal, key, runs)
    return done


def _run(jobs: Sequence[Job], workers: int, context: Context) -> Iterator[tuple[str, list[Run]]]:
    if workers < 2 or len(jobs) < 2:
        yield from (_keyed(job, context) for job in jobs)
        return
    prepare_vectors(jobs, context)
    prepare_transfers(jobs, context)
    with get_context("spawn").Pool(min(workers, len(jobs)), use_one_thread) as pool:
        yield from pool.imap_unordered(partial(_keyed, context=context), jobs)


def _keyed(job: Job, context: Context) -> tuple[str, list[Run]]:
    return job.key, one_by_one.run_job(job, context)


def prepare_vectors(jobs: Sequence[Job], context: Context) -> None:
    """Before workers are started, so that not each of them trains the same ones."""
    for job in jobs:
        for stage in [job.recipe.transfer or job.recipe.corpora[name] for name in job.corpora]:
            config = settings(job.recipe, stage, of_config(job.changes))
            lists = join_parts(stage.train, context.load).questions
            stage_vectors(job.recipe.model, config, lists, [context.load(part) for part in stage.texts])


def prepare_transfers(jobs: Sequence[Job], context: Context) -> None:
    """Likewise, those that several of them go on from."""
    count = Counter(job.transfer for job in jobs)
    for job in {job.transfer: job for job in jobs if job.transfer and count[job.transfer] > 1}.values():
        if job.recipe.transfer and context.transfers and not (context.transfers / job.transfer).is_file():
            transfer(job, job.recipe.transfer, context)
