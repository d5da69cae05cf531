"""An exported cross-encoder as a scorer. It scores each pair by itself: the one signal of its graph is the score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anselm.checkpoints.checkpoint import CONFIG, ENCODER, GRAPH, TOKENIZER, Checkpoint
from anselm.checkpoints.checksums import copy_files
from anselm.data.question import Question
from anselm.encoding.limits import Reading
from anselm.encoding.lists import best_window, encode_lists, window_candidates
from anselm.encoding.token_gauge import TokenGauge
from anselm.encoding.tokenizer import MAX_TOKENS, VOCABULARY, PairTokenizer, fitting_tokenizer
from anselm.runtime.engines import BUDGET, Engine, check_signals, open_engine
from anselm.runtime.rows import lay_out, run_rows
from anselm.scorer import Scores


class ExportedPairs:
    """One checkpoint folder that holds one graph."""

    capacity: int | None = 200
    language: str | None = None

    def __init__(self, checkpoint: Checkpoint, reading: Reading, tokenizer: PairTokenizer, engine: Engine) -> None:
        self.name, self.checkpoint, self.reading = checkpoint.model, checkpoint, reading
        self.tokenizer, self.engine = tokenizer, engine
        self.pairwise = not reading.neighbours

    def score(self, questions: Sequence[Question], budget: int = BUDGET) -> list[Scores]:
        """Candidates that do not fit are read in windows, and the best window counts."""
        if not questions:
            return []
        lists = encode_lists(questions, self.tokenizer, self.reading.title, self.reading.neighbours)
        windowed, owner = window_candidates(lists, self.reading.room(lists, self.tokenizer))
        rows, place = lay_out(windowed, self.tokenizer, self.reading).distinct()
        signals = run_rows(self.engine, rows, self.reading.max_length, budget)  # (distinct pairs, 1)
        check_signals(self.checkpoint.path(GRAPH), signals, 1)
        return np.split(best_window(signals[place, 0], owner, len(lists.labels)), lists.bounds[1:-1])

    def gauge(self) -> TokenGauge:
        return TokenGauge(self.tokenizer, self.reading)

    def computes_on(self) -> tuple[str, int]:
        return self.engine.computes_on()

    def save(self, folder: Path) -> None:
        copy_files(self.checkpoint.folder, folder, (CONFIG, ENCODER, TOKENIZER, GRAPH))


def load(checkpoint: Checkpoint, threads: int | None = None) -> ExportedPairs:
    reading = read_settings(checkpoint)
    tokenizer = read_tokenizer(checkpoint)
    check_room(checkpoint, reading, tokenizer)
    check_length(checkpoint, reading.max_length)
    return ExportedPairs(checkpoint, reading, tokenizer, open_engine(checkpoint.path(GRAPH), threads))


def read_settings(checkpoint: Checkpoint) -> Reading:
    """Training writes out all of them, so one that is missing is a sign of damage."""
    kinds: dict[str, type] = {"max_length": int, "max_question": int, "title": bool, "neighbours": int}
    config = checkpoint.config
    for name, kind in kinds.items():
        if type(config.get(name)) is not kind or config[name] < 0:
            raise checkpoint.refusal(f"the setting {name!r} is {config.get(name)!r}, which is no {kind.__name__}")
    return Reading(**{name: config[name] for name in kinds})


def check_room(checkpoint: Checkpoint, reading: Reading, tokenizer: PairTokenizer) -> None:
    if reading.max_length - reading.overhead(tokenizer) - reading.max_question < 1:
        raise checkpoint.refusal(f"max_length {reading.max_length} leaves no room for a candidate beside the question")


def check_length(checkpoint: Checkpoint, max_length: int) -> None:
    """Beyond its table of positions a graph gives an error on one engine, and nonsense on another."""
    most = checkpoint.read_json(ENCODER).get(MAX_TOKENS)
    if type(most) is int and max_length > most:
        raise checkpoint.refusal(f"max_length {max_length} is more than the encoder reads, which is {most}")


def read_tokenizer(checkpoint: Checkpoint) -> PairTokenizer:
    """The one that the model was trained with, checked against the encoder's own settings."""
    shape = checkpoint.read_json(ENCODER)
    known = shape if isinstance(shape, dict) else {}
    sizes = [known.get(key) or 0 for key in ("vocab_size", "type_vocab_size", "pad_token_id")]
    if not known or not all(type(size) is int for size in sizes):
        raise checkpoint.refusal("not the configuration of an encoder", ENCODER)
    words, types, pad = sizes
    if not checkpoint.has(TOKENIZER):
        raise checkpoint.refusal("the tokenizer is missing", TOKENIZER)
    tokenizer = fitting_tokenizer(checkpoint.path(TOKENIZER), words, types, pad)
    if shape.get(VOCABULARY) not in (None, tokenizer.fingerprint):
        raise checkpoint.refusal("not the tokenizer that the model was trained with", TOKENIZER)
    return tokenizer
