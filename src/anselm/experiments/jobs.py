"""One seed of a recipe, from its data to its figures on the test sets; several of them side by side. Needs torch."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from anselm.checkpoints.catalogue import find_reader
from anselm.data.datasets import Dataset
from anselm.data.overlap import find_overlap
from anselm.evaluation.report import measure, official
from anselm.experiments.journal import Run, Tested, add_to_journal, mend_journal, read_journal
from anselm.experiments.parts import Load, join_parts, load_part
from anselm.experiments.schema import Recipe, Stage, of_config, of_training
from anselm.experiments.stage_vectors import stage_vectors
from anselm.metrics.measures import summarise
from anselm.models.frames.pretrained import describe_encoder
from anselm.models.frames.weights import load_weights, save_weights
from anselm.models.frames.word_model import OWN
from anselm.train.devices import copy_weights, device_name, on_device, use_one_thread, usual_precision
from anselm.train.fit import dev_map, make_model, train_model
from anselm.train.hyperparameters import Progress, Training, make_training

METRICS = ("map", "mrr", "p@1")
OFFICIAL = {"average_recall": "avgrec", **{name: name for name in ("precision", "recall", "f1", "accuracy")}}
Say = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """One seed on some corpora of a recipe, which share the transfer, with settings of the training changed."""

    recipe: Recipe
    corpora: tuple[str, ...]
    seed: int
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What it is, and a checksum of how it is run: a journal says nothing about a recipe that was changed since."""
        stages = [self.recipe.transfer, *(self.recipe.corpora[name] for name in self.corpora)]
        how = repr((self.recipe.model, sorted(self.recipe.config.items()), stages))
        texts = [stage.texts for stage in stages if stage and stage.texts]
        shared = self.recipe.transfer_seeds
        how += repr(texts) if texts else ""  # without any, as in journals from before there were some
        how += repr(shared) if shared else ""  # likewise
        digest = hashlib.sha256(how.encode()).hexdigest()[:12]
        return json.dumps([self.recipe.name, self.corpora, self.seed, dict(self.changes), digest])

    @property
    def transfer(self) -> str:
        """The name of the file of a transfer that it shares with other jobs, also of other recipes; or none."""
        recipe = self.recipe
        if not recipe.transfer_seeds:
            return ""
        how = repr((recipe.model, sorted(recipe.config.items()), recipe.transfer, recipe.transfer_seed(self.seed)))
        return f"{hashlib.sha256(how.encode()).hexdigest()[:12]}.safetensors"


def run_job(job: Job, load: Load = load_part, say: Say = lambda line: None, kept: Path | None = None) -> list[Run]:
    """Train on each corpus, after the transfer where there is one, keep what is best on dev, and test it.

    `kept` is the folder of transfers that jobs share.
    """
    recipe, runs = job.recipe, []
    transferred: Any = None
    if recipe.transfer:
        transferred = transfer(job, recipe.transfer, load, say, kept)
        start = copy_weights(transferred)
    for name in job.corpora:
        began, stage = time.perf_counter(), recipe.corpora[name]
        if transferred is None:
            model = new_model(recipe, job.seed, stage, load, of_config(job.changes))
        else:
            model = transferred
            model.load_state_dict(start)
        if stage.train:
            progress = run_stage(model, stage, job.seed, of_training(job.changes), load, say)
        else:
            progress = Progress(steps=0, best=dev_map(model, load(stage.dev).questions)())
        dev = progress.best or 0.0
        decides = {"loss": Training.loss, **stage.training, **job.changes}["loss"] == "pointwise"
        tests = [test(model, load(part), recipe.metric, decides) for part in stage.tests]
        parameters = sum(parameter.numel() for parameter in model.parameters())
        seconds = round(time.perf_counter() - began, 1)
        about = (parameters, seconds, device_name(), encoder_of(model), progress.best_step)
        runs.append(Run(name, job.seed, dict(job.changes), dev, tests, *about))
        changed = "".join(f", {key} {value}" for key, value in job.changes.items())
        say(f"{recipe.name}, {name}, seed {job.seed}{changed}: dev MAP {dev:.4f}, {seconds:.0f} s")
    return runs


