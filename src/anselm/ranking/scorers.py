"""Which engine scores with a checkpoint: the runtime where it is exported, the model's own file elsewhere."""

from __future__ import annotations

from pathlib import Path

from anselm.checkpoints.catalogue import all_models, find_checkpoint, load_opened, open_checkpoint, read_config
from anselm.metrics.calibration import Calibration
from anselm.scorer import Scorer


def load_scorer(name_or_path: str | Path, threads: int | None = None) -> Scorer:
    """A model to score with, by name or from a checkpoint folder.

    A checkpoint that holds both `onnx/` and torch's weights is scored by the runtime, which is the faster of the two;
    `load_model` loads it into torch, to be trained further for one. `threads` is for the runtime.
    """
    folder = open_checkpoint(name_or_path)
    if folder is None or not any((folder / "onnx").glob("*.onnx")):
        return load_opened(name_or_path, folder)
    model = read_config(folder / "config.json")["model"]
    if model == "general":
        from anselm.runtime.blended import load_general

        return load_general(folder, threads)
    if model in all_models() and all_models()[model].kind == "siamese":
        from anselm.runtime.words import load_words

        return load_words(folder, threads)
    from anselm.runtime.pairs import load_exported

    return load_exported(folder, threads)


def load_calibration(name_or_path: str | Path) -> Calibration | None:
    """What the checkpoint of a model holds, shipped or the user's own; None where it holds none."""
    folder = find_checkpoint(name_or_path)
    path = folder / "calibration.json" if folder else None
    return Calibration.load(path) if path and path.exists() else None


def is_model_name(name: str | Path) -> bool:
    return str(name) in all_models()
