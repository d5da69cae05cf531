"""Which engine scores with a checkpoint: the runtime where it is exported, the model's own file elsewhere."""

from __future__ import annotations

from pathlib import Path

from anselm.models.registry import all_models, load_opened, open_checkpoint, read_config
from anselm.models.scorer import Scorer


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
        from anselm.runtime.general import load_general

        return load_general(folder, threads)
    if model in all_models() and all_models()[model].kind == "siamese":
        from anselm.runtime.words import load_words

        return load_words(folder, threads)
    from anselm.runtime.exported import load_exported

    return load_exported(folder, threads)
