"""What makes two jobs one and the same: everything that moves their weights, and what they are measured on.

What a paper reports, a note, the name of a row are no part of it, so that they may be mended while a journal goes on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from anselm.checkpoints.settings import former_names
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
    return _short(json.dumps(record, sort_keys=True))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


# How journals were keyed before: by the repr of dataclasses. Only to recognise what is in them; nothing new is added.


LATER = ("attention_gain",)  # settings that recipes name since, with what had been the only value


def former_key(job: Job) -> str:
    recipe = job.recipe
    stages = [recipe.transfer, *(recipe.corpora[name] for name in job.corpora)]
    texts = [f"({_listed(stage.texts)})" for stage in stages if stage and stage.texts]
    how = f"({_former_model(recipe)}, [{', '.join(map(_former_stage, stages))}])"
    how += f"[{', '.join(texts)}]" if texts else ""
    how += repr(recipe.transfer_seeds) if recipe.transfer_seeds else ""
    return json.dumps([recipe.name, job.corpora, job.seed, former_names(job.changes), _short(how)])


def former_transfer(job: Job) -> str:
    recipe, seed = job.recipe, job.recipe.transfer_seed(job.seed)
    return _short(f"({_former_model(recipe)}, {_former_stage(recipe.transfer)}, {seed})")


def _former_model(recipe: Recipe) -> str:
    config = {name: value for name, value in recipe.config.items() if name not in LATER}
    return f"{recipe.model!r}, {sorted(former_names(config).items())!r}"


def _former_stage(stage: Stage | None) -> str:
    if stage is None:
        return "None"
    data = f"train=({_listed(stage.train)}), dev={_listed([stage.dev]).removesuffix(',')}"
    how = f"search={former_names(stage.search)!r}, config={former_names(stage.config)!r}"
    return f"Stage({data}, training={former_names(stage.training)!r}, tests=({_listed(stage.tests)}), {how})"


def _listed(parts: Iterable[Part]) -> str:
    """As a tuple has them between its brackets."""
    spelt = [
        f"Part({', '.join(f'{name}={value!r}' for name, value in asdict(part).items() if name != 'table')})"
        for part in parts
    ]
    return f"{spelt[0]}," if len(spelt) == 1 else ", ".join(spelt)
