"""One seed of a recipe, from its data to its figures on the test sets. Needs torch."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anselm.checkpoints.bases import find_reader
from anselm.data.datasets import Dataset
from anselm.data.overlap import find_overlap
from anselm.evaluation.report import measure, official
from anselm.experiments.fingerprints import fingerprint, transfer_fingerprint
from anselm.experiments.journal import Run, Tested
from anselm.experiments.parts import join_parts, load_part, parts_sha256
from anselm.experiments.provenance import describe_run, weights_sha256
from anselm.experiments.schema import Part, Recipe, Stage, of_config, of_training
from anselm.experiments.stage_vectors import stage_vectors
from anselm.metrics.measures import summarise
from anselm.models.frames.pretrained import describe_encoder
from anselm.models.frames.weights import load_weights, save_weights
from anselm.train.devices import copy_weights, device_name, matmul_precision, on_device, usual_precision
from anselm.train.fit import dev_metric, make_model, train_model
from anselm.train.hyperparameters import Progress, Training, make_training

METRICS = ("map", "mrr", "p@1")
OFFICIAL = {"average_recall": "avgrec", **{name: name for name in ("precision", "recall", "f1", "accuracy")}}
Say = Callable[[str], None]


def say_nothing(line: str) -> None:
    """By name, since workers are given it."""


@dataclass(frozen=True)
class Context:
    """Where jobs run."""

    data_dir: Path | None = None  # the folder of the corpora and of named word vectors; ANSELM_DATA where none is given
    say: Say = say_nothing
    transfers: Path | None = None  # the folder of those that jobs share

    def load(self, part: Part) -> Dataset:
        return load_part(part, self.data_dir)


@dataclass(frozen=True)
class Job:
    """One seed on some corpora of a recipe, which share the transfer, with settings changed."""

    recipe: Recipe
    corpora: tuple[str, ...]
    seed: int
    changes: Mapping[str, Any] = field(default_factory=dict)
    tested: bool = True  # not where it only tells which settings are best on dev

    @property
    def key(self) -> str:
        """What it is, and how it is run: a journal says nothing about a recipe that was changed since."""
        return json.dumps([self.recipe.name, self.corpora, self.seed, dict(self.changes), fingerprint(self)])

    @property
    def transfer(self) -> str:
        """The name of the file of a transfer that it shares with other jobs, also of other recipes; or none."""
        return f"{transfer_fingerprint(self)}.safetensors" if self.recipe.transfer_seeds else ""

    def training(self, corpus: str) -> Training:
        return stage_training(self.recipe.corpora[corpus], self.seed, self.changes)


def run_job(job: Job, context: Context) -> list[Run]:
    """Train on each corpus, after the transfer where there is one, keep what is best on dev, and test it."""
    runs: list[Run] = []
    model: Any = transfer(job, job.recipe.transfer, context) if job.recipe.transfer else None
    start = copy_weights(model) if job.recipe.transfer else {}
    for name in job.corpora:
        began = time.perf_counter()
        if job.recipe.transfer:
            model.load_state_dict(start)
        runs.append(run_corpus(job, name, row_model(job, name, model, context), began, context))
    return runs


def run_corpus(job: Job, name: str, model: Any, began: float, context: Context) -> Run:
    recipe, stage = job.recipe, job.recipe.corpora[name]
    start = weights_sha256(model)
    if stage.train:
        progress = run_stage(model, stage, job.training(name), context)
    else:
        progress = Progress(steps=0, best=dev_metric(model, context.load(stage.dev).questions)())
    dev = progress.best or 0.0
    decides = job.training(name).loss == "pointwise"
    parts = stage.tests if job.tested else ()
    tests = [test(model, context.load(part), recipe.metric, decides) for part in parts]
    parameters = sum(parameter.numel() for parameter in model.parameters())
    seconds = round(time.perf_counter() - began, 1)
    data, end = data_sha256(recipe, stage, context), weights_sha256(model)
    made = describe_run(model.config, job.training(name), data, matmul_precision(), start, end)
    dev_mrr = dev_metric(model, context.load(stage.dev).questions, "mrr")()
    about = (parameters, seconds, device_name(), encoder_of(model), progress.best_step, dev_mrr, made)
    changed = "".join(f", {key} {value}" for key, value in job.changes.items())
    context.say(f"{recipe.name}, {name}, seed {job.seed}{changed}: dev MAP {dev:.4f}, {seconds:.0f} s")
    return Run(name, job.seed, dict(job.changes), dev, tests, *about)


def start_model(job: Job, corpus: str, context: Context) -> Any:
    """What the training on a corpus begins with."""
    transferred = transfer(job, job.recipe.transfer, context) if job.recipe.transfer else None
    return row_model(job, corpus, transferred, context)


def row_model(job: Job, corpus: str, transferred: Any, context: Context) -> Any:
    """A new model, the one that the transfer left, or a new one on the encoder of that."""
    recipe = job.recipe
    if transferred is not None and not recipe.transfer_model:
        return transferred
    model = new_model(recipe, job.seed, recipe.corpora[corpus], context, of_config(job.changes))
    if transferred is not None:
        model.encoder.load_state_dict(transferred.encoder.state_dict())
    return model


def transfer(job: Job, stage: Stage, context: Context) -> Any:
    """The model after the first stage: as an earlier job left it, or trained now, and left for later ones."""
    seed = job.recipe.transfer_seed(job.seed)
    model = new_model(job.recipe.first, seed, stage, context)
    path = context.transfers / job.transfer if context.transfers and job.transfer else None
    if path and path.is_file():
        load_weights(model, path)
        return model
    best = run_stage(model, stage, stage_training(stage, seed), context).best or 0.0
    context.say(f"{job.recipe.name}, seed {seed}: transfer, dev MAP {best:.4f}")
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_weights(model, unfinished := path.with_suffix(".partial"))
        unfinished.replace(path)
    return model


def new_model(
    recipe: Recipe, seed: int, stage: Stage, context: Context, changes: Mapping[str, Any] | None = None
) -> Any:
    """For a stage; `changes` are settings of the model. Vectors from more texts than the lists' are made, or found."""
    config, lists = settings(recipe, stage, changes or {}), join_parts(stage.train, context.load).questions
    texts = [context.load(part) for part in stage.texts]
    path = stage_vectors(recipe.model, config, lists, texts, context.data_dir)
    if path is None:
        return on_device(make_model(recipe.model, config, seed, lists))
    model: Any = make_model(recipe.model, {**config, "vectors": str(path.file)}, seed, lists)
    model.config = replace(model.config, vectors=path.name)  # where they were kept is nobody else's business
    return on_device(model)


