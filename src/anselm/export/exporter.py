"""From a checkpoint that needs torch to one that does not: the model as an ONNX graph with int8 weights.

ids, mask, types: int64 (pairs, tokens) -> signals: float32 (pairs, 1)

Of a model with a similarity head, only the score is exported; see general.py for both. Models over word vectors have
other inputs, see runtime/words.py, and stay in float32.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from anselm.checkpoints.catalogue import load_model
from anselm.checkpoints.checksums import check_inside, renew_checksums, write_checkpoint
from anselm.data.bundled import bundled_lists, bundled_sentences
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.export.graphs import trace
from anselm.export.quantize import Array, quantize
from anselm.export.word_graph import words_to_onnx
from anselm.files import replace_file
from anselm.models.crossencoder import CrossEncoder
from anselm.models.frames.word_model import WordModel
from anselm.runtime.pairs import MODEL
from anselm.runtime.rows import Rows, lay_out

PAIRS = 300  # to see the ranges on; 64 and 800 drifted about as much
KEPT = ("config.json", "encoder.json", "tokenizer.json", "vocabulary.txt", "calibration.json", "README.md")


class Pairs(nn.Module):
    """The part of a cross-encoder that reads pairs which are rows of tokens already."""

    def __init__(self, model: CrossEncoder, signals: int = 1) -> None:
        super().__init__()
        self.model, self.count = model, signals

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        return self.model.signals(ids, mask, types)[:, : self.count]


def export(checkpoint: Path, out: Path | None, questions: Sequence[Question], int8: bool = True) -> Path:
    """Write the ONNX file: into the checkpoint itself, or into a new folder that has no other weights.

    `questions` are what the ranges of the activations are seen on.
    """
    model = load_model(checkpoint)
    if not isinstance(model, CrossEncoder | WordModel):
        raise InputError(f"{checkpoint} holds a {model.name!r} model, which needs no export; those that need torch do")
    if (isinstance(model, CrossEncoder) and model.config.list_layers) or (
        isinstance(model, WordModel) and not model.pairwise
    ):
        raise InputError(f"{checkpoint} holds a model that sees whole lists; only models of pairs can be exported")
    if out is None:
        graph = make_graph(model, questions, int8)
        with renew_checksums(checkpoint, MODEL.as_posix()):
            return write_graph(graph, checkpoint / MODEL)
    with write_checkpoint(out) as folder:  # first, since a name that is taken should not cost the export
        keep_files(checkpoint, folder, KEPT)
        write_graph(make_graph(model, questions, int8), folder / MODEL)
    return out / MODEL


def make_graph(model: CrossEncoder | WordModel, questions: Sequence[Question], int8: bool) -> onnx.ModelProto:
    """Models over word vectors are small, and stay in float32."""
    if isinstance(model, WordModel):
        return words_to_onnx(model)
    graph = to_onnx(Pairs(model), model.encoder, ("ids", "mask", "types"))
    return quantize(graph, batches(pair_rows(model, questions))) if int8 else graph


def keep_files(checkpoint: Path, folder: Path, names: Sequence[str]) -> None:
    for name in names:
        if (checkpoint / name).is_file():
            check_inside(checkpoint, checkpoint / name)
            shutil.copyfile(checkpoint / name, folder / name)


def write_graph(graph: onnx.ModelProto, path: Path) -> Path:
    """A failure leaves the checkpoint as it was: with the old file, or without any."""
    new = not path.parent.exists()
    path.parent.mkdir(exist_ok=True)
    try:
        replace_file(path, graph.SerializeToString())
    except InputError:
        if new:
            path.parent.rmdir()
        raise
    return path


def to_onnx(module: nn.Module, encoder: Any, names: tuple[str, ...]) -> onnx.ModelProto:
    """In float32. The encoder's eager attention exports to fewer steps than the fused one, whose care for rows without
    tokens nothing here needs.
    """
    was = encoder.config._attn_implementation
    encoder.set_attn_implementation("eager")
    rows, tokens = torch.export.Dim("pairs", min=1), torch.export.Dim("tokens", min=1)
    fills = {"ids": 5, "mask": 1, "types": 0}
    example = {name: torch.full((3, 5), fills[name]) for name in names}  # three: one tensor would become one input
    try:
        return trace(module, example, {name: {0: rows, 1: tokens} for name in names})
    finally:
        encoder.set_attn_implementation(was)


def pair_rows(model: CrossEncoder, questions: Sequence[Question]) -> Rows:
    """Pairs as the runtime reads them."""
    return lay_out(model.featurize(questions), model.tokenizer, model.reading).distinct()[0]


def batches(rows: Rows) -> list[dict[str, Array]]:
    """Some of the rows, those of one length together: no padding, whose values nobody reads."""
    kept = np.arange(len(rows.starts))[:: max(1, len(rows.starts) // PAIRS)]
    widths = rows.widths[kept]
    return [rows.pad_rows(kept[widths == width], int(width)) for width in np.unique(widths)]


def example_questions() -> list[Question]:
    """Every bundled question with every bundled sentence: few, but their ranges are close to those of a corpus."""
    lists = bundled_lists()
    texts = [candidate.text for question in lists for candidate in question.candidates] + bundled_sentences()
    candidates = tuple(Candidate(str(place), text) for place, text in enumerate(texts))
    return [replace(question, candidates=candidates) for question in lists]
