"""The general ranker: a cross-encoder that reads each pair, blended with how similar question and answer are.

    score = a r + 5 s (b + c ln((|q| + 1) / 12.2) + d ln((|a| + 1) / 33.1))

r is the cross-encoder's score, s the cosine of question and answer as the untouched encoder sees them, each read by
itself, and |q|, |a| their lengths in tokens (12.2 and 33.1 are e^2.5 and e^3.5, about the middle of what was seen). A
cross-encoder that was fine-tuned on short facts is best at those, and forgets what its encoder knew about long answers;
there the similarity knows more. So its weight is learned, and depends on the lengths.

For answers of up to `long` tokens s comes from the cross-encoder's second head, which estimates it in the same pass;
only longer ones are read a second time, by the untouched encoder. The blend is fitted on dev lists of corpora that the
cross-encoder was not trained on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.errors import FormatError, InputError

MODELS = {
    "general": {"kind": "transformer", "summary": "a cross-encoder blended with similarity, exported to run on a CPU"},
}

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Config:
    max_length: int = 192  # tokens of a pair; longer candidates are scored in windows
    max_question: int = 64
    long: int = 64  # tokens of an answer from which on it is read a second time
    blend: tuple[float, float, float, float] = (1.0, 0.5, 0.0, 0.0)  # a, b, c, d above

    @classmethod
    def read(cls, path: Path, record: Mapping[str, Any]) -> Config:
        known = {field.name: field.default for field in fields(cls)}
        if unknown := set(record) - set(known):
            raise FormatError(path, f"unknown settings: {', '.join(sorted(unknown))}")
        for name in ("max_length", "max_question", "long"):
            if type(value := record.get(name, known[name])) is not int or value < 1:
                raise FormatError(path, f"the setting {name!r} is {value!r}, which is no whole number above 0")
        blend = record.get("blend", known["blend"])
        if (
            not isinstance(blend, list | tuple)
            or len(blend) != 4
            or not all(type(weight) in (int, float) for weight in blend)
        ):
            raise FormatError(path, f"the setting 'blend' is {blend!r}, which is no list of four numbers")
        config = cls(**{**record, "blend": tuple(map(float, blend))})
        if config.max_length - config.max_question < 4:  # three special tokens and one of the candidate
            raise FormatError(path, f"max_length {config.max_length} leaves no room for a candidate")
        return config


def blend_features(relevance: Numbers, similarity: Numbers, asked: Numbers, said: Numbers) -> Numbers:
    """What the four weights multiply; `asked` and `said` are the lengths of the two texts in tokens. (pairs, 4)"""
    question, answer = np.log(asked + 1) - 2.5, np.log(said + 1) - 3.5
    return np.stack([relevance, 5 * similarity, 5 * similarity * question, 5 * similarity * answer], axis=1)


def load(name: str, config: Mapping[str, Any], folder: Path | None) -> Any:
    """The runtime runs it, from exported files; there is nothing else to load."""
    raise InputError(f"{name!r} is run from its exported files; it can be neither exported again nor trained further")