def settings(recipe: Recipe, stage: Stage, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Of the model: the recipe's, then the corpus's, then what a search tries."""
    return {**recipe.config, **stage.config, **changes}


def encoder_of(model: Any) -> dict[str, str]:
    """The pretrained encoder that a model was built on, where it was."""
    base = getattr(model.config, "base", "")
    return describe_encoder(base) if base and find_reader(base) is None else {}


def stage_training(stage: Stage, seed: int, changes: Mapping[str, Any] | None = None) -> Training:
    """How a stage is trained, whoever asks for it."""
    chosen = of_training(changes or {})
    return make_training({"precision": usual_precision(), **stage.training, **chosen, "seed": seed})


def stage_data(stage: Stage, context: Context) -> tuple[Dataset, Dataset]:
    """What it learns from and chooses on; what training and measured sets share is said."""
    lists = join_parts(stage.train, context.load)
    for part in (stage.dev, *stage.tests):
        if overlap := find_overlap(lists.questions, f"{part.data} {part.split or ''}".strip(), context.load(part)):
            context.say(f"note: {overlap}")
    return lists, context.load(stage.dev)


def data_sha256(recipe: Recipe, stage: Stage, context: Context) -> dict[str, str]:
    """Of all that moves weights, by what it was for."""
    first = recipe.transfer
    parts = {
        "train": stage.train,
        "dev": (stage.dev,),
        "texts": stage.texts,
        "transfer": (*first.train, first.dev, *first.texts) if first else (),
    }
    return {name: parts_sha256(some, context.data_dir) for name, some in parts.items() if some}


def run_stage(model: Any, stage: Stage, training: Training, context: Context) -> Progress:
    lists, dev = stage_data(stage, context)
    return train_model(model, lists.questions, dev.questions, training, None)


def test(model: Any, dataset: Dataset, metric: str, decides: bool) -> Tested:
    """Under SemEval's official protocol also what its scorer has besides; `decides`: a score is a log-odds.

    Then a candidate is called relevant where it is above 0. Scores of other losses have no such place.
    """
    scores = model.score(dataset)
    found = measure(dataset, scores, list({*METRICS, metric}), "pessimistic")
    theirs = official(dataset, scores, [row > 0 for row in scores] if decides else None) or {}
    more = {OFFICIAL[name]: value for name, value in theirs.items() if name in OFFICIAL}
    values = [round(value, 4) for value in found[metric].tolist()]
    return Tested(summarise({name: found[name] for name in METRICS}) | more, values)
