"""An exported cross-encoder as a scorer. It scores each pair by itself: the one signal of its graph is the score."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anselm.checkpoints.catalogue import read_config
from anselm.data.question import Question
from anselm.encoding.limits import Reading
from anselm.encoding.lists import encode_lists, window_candidates
from anselm.encoding.tokenizer import MAX_TOKENS, VOCABULARY, PairTokenizer, fitting_tokenizer
from anselm.errors import FormatError
from anselm.files import read_json
from anselm.runtime.engines import Engine, check_signals, open_engine
from anselm.runtime.rows import lay_out, run_rows
from anselm.scorer import Scores

MODEL = Path("onnx") / "model.onnx"
BUDGET = 1_024  # tokens of a batch; 512 to 2,048 were about equally fast


class Exported:
    """One checkpoint folder that holds `onnx/model.onnx`."""

    capacity: int | None = 200
    language: str | None = None

    def __init__(self, name: str, folder: Path, reading: Reading, tokenizer: PairTokenizer, engine: Engine) -> None:
        self.name, self.folder, self.reading = name, folder, reading
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
        check_signals(self.folder / MODEL, signals, 1)
        best = np.full(len(lists.labels), -np.inf)
        np.maximum.at(best, owner, signals[place, 0])
        return np.split(best, lists.bounds[1:-1])

    def save(self, folder: Path) -> None:
        (folder / MODEL).parent.mkdir(exist_ok=True)
        for file in ("config.json", "encoder.json", "tokenizer.json", MODEL):
            shutil.copyfile(self.folder / file, folder / file)


def load_exported(folder: Path, threads: int | None = None) -> Exported:
    path = folder / "config.json"
    record = read_config(path)
    reading = read_settings(path, record["config"])
    tokenizer = read_tokenizer(folder)
    if reading.max_length - reading.overhead(tokenizer) - reading.max_question < 1:
        raise FormatError(path, f"max_length {reading.max_length} leaves no room for a candidate beside the question")
    check_length(path, reading.max_length)
    return Exported(record["model"], folder, reading, tokenizer, open_engine(folder / MODEL, threads))


def read_settings(path: Path, config: Mapping[str, Any]) -> Reading:
    """Training writes out all of them, so one that is missing is a sign of damage."""
    kinds: dict[str, type] = {"max_length": int, "max_question": int, "title": bool, "neighbours": int}
    for name, kind in kinds.items():
        if type(config.get(name)) is not kind or config[name] < 0:
            raise FormatError(path, f"the setting {name!r} is {config.get(name)!r}, which is no {kind.__name__}")
    return Reading(**{name: config[name] for name in kinds})


def check_length(path: Path, max_length: int) -> None:
    """Beyond its table of positions a graph gives an error on one engine, and nonsense on another."""
    most = read_json(path.with_name("encoder.json")).get(MAX_TOKENS)
    if type(most) is int and max_length > most:
        raise FormatError(path, f"max_length {max_length} is more than the encoder reads, which is {most}")


def read_tokenizer(folder: Path) -> PairTokenizer:
    """The one that the model was trained with, checked against the encoder's own settings."""
    shape = read_json(folder / "encoder.json")
    known = shape if isinstance(shape, dict) else {}
    sizes = [known.get(key) or 0 for key in ("vocab_size", "type_vocab_size", "pad_token_id")]
    if not known or not all(type(size) is int for size in sizes):
        raise FormatError(folder / "encoder.json", "not the configuration of an encoder")
    words, types, pad = sizes
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise FormatError(path, "the tokenizer is missing")
    tokenizer = fitting_tokenizer(path, words, types, pad)
    if shape.get(VOCABULARY) not in (None, tokenizer.fingerprint):
        raise FormatError(path, "not the tokenizer that the model was trained with")
    return tokenizer
