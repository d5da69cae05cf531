"""Training a model on data: from lists to a checkpoint folder that every command takes as a model. Needs torch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import torch

from anselm.checkpoints.bases import find_base
from anselm.checkpoints.card import write_card
from anselm.checkpoints.checkpoint import CALIBRATION
from anselm.checkpoints.checksums import write_checkpoint
from anselm.data.corpus import has_relevant
from anselm.data.datasets import Dataset
from anselm.data.question import Question
from anselm.errors import InputError
from anselm.metrics.measures import evaluate_lists, summarise
from anselm.outputs import check_new
from anselm.train.beliefs import calibrate
from anselm.train.hyperparameters import Progress, Training
from anselm.train.loop import Loop, Watch, unwatched
from anselm.train.trainable import Trainable

DEV_SHARE = 0.1  # of one's own lists, where no dev set is given


def make_model(base: str, config: Mapping[str, Any], seed: int, questions: Sequence[Question] = ()) -> Trainable:
    """A new model, by its name or on an encoder, or one of our checkpoints to go on from.

    What is new in it is drawn from the seed. `questions` are what it will be trained on: some learn their words there.
    """
    torch.manual_seed(seed)
    return cast(Trainable, find_base(base).make(config, questions))


def split_off_dev(dataset: Dataset) -> tuple[Dataset, Dataset]:
    """A tenth of the lists, chosen by a hash of their ids: the same ones whatever the order of the file."""

    def place(question: Question) -> bytes:
        return hashlib.sha256(question.id.encode()).digest()

    ordered = sorted(dataset, key=place)
    count = max(1, round(len(ordered) * DEV_SHARE))
    if len(ordered) < 2:
        raise InputError("at least two lists are needed: one to learn from and one to check on")
    held = {question.id for question in ordered[:count]}
    parts = tuple(q for q in dataset if q.id not in held), tuple(q for q in dataset if q.id in held)
    names = (f"{dataset.name} without a tenth", f"a tenth of {dataset.name}")
    first, second = (
        Dataset(name, dataset.split, dataset.protocol, part) for name, part in zip(names, parts, strict=True)
    )
    return first, second


def dev_metric(model: Trainable, dev: Sequence[Question], name: str = "map") -> Callable[[], float]:
    """Over the dev questions that have an answer; MAP decides."""
    answered = list(filter(has_relevant, dev))
    if not answered:
        raise InputError("no dev question has a relevant candidate, so nothing can be chosen on them")
    labels = [question.labels for question in answered]

    def metric() -> float:
        return summarise(evaluate_lists(zip(labels, model.score(answered), strict=True), [name]))[name]

    return metric


def train_model(
    model: Trainable,
    training_set: Sequence[Question],
    dev: Sequence[Question],
    training: Training,
    folder: Path | None,
    watch: Watch = unwatched,
) -> Progress:
    """Train in place, keeping the weights that were best on dev, by MAP. `folder` holds the run's state, if any."""
    return Loop(model, training_set, training, folder, dev_metric(model, dev), watch, asdict(model.config)).run()


def train_checkpoint(
    model: Trainable,
    training_set: Dataset,
    dev: Dataset,
    training: Training,
    out: Path,
    watch: Watch = unwatched,
) -> Progress:
    """Train, calibrate on dev and write the checkpoint folder; a run that was stopped goes on from `<out>.run`."""
    work = check_new(out).with_name(out.name + ".run")
    progress = train_model(model, training_set, dev, training, work, watch)
    with write_checkpoint(out) as folder:
        model.save(folder)
        calibrate(model, dev).save(folder / CALIBRATION)
        write_card(folder, model.name, training_set, dev, progress.best or 0.0, getattr(model.config, "base", ""))
    for file in sorted(work.rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    work.rmdir()
    return progress
