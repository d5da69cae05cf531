"""The parts of corpora that a recipe names, as lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from anselm.data.datasets import Dataset, load_dataset
from anselm.data.question import Question
from anselm.experiments.schema import Part

Load = Callable[[Part], Dataset]


@lru_cache(maxsize=64)
def load_part(part: Part, data_dir: Path | None = None) -> Dataset:
    found = load_dataset(part.data, part.split, part.protocol, data_dir)
    if part.lists is None and part.candidates is None:
        return found
    shown = tuple(shorten(question, part.candidates) for question in found.questions[: part.lists])
    return replace(found, questions=shown)


def shorten(question: Question, most: int | None) -> Question:
    """All relevant candidates, and the first of the others up to so many in all, in the order of the source."""
    order = sorted(range(len(question.candidates)), key=lambda i: not question.candidates[i].relevant)
    relevant = sum(candidate.relevant for candidate in question.candidates)
    kept = sorted(order if most is None else order[: max(most, relevant)])
    return replace(question, candidates=tuple(question.candidates[i] for i in kept))


@lru_cache(maxsize=64)
def parts_sha256(parts: tuple[Part, ...], data_dir: Path | None = None) -> str:
    """Of the lists of some parts together."""
    return join_parts(parts, lambda part: load_part(part, data_dir)).sha256


def join_parts(parts: Sequence[Part], load: Load) -> Dataset:
    """Several parts as one training set; ids are prefixed where there are several, since corpora share them."""
    loaded = [load(part) for part in parts]
    if len(loaded) == 1:
        return loaded[0]
    lists = tuple(replace(q, id=f"{data.name}/{data.split}/{q.id}") for data in loaded for q in data)
    names = " ".join(dict.fromkeys(data.name for data in loaded))
    return Dataset(names, "several", "several", lists)
