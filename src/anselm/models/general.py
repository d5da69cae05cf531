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
    long: int = 64  # tokens of an answer; what is longer is read a second time
    candidate_layers: int = 0  # of the cross-encoder, which is a narrowing one (layers/funnel.py) where it is not 0
    blend: tuple[float, float, float] = (1.0, 0.5, 0.0)  # a, b, e above

    @classmethod
    def read(cls, path: Path, record: Mapping[str, Any]) -> Config:
        known = {field.name: field.default for field in fields(cls)}
        if unknown := set(record) - set(known):
            names = ", ".join(sorted(unknown))
            raise FormatError(
                path, f"unknown settings: {names}; made by another version of Anselm, it must be made again"
            )
        for name, least in {"max_length": 1, "max_question": 1, "long": 1, "candidate_layers": 0}.items():
            if type(value := record.get(name, known[name])) is not int or value < least:
                raise FormatError(path, f"the setting {name!r} is {value!r}, which is no whole number from {least} on")
        blend = record.get("blend", known["blend"])
        if not isinstance(blend, list | tuple) or len(blend) != 3 or not all(map(_is_number, blend)):
            raise FormatError(path, f"the setting 'blend' is {blend!r}, which is no list of three numbers")
        config = cls(**{**record, "blend": tuple(map(float, blend))})
        if config.max_length - config.max_question < 4:  # three special tokens and one of the candidate
            raise FormatError(path, f"max_length {config.max_length} leaves no room for a candidate")
        return config


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and isfinite(value)


def blend_features(relevance: Numbers, similarity: Numbers, said: Numbers) -> Numbers:
    """What the three weights multiply; `said` are the lengths of the answers in tokens. (pairs, 3)"""
    excess = np.maximum(0, np.log((said + 1) / (SHORT + 1)))
    return np.stack([relevance, SIMILARITY * similarity, SIMILARITY * (similarity - MIDDLING) * excess], axis=1)


def load(name: str, config: Mapping[str, Any], folder: Path | None) -> Any:
    """The runtime runs it, from exported files; there is nothing else to load."""
    raise InputError(f"{name!r} is run from its exported files; it cannot be exported again")
