"""From a checkpoint that needs torch to one that does not: the model as an ONNX graph with int8 weights.

ids, mask, types: int64 (pairs, tokens) -> signals: float32 (pairs, 1)

Models over word vectors have other inputs, see runtime/words.py, and stay in float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import nn

from anselm.checkpoints.catalogue import load_model
from anselm.checkpoints.checkpoint import (
    CALIBRATION,
    CARD,
    CONFIG,
    ENCODER,
    GRAPH,
    PAIRS,
    TOKENIZER,
    VOCABULARY,
    WORDS,
    name_runtime,
)
from anselm.checkpoints.checksums import copy_files, renew_checksums, write_checkpoint
from anselm.data.bundled import bundled_lists, bundled_sentences
from anselm.data.question import Candidate, Question
from anselm.errors import InputError, UnknownNameError
from anselm.export.graphs import trace
from anselm.export.quantize import Array, quantize
from anselm.export.word_graph import words_to_onnx
from anselm.files import replace_file
from anselm.models.frames.device_networks import Pairs
from anselm.models.frames.pair_model import PairModel
from anselm.runtime.rows import Rows, lay_out

SEEN = 300  # to see the ranges on; 64 and 800 drifted about as much
KEPT = (CONFIG, ENCODER, TOKENIZER, VOCABULARY, CALIBRATION, CARD)


def export(folder: Path, out: Path | None, questions: Sequence[Question], int8: bool = True) -> Path:
    """Write the ONNX file: into the checkpoint itself, or into a new folder that has no other weights.

    `questions` are what the ranges of the activations are seen on.
    """
    model = load_model(folder)
    if (target := getattr(model, "exports_to", None)) is None:
        alone = "runs with torch alone: it sees whole lists, or more of a pair than its words"
        why = alone if hasattr(model, "parameters") else "needs no export"
        raise InputError(f"{folder} holds a {model.name!r} model, which {why}")
    if target not in TRACED:
        raise UnknownNameError(f"runtime of the model {model.name!r}:", target, TRACED)
    trace_model = TRACED[target]
    if out is None:
        graph = trace_model(model, questions, int8)
        with renew_checksums(folder, GRAPH, CONFIG):
            write_graph(graph, folder / GRAPH)
            name_runtime(folder, target)
        return folder / GRAPH
    with write_checkpoint(out) as copy:  # first, since a name that is taken should not cost the export
        copy_files(folder, copy, (name for name in KEPT if (folder / name).is_file()))
        write_graph(trace_model(model, questions, int8), copy / GRAPH)
        name_runtime(copy, target)
    return out / GRAPH


def trace_pairs(model: Any, questions: Sequence[Question], int8: bool) -> onnx.ModelProto:
    graph = to_onnx(Pairs(model), model.encoder, ("ids", "mask", "types"))
    return quantize(graph, batches(pair_rows(model, questions))) if int8 else graph


def trace_words(model: Any, questions: Sequence[Question], int8: bool) -> onnx.ModelProto:
    """They are small, and stay in float32."""
    return words_to_onnx(model)


TRACED = {PAIRS: trace_pairs, WORDS: trace_words}  # by the runtime that will run the graph


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
    fills = {"ids": 5, "mask": 1, "types": 0, "shapes": 3}
    example = {name: torch.full((3, 5), fills[name]) for name in names}  # three: one tensor would become one input
    try:
        return trace(module, example, {name: {0: rows, 1: tokens} for name in names})
    finally:
        encoder.set_attn_implementation(was)


def pair_rows(model: PairModel, questions: Sequence[Question]) -> Rows:
    """Pairs as the runtime reads them."""
    return lay_out(model.featurize(questions), model.tokenizer, model.reading).distinct()[0]


def batches(rows: Rows) -> list[dict[str, Array]]:
    """Some of the rows, those of one length together: no padding, whose values nobody reads."""
    kept = np.arange(len(rows.starts))[:: max(1, len(rows.starts) // SEEN)]
    widths = rows.widths[kept]
    return [rows.pad_rows(kept[widths == width], int(width)) for width in np.unique(widths)]


def example_questions() -> list[Question]:
    """Every bundled question with every bundled sentence: few, but their ranges are close to those of a corpus."""
    lists = bundled_lists()
    texts = [candidate.text for question in lists for candidate in question.candidates] + bundled_sentences()
    candidates = tuple(Candidate(str(place), text) for place, text in enumerate(texts))
    return [replace(question, candidates=candidates) for question in lists]
