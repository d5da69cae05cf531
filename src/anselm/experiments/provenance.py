"""What a run was made of: everything that moved its weights, written down while it ran.

A record has the row of the recipe that it is of, as `make_recipe` reads it, and what came of it: the settings as they
were in the end, checksums of the data and of the weights before and after, versions, and the commit of the code that
ran. `reruns` runs a record again from nothing else, and `agreement` holds it against today's recipes.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from anselm import __version__
from anselm.experiments.fingerprints import row_fingerprint
from anselm.experiments.journal import Run
from anselm.experiments.schema import Part, Recipe, Stage
from anselm.train.hyperparameters import WITHOUT_EFFECT, Training

PACKAGES = ("torch", "numpy", "transformers", "gensim")  # what computes weights, or their start
COMMIT = "ANSELM_COMMIT"  # of a copy of the code that is no checkout


def describe_run(
    config: Any, training: Training, data: Mapping[str, str], matmul: str, start: str, end: str
) -> dict[str, Any]:
    """Of one seed on one corpus, as JSON gives it back: a tuple and a list of the same would not be the same."""
    made = {
        "config": portable(asdict(config)),
        "training": {name: value for name, value in asdict(training).items() if name not in (*WITHOUT_EFFECT, "seed")},
        "data": dict(data),
        "matmul": matmul,
        "start": start,
        "end": end,
        "commit": commit(),
        "versions": versions(),
    }
    return dict(json.loads(json.dumps(made)))


def describe_row(recipe: Recipe, corpus: str, part: Part, changes: Mapping[str, Any], runs: Sequence[Run]) -> Any:
    """Of all seeds of a row: what they share once, the rest seed by seed. Earlier journals do not say what ran."""
    row = {"recipe": spell_recipe(recipe, corpus, part), "fingerprint": row_fingerprint(recipe, corpus, changes)}
    if not all(run.made for run in runs):
        return row
    shared = {name: runs[0].made[name] for name in ("config", "training", "data")}
    own = ("matmul", "start", "end", "commit", "versions")
    return {
        **row,
        **shared,
        "seeds": [{"seed": run.seed, "device": run.device, **{name: run.made[name] for name in own}} for run in runs],
    }


def portable(config: Mapping[str, Any]) -> dict[str, Any]:
    """A base that is a folder of this machine, by its last name: nobody else has the others."""
    base = config.get("base")
    return {**config, "base": Path(base).name} if base and Path(base).is_dir() else dict(config)


def spell_recipe(recipe: Recipe, corpus: str, part: Part) -> dict[str, Any]:
    """One corpus of a recipe and one of its test sets, as a file would have them."""
    stage = replace(recipe.corpora[corpus], tests=(part,))
    transfer = _spell_stage(recipe.transfer) if recipe.transfer else {}
    transfer |= {"seeds": list(recipe.transfer_seeds)} if recipe.transfer_seeds else {}
    record = {
        "paper": recipe.paper, "table": recipe.table, "row": recipe.row, "model": recipe.model,
        "seeds": list(recipe.seeds), "config": dict(recipe.config), "metric": recipe.metric,
        "transfer": transfer, "corpus": {corpus: _spell_stage(stage)},
    }  # fmt: skip
    return {name: value for name, value in record.items() if value}


def _spell_stage(stage: Stage) -> dict[str, Any]:
    record = {
        "train": [_spell_part(part) for part in stage.train],
        "dev": _spell_part(stage.dev),
        "training": dict(stage.training),
        "test": [_spell_part(part) for part in stage.tests],
        "search": {name: list(values) for name, values in stage.search.items()},
        "config": dict(stage.config),
        "texts": [_spell_part(part) for part in stage.texts],
        "trial": dict(stage.trial),
    }
    return {name: value for name, value in record.items() if value}


def _spell_part(part: Part) -> dict[str, Any]:
    return {name: value for name, value in asdict(part).items() if value not in (None, {}) and name != "published"}


def weights_sha256(model: Any) -> str:
    """Of every number of a model, by name."""
    digest = hashlib.sha256()
    for name, tensor in model.state_dict().items():
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Of ours, of those packages that are here, and of Python."""
    found = {"anselm": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@cache
def commit() -> str:
    """The version of the code that is running, where it is a checkout or says so; `-dirty` where it was changed."""
    folder = Path(__file__).parent
    found = os.environ.get(COMMIT) or _git(folder, "rev-parse", "HEAD")
    changed = found and not os.environ.get(COMMIT) and _git(folder.parent, "status", "--porcelain", "--", ".")
    return f"{found}-dirty" if changed else found


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