def transfer(job: Job, stage: Stage, load: Load, say: Say, kept: Path | None = None) -> Any:
    """The model after the first stage: as an earlier job left it, or trained now, and left for later ones."""
    seed = job.recipe.transfer_seed(job.seed)
    model = new_model(job.recipe, seed, stage, load)
    path = kept / job.transfer if kept and job.transfer else None
    if path and path.is_file():
        load_weights(model, path)
        return model
    best = run_stage(model, stage, seed, {}, load, say).best or 0.0
    say(f"{job.recipe.name}, seed {seed}: transfer, dev MAP {best:.4f}")
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_weights(model, unfinished := path.with_suffix(".partial"))
        unfinished.replace(path)
    return model


def new_model(recipe: Recipe, seed: int, stage: Stage, load: Load, changes: Mapping[str, Any] | None = None) -> Any:
    """For a stage; `changes` are settings of the model. Vectors from more texts than the lists' are made, or found."""
    config, lists = settings(recipe, stage, changes or {}), join_parts(stage.train, load).questions
    if not stage.texts:
        model: Any = make_model(recipe.model, config, seed, lists)
    else:
        path = stage_vectors(recipe.model, config, lists, [load(part) for part in stage.texts])
        model = make_model(recipe.model, {**config, "vectors": str(path)}, seed, lists)
        model.config = replace(model.config, vectors=OWN)  # where they were kept is nobody else's business
    return on_device(model)


def settings(recipe: Recipe, stage: Stage, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Of the model: the recipe's, then the corpus's, then what a search tries."""
    return {**recipe.config, **stage.config, **changes}


def prepare_vectors(jobs: Sequence[Job], load: Load) -> None:
    """Before workers are started, so that not each of them trains the same ones."""
    for job in jobs:
        for stage in [job.recipe.transfer or job.recipe.corpora[name] for name in job.corpora]:
            if stage.texts:
                config = settings(job.recipe, stage, of_config(job.changes))
                lists = join_parts(stage.train, load).questions
                stage_vectors(job.recipe.model, config, lists, [load(part) for part in stage.texts])


def prepare_transfers(jobs: Sequence[Job], load: Load, say: Say, kept: Path | None) -> None:
    """Likewise, those that several of them go on from."""
    count = Counter(job.transfer for job in jobs)
    for job in {job.transfer: job for job in jobs if job.transfer and count[job.transfer] > 1}.values():
        if job.recipe.transfer and kept and not (kept / job.transfer).is_file():
            transfer(job, job.recipe.transfer, load, say, kept)


def encoder_of(model: Any) -> dict[str, str]:
    """The pretrained encoder that a model was built on, where it was."""
    base = getattr(model.config, "base", "")
    return describe_encoder(base) if base and find_reader(base) is None else {}


def run_stage(model: Any, stage: Stage, seed: int, changes: Mapping[str, Any], load: Load, say: Say) -> Progress:
    """Train on the stage's parts; what training and measured sets share is said first."""
    lists = join_parts(stage.train, load).questions
    for part in (stage.dev, *stage.tests):
        if overlap := find_overlap(lists, f"{part.data} {part.split or ''}".strip(), load(part)):
            say(f"note: {overlap}")
    training = make_training({"precision": usual_precision(), **stage.training, **changes, "seed": seed})
    return train_model(model, lists, load(stage.dev).questions, training, None)


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


def run_jobs(
    jobs: Sequence[Job],
    workers: int = 1,
    journal: Path | None = None,
    load: Load = load_part,
    say: Say = print,
    kept: Path | None = None,
) -> dict[str, list[Run]]:
    """Every job's runs by its key. What the journal has is not run again, and what is run is added to it."""
    done = read_journal(journal)
    left = [job for job in jobs if job.key not in done]
    if journal:
        mend_journal(journal)
    for key, runs in _run(left, workers, load, say, kept):
        done[key] = runs
        if journal:
            add_to_journal(journal, key, runs)
    return done


def _run(jobs: Sequence[Job], workers: int, load: Load, say: Say, kept: Path | None) -> Iterator[tuple[str, list[Run]]]:
    if workers < 2 or len(jobs) < 2:
        yield from ((job.key, run_job(job, load, say, kept)) for job in jobs)
        return
    prepare_vectors(jobs, load)
    prepare_transfers(jobs, load, say, kept)
    with get_context("spawn").Pool(min(workers, len(jobs)), use_one_thread) as pool:
        yield from pool.imap_unordered(partial(_keyed, load=load, say=say, kept=kept), jobs)


def _keyed(job: Job, load: Load, say: Say, kept: Path | None) -> tuple[str, list[Run]]:
    return job.key, run_job(job, load, say, kept)
