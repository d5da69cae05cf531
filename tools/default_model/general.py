"""The general ranker as files: a cross-encoder and its untouched encoder, both exported, and the
blend of the two, fitted on lists that the cross-encoder was not trained on. See models/general.py for what it computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from anselm.checkpoints.blend import Config
from anselm.checkpoints.catalogue import load_model
from anselm.checkpoints.checkpoint import BLENDED, CONFIG, ENCODER, ENCODER_GRAPH, READER_GRAPH, TOKENIZER
from anselm.checkpoints.checkpoint import write_config as write_record
from anselm.checkpoints.checksums import copy_files, renew_checksums, write_checkpoint
from anselm.data.question import Question
from anselm.errors import InputError
from anselm.export.exporter import batches, pair_rows, to_onnx, write_graph
from anselm.export.quantize import quantize
from anselm.models.crossencoder import CrossEncoder
from anselm.models.frames.device_networks import Pairs, Texts
from anselm.models.frames.pretrained import load_pretrained
from anselm.runtime.blended import text_rows

KEPT = (ENCODER, TOKENIZER)
COMPARED = (200, 64)  # tokens of a text that is compared as a whole, and of windows of a longer one


def export_general(checkpoint: Path, out: Path, questions: Sequence[Question], int8: bool = True) -> Path:
    """Write both graphs into a new checkpoint folder, with a blend that is still to be fitted.

    `questions` are what the ranges of the activations are seen on.
    """
    model = load_model(checkpoint)
    if not isinstance(model, CrossEncoder) or model.listwise:
        raise InputError(f"{checkpoint} is not a cross-encoder of single pairs, which a general ranker needs")
    layers, pooling = model.config.candidate_layers, model.config.pooling
    if not layers and pooling != "mean":
        raise InputError(f"a general ranker pools by the mean where it has no candidate_layers, not by {pooling!r}")
    untouched, _ = load_pretrained(model.config.base)
    reader = to_onnx(Pairs(model), model.encoder, ("ids", "mask", "types"))
    encoder = to_onnx(Texts(untouched), untouched, ("ids", "mask"))
    if int8:
        lists = model.featurize(questions)
        every = np.arange(len(lists.texts.starts))
        reader = quantize(reader, batches(pair_rows(model, questions)))
        encoder = quantize(encoder, batches(text_rows(lists.texts, every, model.tokenizer)))
    with write_checkpoint(out) as folder:
        copy_files(checkpoint, folder, KEPT)
        sizes = (model.config.max_length, model.config.max_question, *COMPARED)
        write_config(folder, Config(*sizes, candidate_layers=layers))
        write_graph(reader, folder / READER_GRAPH)
        write_graph(encoder, folder / ENCODER_GRAPH)
    return out


def write_config(folder: Path, config: Config, terms: str = "") -> None:
    with renew_checksums(folder, CONFIG):
        write_record(folder, "general", asdict(config), runtime=BLENDED, terms=terms)
