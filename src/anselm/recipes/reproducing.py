"""Running recipes: every seed, every corpus of the row, recorded as results. Needs torch."""

from __future__ import annotations

import platform
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

from anselm.data.datasets import Dataset, load_dataset
from anselm.evaluation.metrics import summarise
from anselm.evaluation.report import measure
from anselm.models.crossencoder import CrossEncoder, build
from anselm.recipes.overlap import find_overlap
from anselm.recipes.results import Result, summary
from anselm.recipes.schema import Part, Recipe, Stage, find_stage
from anselm.recipes.training import make_training, train_model

METRICS = ("map", "mrr", "p@1")
Load = Callable[[Part], Dataset]
Say = Callable[[str], None]


def load_part(part: Part) -> Dataset:
    return load_dataset(part.data, part.split, part.protocol)


@dataclass
class Run:
    """What one seed gave on one corpus: its dev MAP, and each test's metrics."""

    dev: float
    tests: list[dict[str, float]]


def reproduce(
    recipe: Recipe,
    corpora: Sequence[str] = (),
    seeds: Sequence[int] = (),
    load: Load = load_part,
    say: Say = lambda line: None,
) -> Iterator[Result]:
    """Train and test every seed; a result for each test set of each corpus."""
    chosen = {name: find_stage(recipe, name) for name in corpora or recipe.corpora}
    numbers = list(seeds or recipe.seeds)
    began = time.perf_counter()
    runs: dict[str, list[Run]] = {name: [] for name in chosen}
    parameters = 0
    for seed in numbers:
        model = new_model(recipe, seed)
        parameters = sum(parameter.numel() for parameter in model.parameters())
        if recipe.transfer:
            best = run_stage(model, recipe.transfer, seed, load, say)
            say(f"{recipe.name}, seed {seed}: transfer, dev MAP {best:.4f}")
        start = weights(model)
        for name, stage in chosen.items():
            model.load_state_dict(start)
            dev = run_stage(model, stage, seed, load, say)
            runs[name].append(Run(dev, [test(model, load(part)) for part in stage.tests]))
            say(f"{recipe.name}, seed {seed}: {name}, dev MAP {dev:.4f}, test {runs[name][-1].tests}")
    seconds = time.perf_counter() - began
    for name, stage in chosen.items():
        for index, part in enumerate(stage.tests):
            yield record(recipe, stage, part, load(part), runs[name], index, numbers, parameters, seconds)


def join_parts(parts: Sequence[Part], load: Load) -> Dataset:
    """Several parts as one training set; ids are prefixed where there are several, since corpora share them."""
    loaded = [load(part) for part in parts]
    if len(loaded) == 1:
        return loaded[0]
    lists = tuple(replace(q, id=f"{data.name}/{data.split}/{q.id}") for data in loaded for q in data)
    names = " ".join(dict.fromkeys(data.name for data in loaded))
    return Dataset(names, "several", "several", lists)


def new_model(recipe: Recipe, seed: int) -> CrossEncoder:
    torch.manual_seed(seed)  # the head is drawn at random
    model = build(recipe.model, recipe.config)
    return model.to("cuda") if torch.cuda.is_available() else model


def weights(model: CrossEncoder) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}


def run_stage(model: CrossEncoder, stage: Stage, seed: int, load: Load, say: Say) -> float:
    """Train on the stage's parts; what training and measured sets share is said first."""
    lists = join_parts(stage.train, load).questions
    for part in (stage.dev, *stage.tests):
        if overlap := find_overlap(lists, f"{part.data} {part.split or ''}".strip(), load(part)):
            say(f"note: {overlap}")
    precision = "bf16" if torch.cuda.is_available() else "no"
    training = make_training({"precision": precision, **stage.training, "seed": seed})
    with TemporaryDirectory() as folder:
        return train_model(model, lists, load(stage.dev).questions, training, Path(folder))


def test(model: CrossEncoder, dataset: Dataset) -> dict[str, float]:
    return summarise(measure(dataset, model.score(dataset), METRICS, "pessimistic"))


def record(
    recipe: Recipe, stage: Stage, part: Part, dataset: Dataset, runs: Sequence[Run], index: int,
    seeds: list[int], parameters: int, seconds: float,
) -> Result:  # fmt: skip
    return Result(
        paper=recipe.paper,
        table=recipe.table,
        row=recipe.row,
        corpus=Path(part.data).name,  # of a file, its name without the folders
        protocol=dataset.protocol,
        split=dataset.split,
        model=recipe.model,
        seeds=seeds,
        metrics={name: summary([run.tests[index][name] for run in runs]) for name in METRICS},
        published=dict(part.published),
        parameters=parameters,
        device=device_name(),
        seconds=round(seconds, 1),
        data_sha256=dataset.sha256,
        commit=commit(),
        note=recipe.note,
        dev={"data": stage.dev.data, "map": summary([run.dev for run in runs])},
    )


def device_name() -> str:
    return torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {platform.machine()}"


def commit() -> str:
    """The version of the code, where it is a checkout."""
    done: Any = None
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
