"""A model to score with, by name or from a checkpoint folder: the runtime runs what is exported, torch the rest."""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path
from typing import cast

from anselm.checkpoints.catalogue import all_models, create_model, find_checkpoint, load_checkpoint, open_checkpoint
from anselm.checkpoints.checkpoint import CALIBRATION
from anselm.checkpoints.checksums import checkpoint_files, hash_files
from anselm.fetch.fetched_models import ensure
from anselm.fetch.progress_line import ProgressLine
from anselm.metrics.calibration import Calibration
from anselm.ranking.torch_devices import choose_device, load_on_device
from anselm.scorer import Scorer


def load_scorer(name_or_path: str | Path, threads: int | None = None, device: str | None = None) -> Scorer:
    """A checkpoint that holds both graphs and torch's weights is scored by the runtime, which is the faster of the two;
    `load_model` loads it into torch, to be trained further for one. `threads` is for the runtime.
    """
    ensure(str(name_or_path), ProgressLine())
    checkpoint = open_checkpoint(name_or_path)
    chosen = choose_device(str(name_or_path), checkpoint, device)
    if checkpoint is not None and chosen is not None:
        return load_on_device(checkpoint, chosen)
    if checkpoint is None:
        return create_model(str(name_or_path))
    if checkpoint.runtime is None:
        return load_checkpoint(checkpoint)
    return cast(Scorer, import_module(f"anselm.runtime.{checkpoint.runtime}").load(checkpoint, threads))


def load_calibration(name_or_path: str | Path) -> Calibration | None:
    """What the checkpoint of a model holds, shipped or the user's own; None where it holds none."""
    checkpoint = find_checkpoint(name_or_path)
    return Calibration.load(checkpoint.path(CALIBRATION)) if checkpoint and checkpoint.has(CALIBRATION) else None


def fingerprint(name_or_path: str | Path) -> str:
    """Of the files of a checkpoint: what has another one may score otherwise. A model without files is its name."""
    ensure(str(name_or_path), ProgressLine())
    checkpoint = find_checkpoint(name_or_path)
    if checkpoint is None:
        return f"name:{name_or_path}"
    names = checkpoint_files(checkpoint.folder)
    digest = hashlib.sha256()
    for name, found in zip(names, hash_files(checkpoint.folder, names), strict=True):
        digest.update(f"{name} {found}\n".encode())
    return digest.hexdigest()


def is_model_name(name: str | Path) -> bool:
    return str(name) in all_models()
