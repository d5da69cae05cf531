"""From data, or a row of a recipe, to a checkpoint folder: what `anselm train` does. Needs torch.

The run of a recipe is the one that `reproduce` makes of the same corpus and seed: the same stages, with the same
settings (jobs.py). What it ends with is written, and it can be resumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anselm.checkpoints.bases import find_base
from anselm.data.datasets import Dataset
from anselm.data.overlap import find_overlap
from anselm.errors import InputError
from anselm.experiments.jobs import Context, Job, Say, new_model, say_nothing, start_model
from anselm.experiments.parts import join_parts
from anselm.experiments.schema import Recipe, Stage, find_stage, of_config
from anselm.train.dry_run import Plan, plan
from anselm.train.fit import make_model, split_off_dev, train_checkpoint
from anselm.train.hyperparameters import Progress, Training, make_training
from anselm.train.loop import Watch, unwatched
from anselm.train.trainable import Trainable

DEFAULTS = {"batch_lists": 16, "batch_tokens": 16_384}  # for a few hundred lists, and for memory without a GPU


@dataclass(frozen=True)
class TrainingRun:
    """A model, what it is to be trained on, and how."""

    model: Trainable
    lists: Dataset
    dev: Dataset
    training: Training

    def plan(self) -> Plan:
        return plan(self.model, self.lists, self.dev, self.training)

    def write(self, out: Path, say: Say = say_nothing, watch: Watch = unwatched) -> Progress:
        """Train, and write the checkpoint; what both sets share is said first."""
        if overlap := find_overlap(self.lists, self.dev.name, self.dev):
            say(f"note: {overlap}")
        return train_checkpoint(self.model, self.lists, self.dev, self.training, out, watch)


def data_run(base: str, lists: Dataset, dev: Dataset | None, seed: int, given: Mapping[str, Any]) -> TrainingRun:
    """On one's own lists; a tenth of them is held out where there are none to choose on."""
    parts = (lists, dev) if dev else split_off_dev(lists)
    model: Any = make_model(base, {}, seed, parts[0].questions)
    training = make_training({**DEFAULTS, **model.usual, **given, "keep_start": find_base(base).trained, "seed": seed})
    return TrainingRun(model, *parts, training)


def recipe_run(job: Job, context: Context) -> TrainingRun:
    """The last stage of a job of one corpus, after the transfer, which is run at once."""
    return _last_stage(job, start_model(job, job.corpora[0], context), context)


def recipe_plan(job: Job, context: Context) -> Plan:
    """Of the last stage, without the transfer before it."""
    own = job.recipe.corpora[job.corpora[0]]
    first = own if job.recipe.transfer_model else job.recipe.transfer or own
    return _last_stage(job, new_model(job.recipe, job.seed, first, context, of_config(job.changes)), context).plan()


def _last_stage(job: Job, model: Any, context: Context) -> TrainingRun:
    (name,) = job.corpora
    stage = job.recipe.corpora[name]
    return TrainingRun(model, join_parts(stage.train, context.load), context.load(stage.dev), job.training(name))


def recipe_job(recipe: Recipe, corpus: str | None, seed: int, given: Mapping[str, Any], say: Say) -> Job:
    """One corpus and seed. Of settings that it leaves to a search, the first is taken, and that is said."""
    stage = find_stage(recipe, corpus)
    if not stage.train:
        raise InputError(f"{recipe.name} has nothing to train on for {stage.dev.data}: it tests the transfer as it is")
    first = first_settings(stage, given)
    for key, value in first.items():
        say(f"note: `anselm reproduce` searches {key} in {list(stage.search[key])}; {value} is taken here")
    return Job(recipe, (corpus or next(iter(recipe.corpora)),), seed, {**first, **given})


def first_settings(stage: Stage, given: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in stage.settings[0].items() if key not in {**stage.training, **given}}
