"""A checkpoint: a folder that every command takes as a model. What is in it, under which names, and what runs it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anselm.checkpoints.checksums import verify
from anselm.errors import FormatError, InputError
from anselm.files import replace_file
from anselm.saved_json import check_regular, read_saved

CONFIG = "config.json"  # which model it is, its settings, and the terms of its weights
CALIBRATION = "calibration.json"
CARD = "README.md"
WEIGHTS = "model.safetensors"  # torch's
ENCODER, TOKENIZER = "encoder.json", "tokenizer.json"  # the shape of a pretrained encoder; its tokenizer
VOCABULARY = "vocabulary.txt"  # of a model over word vectors
STATISTICS = "statistics.json"  # of a lexical one
GRAPHS = "onnx"
GRAPH = f"{GRAPHS}/model.onnx"  # an exported model is one graph,
READER_GRAPH, ENCODER_GRAPH = f"{GRAPHS}/reader.onnx", f"{GRAPHS}/encoder.onnx"  # a blended one has two
ARRAYS = "arrays.npz"  # of one that is computed in numpy

VOCABULARY_SHA256 = "vocabulary_sha256"  # in CONFIG: another list of words may well fit, and mean other vectors

# What runs an exported checkpoint, as CONFIG says under "runtime"; each is a module of anselm.runtime.
PAIRS, WORDS, BLENDED, CASCADE, LATE = "pairs", "words", "blended", "cascade", "late"
RUNTIMES = (PAIRS, WORDS, BLENDED, CASCADE, LATE)


@dataclass(frozen=True)
class Checkpoint:
    """A folder whose configuration was read. The files that a model has besides are read by the model."""

    folder: Path
    model: str  # a name of the catalogue
    config: Mapping[str, Any] = field(default_factory=dict)  # settings of the model
    record: Mapping[str, Any] = field(default_factory=dict)  # all that CONFIG holds

    @classmethod
    def read(cls, folder: Path) -> Checkpoint:
        path = folder / CONFIG
        if not path.is_file():
            raise InputError(f"{folder} is not a checkpoint: there is no {CONFIG} in it")
        record = read_saved(path)
        if not isinstance(record, dict) or not isinstance(record.get("model"), str):
            raise FormatError(path, 'an object with a "model" is needed')
        if not isinstance(config := record.get("config", {}), dict):
            raise FormatError(path, f'"config" must be an object, not {config!r}')
        return cls(folder, record["model"], config, record)

    @classmethod
    def open(cls, folder: Path) -> Checkpoint:
        """As `read`, with all files verified: see checksums.py."""
        found = cls.read(folder)
        verify(folder)
        return found

    @property
    def terms(self) -> str:
        """Of the weights."""
        return str(self.record.get("terms", ""))

    @property
    def runtime(self) -> str | None:
        """What runs it without torch; None where it is not exported, and its model's own file scores."""
        if not self.has(ARRAYS) and not any((self.folder / GRAPHS).glob("*.onnx")):
            return None
        if (named := self.record.get("runtime")) is not None:
            if named not in RUNTIMES:
                raise self.refusal(f'the "runtime" is {named!r}, and there is {", ".join(RUNTIMES)}')
            return str(named)
        return self._runtime_of_files()

    def _runtime_of_files(self) -> str:
        """Of an export that was made before its configuration said so."""
        if self.has(VOCABULARY) or VOCABULARY_SHA256 in self.record:
            return WORDS
        return PAIRS if self.has(GRAPH) else BLENDED

    @property
    def has_weights(self) -> bool:
        """Whether it can be loaded into torch: an export that stands by itself cannot."""
        return self.has(WEIGHTS)

    @property
    def has_networks(self) -> bool:
        """Whether its graphs can become torch modules, to be computed on a device."""
        return self.runtime in (BLENDED, CASCADE)

    def path(self, name: str) -> Path:
        return self.folder / name

    def has(self, name: str) -> bool:
        """What has the name and is no file, such as a pipe, is refused."""
        if not os.path.lexists(path := self.path(name)):
            return False
        check_regular(path)
        return True

    def read_json(self, name: str) -> Any:
        if not self.has(name):
            raise self.refusal("the file is missing", name)
        return read_saved(self.path(name))

    def refusal(self, problem: object, name: str = CONFIG) -> FormatError:
        """What is wrong with one of its files."""
        return FormatError(self.path(name), str(problem))


def is_checkpoint(folder: Path) -> bool:
    """Whether a folder is one of ours: an encoder from elsewhere has a config.json as well, which names no model."""
    try:
        record = read_saved(folder / CONFIG)
    except InputError:
        return False
    return isinstance(record, dict) and "model" in record


def write_config(folder: Path, model: str, config: Mapping[str, Any], **more: Any) -> None:
    record = {"model": model, "config": dict(config), **more}
    replace_file(folder / CONFIG, (json.dumps(record, indent=2) + "\n").encode())


def name_runtime(folder: Path, runtime: str) -> None:
    """Say in the configuration what runs the graphs."""
    found = Checkpoint.read(folder)
    more = {key: value for key, value in found.record.items() if key not in ("model", "config")}
    write_config(folder, found.model, found.config, **{**more, "runtime": runtime})
