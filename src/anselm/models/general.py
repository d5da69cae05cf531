"""The general ranker: a cross-encoder that reads each pair, blended with how similar question and answer are.

    score = a r + 5 b s + 5 e (s - 0.3) max(0, ln((|a| + 1) / 16))

r is the cross-encoder's score, s the cosine of question and answer as an untouched encoder sees them, each read by
itself, and |a| the length of the answer in tokens, 254 at most. A cross-encoder that was fine-tuned on short facts is
best at those, and forgets what its encoder knew about long answers. So from 16 tokens on the similarity counts more,
the more the longer the answer is. What counts is how far it lies from 0.3, which is middling: being long by itself is
neither good nor bad. Where b and e are not negative, a higher similarity never lowers a score.

For answers of up to `long` tokens s comes from the cross-encoder's second head, which estimates it in the same pass;
only longer ones, and those to a question that the cross-encoder does not read to its end, are read a second time, by
the untouched encoder. The blend is fitted on dev lists of corpora that the cross-encoder was not trained on.

The reader may be cut into parts, so that hopeless candidates need not be read by all of its layers: runtime/exits.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.errors import FormatError, InputError

MODELS = {
    "general": {"kind": "transformer", "summary": "a cross-encoder blended with similarity, exported to run on a CPU"},
}

Numbers = NDArray[np.float64]

READER, ENCODER = Path("onnx") / "reader.onnx", Path("onnx") / "encoder.onnx"  # of a checkpoint

SHORT = 15  # tokens of an answer; from the next one on length counts. 5 to 19 came out alike on the dev lists
SIMILARITY = 5  # times a cosine is about as wide as a score
MIDDLING = 0.3  # similarity; 0.4 and 0.5 came out alike or worse on the dev lists


@dataclass(frozen=True)
class Config:
    max_length: int = 192  # tokens of a pair; longer candidates are scored in windows
    max_question: int = 64
    long: int = 64  # tokens of an answer from which on it is read a second time
    blend: tuple[float, float, float] = (1.0, 0.5, 0.0)  # a, b, e above
    exits: tuple[float, ...] = ()  # scores; below one, the layers from there on are left out (runtime/exits.py)

    @classmethod
    def read(cls, path: Path, record: Mapping[str, Any]) -> Config:
        known = {field.name: field.default for field in fields(cls)}
        if unknown := set(record) - set(known):
            raise FormatError(path, f"unknown settings: {', '.join(sorted(unknown))}")
        for name in ("max_length", "max_question", "long"):
            if type(value := record.get(name, known[name])) is not int or value < 1:
                raise FormatError(path, f"the setting {name!r} is {value!r}, which is no whole number above 0")
        blend, exits = (record.get(name, known[name]) for name in ("blend", "exits"))
        if not _are_numbers(blend) or len(blend) != 3:
            raise FormatError(path, f"the setting 'blend' is {blend!r}, which is no list of three numbers")
        if not _are_numbers(exits):
            raise FormatError(path, f"the setting 'exits' is {exits!r}, which is no list of numbers")
        config = cls(**{**record, "blend": tuple(map(float, blend)), "exits": tuple(map(float, exits))})
        if config.max_length - config.max_question < 4:  # three special tokens and one of the candidate
            raise FormatError(path, f"max_length {config.max_length} leaves no room for a candidate")
        return config


def reader_files(exits: int) -> list[Path]:
    """The parts of a reader, which has one more of them than exits."""
    return [READER, *(READER.with_name(f"reader-{part}.onnx") for part in range(2, exits + 2))]


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(
        type(number) in (int, float) and isfinite(number) for number in value
    )


def score_weights(config: Config) -> tuple[float, float]:
    """What relevance and similarity count in the score, whatever the length of the answer."""
    a, b, _ = config.blend
    return a, SIMILARITY * b


def blend_features(relevance: Numbers, similarity: Numbers, said: Numbers) -> Numbers:
    """What the three weights multiply; `said` are the lengths of the answers in tokens. (pairs, 3)"""
    excess = np.maximum(0, np.log((said + 1) / (SHORT + 1)))
    return np.stack([relevance, SIMILARITY * similarity, SIMILARITY * (similarity - MIDDLING) * excess], axis=1)


def load(name: str, config: Mapping[str, Any], folder: Path | None) -> Any:
    """The runtime runs it, from exported files; there is nothing else to load."""
    raise InputError(f"{name!r} is run from its exported files; it cannot be exported again")
