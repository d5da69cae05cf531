"""Training a model on data: from lists to a checkpoint folder that every command takes as a model. Needs torch."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from anselm.data.datasets import Dataset
from anselm.data.question import Question
from anselm.errors import InputError, UnknownNameError
from anselm.evaluation.metrics import evaluate_lists, summarise
from anselm.models.checksums import write_checkpoint
from anselm.models.registry import all_models, build_model, general_folder, is_checkpoint, load_model
from anselm.recipes.card import write_card
from anselm.recipes.fitting import calibrate
from anselm.recipes.overlap import Overlap, find_overlap
from anselm.train.loop import Loop, Trainable, Watch, unwatched
from anselm.train.training import Progress, Training

DEV_SHARE = 0.1  # of one's own lists, where no dev set is given


@dataclass(frozen=True)
class Plan:
    """What a training run would do."""

    lists: int
    pairs: int
    dev_lists: int
    tokens: int
    cut: int  # candidates that are longer than the model reads at once, and lose their end in training
    steps: int
    parameters: int
    megabytes: int  # weights, gradients and moments, and the activations of the largest batch
    seconds: float | None  # on this machine, from a few trial steps
    overlaps: tuple[Overlap, ...]


def make_model(base: str, config: Mapping[str, Any], seed: int, questions: Sequence[Question] = ()) -> Trainable:
    """A new model, by its name or on an encoder, or one of our checkpoints to go on from.

    What is new in it is drawn from the seed. `questions` are what it will be trained on: some learn their words there.
    """
    torch.manual_seed(seed)
    if general_folder(base):
        return cast(Trainable, build_model("cross-encoder", {"base": base, **config}, questions))
    if base in all_models():
        return cast(Trainable, build_model(base, config, questions))
    if is_checkpoint(Path(base)):
        if not (Path(base) / "model.safetensors").is_file() and (Path(base) / "onnx").is_dir():
            raise InputError(f"{base} is an export, which cannot be trained; name the folder that it was made from")
        return cast(Trainable, load_model(base))
    if not Path(base).exists() and "/" not in base and get_close_matches(base, all_models(), cutoff=0.8):
        raise UnknownNameError("model", base, all_models())
    return cast(Trainable, build_model("cross-encoder", {"base": base, **config}, questions))


def is_trained(base: str) -> bool:
    """Whether a base is a ranker already, which training might spoil."""
    return general_folder(base) is not None or (base not in all_models() and is_checkpoint(Path(base)))


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


def dev_map(model: Trainable, dev: Sequence[Question]) -> Callable[[], float]:
    """The metric that decides: MAP over the dev questions that have an answer."""
    answered = [question for question in dev if any(candidate.relevant for candidate in question.candidates)]
    if not answered:
        raise InputError("no dev question has a relevant candidate, so nothing can be chosen on them")
    labels = [question.labels for question in answered]

    def metric() -> float:
        return summarise(evaluate_lists(zip(labels, model.score(answered), strict=True), ["map"]))["map"]

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
    return Loop(model, training_set, training, folder, dev_map(model, dev), watch, asdict(model.config)).run()


def train_checkpoint(
    model: Trainable,
    training_set: Dataset,
    dev: Dataset,
    training: Training,
    out: Path,
    watch: Watch = unwatched,
) -> Progress:
    """Train, calibrate on dev and write the checkpoint folder; a run that was stopped goes on from `<out>.run`."""
    if out.exists():
        raise InputError(f"{out} exists already; give the name of a new folder")
    work = out.with_name(out.name + ".run")
    progress = train_model(model, training_set, dev, training, work, watch)
    with write_checkpoint(out) as folder:
        model.save(folder)
        calibrate(model, dev).save(folder / "calibration.json")
        write_card(folder, model.name, training_set, dev, progress.best or 0.0, getattr(model.config, "base", ""))
    for file in sorted(work.rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    work.rmdir()
    return progress


def plan(model: Trainable, training_set: Dataset, dev: Dataset, training: Training) -> Plan:
    """What would happen, with a time from two trial steps, which change nothing that is kept."""
    loop = Loop(model, training_set, training, None)
    lists = loop.lists
    room = model.room(lists)
    weights = sum(parameter.numel() for parameter in loop.plain.parameters())
    trained = sum(parameter.numel() for parameter in loop.plain.parameters() if parameter.requires_grad)
    return Plan(
        lists=len(lists),
        pairs=len(lists.labels),
        dev_lists=len(dev),
        tokens=int(lists.pair_lengths.sum()),
        cut=int((lists.texts.lengths[lists.candidates] > room).sum()),
        steps=loop.progress.steps,
        parameters=weights,
        megabytes=round((4 * weights + 12 * trained + activation_bytes(model, loop)) / 2**20),
        seconds=trial_seconds(loop),
        overlaps=tuple(filter(None, [find_overlap(training_set, dev.name, dev)])),
    )


def activation_bytes(model: Trainable, loop: Loop) -> int:
    """Roughly what the largest batch keeps for the backward pass."""
    lists, batches = loop._plan(0)
    widths = model.widths(lists)
    return model.activation_bytes(*max((int(lists.sizes[batch].sum()), int(widths[batch].max())) for batch in batches))


def trial_seconds(loop: Loop) -> float | None:
    """The time of all steps, from one step on a batch of middling cost after another that warms up."""
    lists, batches = loop._plan(0)
    costs = np.array([lists.pick(batch).lengths.sum() for batch in batches])
    middle = batches[int(np.argsort(costs)[len(costs) // 2])]
    loop._step(lists.pick(middle))
    began = time.perf_counter()
    loop._step(lists.pick(middle))
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return (
        (time.perf_counter() - began)
        / float(np.median(costs))
        * float(costs.sum())
        * loop.progress.steps
        / len(batches)
    )
