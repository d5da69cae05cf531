"""The encoder of a blended ranker by itself: many texts as vectors, with every core at work.

One engine of one thread for each core: many texts keep them all busy without waiting for each other.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anselm.checkpoints.catalogue import DEFAULT, open_checkpoint
from anselm.checkpoints.checkpoint import ENCODER_GRAPH, TOKENIZER, Checkpoint
from anselm.checkpoints.checksums import hash_files
from anselm.encoding.limits import TEXT_LENGTH
from anselm.encoding.lists import flatten
from anselm.errors import InputError
from anselm.machine import usable_cores
from anselm.runtime.engines import BUDGET, choose_engine, open_engine
from anselm.runtime.pairs import read_tokenizer
from anselm.runtime.rows import Rows, run_rows, text_rows


class SentenceEncoder:
    """`fingerprint` tells whether two vectors can be compared."""

    def __init__(self, checkpoint: Checkpoint, threads: int | None = None) -> None:
        self.tokenizer = read_tokenizer(checkpoint)
        self.text_fingerprint = text_fingerprint(checkpoint)
        choose_engine()  # before several threads ask for it at once
        self._threads = ThreadPoolExecutor(threads or usable_cores())
        places = [checkpoint.path(ENCODER_GRAPH)] * (threads or usable_cores())
        self._engines = list(self._threads.map(lambda place: open_engine(place, 1), places))

    def text_vectors(self, texts: list[str]) -> NDArray[np.float64]:
        """Vectors of length one, of the first 254 tokens of each text. (texts, width)"""
        rows = text_rows(flatten(self.tokenizer(texts)), np.arange(len(texts)), self.tokenizer)
        order = np.argsort(-rows.widths, kind="stable")
        shares = [order[first :: len(self._engines)] for first in range(len(self._engines))]  # about as long each
        found = list(self._threads.map(self._run, self._engines, [rows.pick(share) for share in shares]))
        vectors = np.empty((len(texts), max(part.shape[1] for part in found)))
        for share, part in zip(shares, found, strict=True):
            vectors[share] = part[:, : vectors.shape[1]]
        return vectors

    def _run(self, engine: object, rows: Rows) -> NDArray[np.float64]:
        most = TEXT_LENGTH + len(self.tokenizer.before) + len(self.tokenizer.after)
        return run_rows(engine, rows, most, BUDGET)  # type: ignore[arg-type]


def text_fingerprint(checkpoint: Checkpoint) -> str:
    """Of the encoder's graph and its tokenizer."""
    return "+".join(digest[:16] for digest in hash_files(checkpoint.folder, (ENCODER_GRAPH, TOKENIZER)))


def load_sentence_encoder(name_or_path: str | Path = DEFAULT, threads: int | None = None) -> SentenceEncoder:
    checkpoint = open_checkpoint(name_or_path)
    if checkpoint is None or not checkpoint.has(ENCODER_GRAPH):
        raise InputError(f"the model {name_or_path} has no encoder of texts; {DEFAULT} has")
    return SentenceEncoder(checkpoint, threads)
