"""What the teacher wrote down (teaching/scoring.py), read part by part while it is still writing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tools.default_model.teaching.arrays import Data, Lists, from_sizes, spread, steps
from tools.default_model.teaching.losses import log_shares, taught_loss

BLEND, ENTRIES = (0.572, 5.97), (0.25, 6.0)  # of the teacher's score and cosine, as the accurate model has them
LABELS = 0.3  # of the labels in what a labelled list is taught
CLOSE = 0.1
PRESENT, PRESENT_ENTRIES = (0.634, 6.4), (0.2, 6.0)  # of the present default's score and cosine
ENTRY_POOLS = ("manual entries", "manual short entries")
SENTENCE_POOLS = ("sentences", "headed")  # how the names of pools of sentences end


@dataclass(frozen=True)
class Care:
    """Of entries and texts, which a student got worse at: how much they count, a sentence being 1, and how much of what
    the present default thinks of them is mixed into what is taught."""

    count: float = 1.0
    present: float = 0.0


@dataclass(frozen=True)
class Lesson:
    """The pairs of a step. `owner` says which list a pair is of, `share` sums to 1 over each list."""

    questions: np.ndarray  # (pairs,) texts
    units: np.ndarray  # (pairs,)
    widths: np.ndarray  # (pairs,) tokens
    owner: Tensor  # (pairs,)
    count: int  # lists
    taught: Tensor  # (pairs,) the teacher's blended scores
    share: Tensor  # (pairs,)
    similar: Tensor  # (pairs,) cosines by the small encoder
    meant: Tensor  # (pairs,) cosines by the large one
    entry: Tensor  # (pairs,) whether a unit is an entry of a FAQ
    weight: Tensor  # (lists,) what each counts


class Lessons:
    """Once over all parts in the order of their writing; then again, as often as is asked for.

    `patient`: to wait for the next part rather than to repeat one.
    """

    def __init__(self, data: Data, folder: Path, budget: int, patient: bool, care: Care | None = None) -> None:
        self.data, self.folder, self.budget, self.patient = data, folder, budget, patient
        self.care = care or Care()
        self.rng = np.random.default_rng(11)
        self.parts: dict[Path, tuple[Lists, dict[str, np.ndarray]]] = {}
        self.entry, self.sentence = entry_units(data), sentence_units(data)
        self.fresh = 0  # pairs seen for the first time

    def __iter__(self) -> Iterator[Lesson]:
        while True:
            path = self._next()
            known = path in self.parts
            lists, columns = self.parts.get(path) or self.parts.setdefault(path, read_part(path))
            for some in steps(lists, self.data.widths(lists, "small"), self.budget, self.rng):
                lesson = self._lesson(lists, columns, some)
                self.fresh += 0 if known else len(lesson.units)
                yield lesson

    def _next(self) -> Path:
        while True:
            done = all_written(self.folder)
            new = [path for path in sorted(self.folder.glob("part[0-9][0-9][0-9].npz")) if path not in self.parts]
            if new:
                return new[0]
            if self.parts and (done or not self.patient):
                return list(self.parts)[self.rng.integers(len(self.parts))]
            time.sleep(1)

    def _lesson(self, lists: Lists, columns: dict[str, np.ndarray], some: np.ndarray) -> Lesson:
        pairs, put = spread(lists.bounds[some], lists.sizes[some]), self.data._put
        units, count = lists.units[pairs], len(some)
        entry = put(self.entry[units])
        score, meant, similar, labels = (put(columns[name][pairs]) for name in ("score", "large", "small", "labels"))
        taught = blended(score, meant, entry, BLEND, ENTRIES)
        if self.care.present:
            present = blended(put(columns["reader"][pairs]), similar, entry, PRESENT, PRESENT_ENTRIES)
            mixed = torch.where(put(self.sentence[units]), 0.0, self.care.present)
            taught = (1 - mixed) * taught + mixed * present
        owner = put(np.repeat(np.arange(count), lists.sizes[some]))
        weight = torch.where(put(self.sentence[lists.units[lists.bounds[some]]]), 1.0, self.care.count)
        share = mixed_shares(taught, labels, owner, count)
        questions = lists.questions[pairs]
        few = Lists(lists.asked[some], np.concatenate([[0], np.cumsum(lists.sizes[some])]), units, columns["labels"])
        widths = self.data.widths(few, "small")
        return Lesson(questions, units, widths, owner, count, taught, share, similar, meant, entry, weight)


def read_part(path: Path) -> tuple[Lists, dict[str, np.ndarray]]:
    with np.load(path) as file:
        names = ("score", "large", "small", "labels", "reader")
        columns = {name: file[name].astype(np.float32) for name in names if name in file.files}
        return from_sizes(file["asked"], file["sizes"], file["units"], columns["labels"]), columns


def all_written(folder: Path) -> bool:
    """Whether all runs of scoring.py that write there are over."""
    over = [path.name for path in folder.glob("done-*")]
    return bool(over) and len(over) == int(over[0].split("-")[-1])


def entry_units(data: Data) -> np.ndarray:
    """(units,)"""
    return data.file["entry"] if "entry" in data.file else units_of(data, lambda name: name in ENTRY_POOLS)


def sentence_units(data: Data) -> np.ndarray:
    """(units,)"""
    return units_of(data, lambda name: name.endswith(SENTENCE_POOLS))


def units_of(data: Data, wanted: Callable[[str], bool]) -> np.ndarray:
    """Whether each is of such a pool."""
    found = np.zeros(len(data.units), dtype=bool)
    for name, (start, end) in zip(data.file["pool_names"].tolist(), pairwise(data.file["pools"]), strict=True):
        found[start:end] = wanted(name)
    return found


def blended(
    score: Tensor, cosine: Tensor, entry: Tensor, texts: tuple[float, float], entries: tuple[float, float]
) -> Tensor:
    one, two = (torch.where(entry, entries[place], texts[place]) for place in (0, 1))
    return one * score + two * cosine


def mixed_shares(taught: Tensor, labels: Tensor, owner: Tensor, count: int) -> Tensor:
    """The teacher's softmax over each list, and where a list is labelled some of the labels."""
    share = log_shares(taught, owner, count, null=False)[0].exp()
    right = torch.zeros(count, device=taught.device).index_add(0, owner, labels.clamp(min=0))
    mixed = (1 - LABELS) * share + LABELS * labels.clamp(min=0) / right.clamp(min=1e-6)[owner]
    return torch.where((right > 0)[owner], mixed, share)


