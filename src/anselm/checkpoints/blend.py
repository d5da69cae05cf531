"""What the checkpoint of a general ranker holds: two graphs, and the weights of its blend (models/general.py)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any

from anselm.checkpoints.checkpoint import Checkpoint

Blend = tuple[float, float]  # a, b of a r + b s


@dataclass(frozen=True)
class Config:
    max_length: int = 192  # tokens of a pair; longer candidates are scored in windows
    max_question: int = 64
    compared_whole: int = 254  # tokens of a text up to which it is compared with the question as a whole
    compared_window: int = 254  # tokens of a window of a longer one; of entries both are 254
    candidate_layers: int = 0  # of the cross-encoder, which is a narrowing one (layers/funnel.py) where it is not 0
    blend: Blend = (0.6, 6.0)
    entries: Blend = (0.2, 6.0)
    answer_share: float = 0.0  # of an entry's similarity, what is that of its answer alone
    paragraphs: bool = False  # sentences of documents are compared by the paragraphs that they stand in

    @classmethod
    def read(cls, checkpoint: Checkpoint) -> Config:
        record, known = checkpoint.config, {field.name: field.default for field in fields(cls)}
        if unknown := set(record) - set(known):
            names = ", ".join(sorted(unknown))
            raise checkpoint.refusal(
                f"unknown settings: {names}; made by another version of Anselm, it must be made again"
            )
        for name, least in {
            "max_length": 1,
            "max_question": 1,
            "compared_whole": 1,
            "compared_window": 1,
            "candidate_layers": 0,
        }.items():
            if type(value := record.get(name, known[name])) is not int or value < least:
                raise checkpoint.refusal(f"the setting {name!r} is {value!r}, which is no whole number from {least} on")
        try:
            blends = {name: read_blend(name, record.get(name, known[name])) for name in ("blend", "entries")}
        except ValueError as error:
            raise checkpoint.refusal(error) from None
        if not _is_number(share := record.get("answer_share", 0.0)) or not 0 <= share <= 1:
            raise checkpoint.refusal(f"the setting 'answer_share' is {share!r}, which is no number from 0 to 1")
        if type(paragraphs := record.get("paragraphs", False)) is not bool:
            raise checkpoint.refusal(f"the setting 'paragraphs' is {paragraphs!r}, which is neither true nor false")
        config = cls(**{**record, **blends})
        if config.max_length - config.max_question < 4:  # three special tokens and one of the candidate
            raise checkpoint.refusal(f"max_length {config.max_length} leaves no room for a candidate")
        return config


def read_blend(name: str, value: Any) -> Blend:
    if not isinstance(value, list | tuple) or len(value) != 2 or not all(map(_is_number, value)):
        raise ValueError(f"the setting {name!r} is {value!r}, which is no list of two numbers")
    return float(value[0]), float(value[1])


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and isfinite(value)
