"""What makes two jobs one and the same: everything that moves their weights, and what they are measured on.

What a paper reports, a note, the name of a row are no part of it, so that they may be mended while a journal goes on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from anselm.experiments.schema import Part, Recipe, Stage, of_config, of_training
from anselm.train.hyperparameters import WITHOUT_EFFECT

if TYPE_CHECKING:
    from anselm.experiments.jobs import Job


UNSEEN = ("published", "table")  # of a part: how figures are reported


def fingerprint(job: Job) -> str:
    recipe, changes = job.recipe, job.changes
    record = {
        "model": recipe.model,
        "transfer": _transfer(recipe.first, job.seed) if recipe.transfer else None,
        "corpora": {
            name: _stage(recipe, recipe.corpora[name], changes) | _tests(recipe, recipe.corpora[name])
            for name in job.corpora
        },
        "seed": job.seed,
    }
    if recipe.transfer_model:
        record["transfer_model"] = recipe.transfer_model
    return _digest(record)


def row_fingerprint(recipe: Recipe, corpus: str, changes: Mapping[str, Any]) -> str:
    """Of a row on one corpus, all seeds: with another one it is another experiment."""
    seeds = {"seeds": list(recipe.transfer_seeds)} if recipe.transfer_seeds else {}
    transfer = {**_stage(recipe, recipe.transfer, {}), **seeds} if recipe.transfer else None
    stage = _stage(recipe, recipe.corpora[corpus], changes)
    return _digest({"model": recipe.model, "transfer": transfer, "corpus": stage})


def transfer_fingerprint(job: Job) -> str:
    """Of the first stage alone, which jobs of other recipes may share."""
    return _digest({"model": job.recipe.first.model, "transfer": _transfer(job.recipe.first, job.seed)})


def _transfer(recipe: Recipe, seed: int) -> dict[str, Any]:
    return {**_stage(recipe, recipe.transfer, {}), "seed": recipe.transfer_seed(seed)} if recipe.transfer else {}


def _stage(recipe: Recipe, stage: Stage, changes: Mapping[str, Any]) -> dict[str, Any]:
    training = {**stage.training, **of_training(changes)}
    return {
        "config": {**recipe.config, **stage.config, **of_config(changes)},
        "training": {name: value for name, value in training.items() if name not in WITHOUT_EFFECT},
        "train": _parts(stage.train),
        "dev": _parts([stage.dev]),
        "texts": _parts(stage.texts),
    }


def _tests(recipe: Recipe, stage: Stage) -> dict[str, Any]:
    """They move no weights, but a journal keeps the figures on them."""
    return {"tests": _parts(stage.tests), "metric": recipe.metric}


def _parts(parts: Iterable[Part]) -> list[dict[str, Any]]:
    return [{name: value for name, value in asdict(part).items() if name not in UNSEEN} for part in parts]


def _digest(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:12]