def lesson_loss(scores: Tensor, lesson: Lesson) -> Tensor:
    return taught_loss(scores, lesson.taught, lesson.share, lesson.owner, lesson.weight, CLOSE)


class Clock:
    """How much of a training is over, by its time or by its pairs, whichever is further on."""

    def __init__(self, seconds: float, pairs: float) -> None:
        self.seconds, self.pairs, self.start, self.seen = seconds, pairs, time.time(), 0

    @property
    def gone(self) -> float:
        return min(1.0, max((time.time() - self.start) / self.seconds, self.seen / self.pairs))

    def rate(self, steps: int, warm: int = 60) -> float:
        """What the learning rate is multiplied with: up for the first steps, down by half a cosine."""
        return min(1.0, steps / warm) * 0.5 * (1 + math.cos(math.pi * self.gone))


class Mean:
    """A running mean of weights."""

    def __init__(self, weights: list[Tensor], most: float = 0.998) -> None:
        self.weights, self.most, self.steps = [one.detach().clone() for one in weights], most, 0

    @torch.no_grad()
    def add(self, weights: list[Tensor]) -> None:
        self.steps += 1
        keep = min(self.most, self.steps / (self.steps + 10))
        torch._foreach_lerp_(self.weights, [one.detach() for one in weights], 1 - keep)
