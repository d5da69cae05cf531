"""What tools/default_model/prepare_teaching.py wrote, on the device, and lists as flat arrays of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tools.default_model.teaching.rows import MOST, MOST_ASKED, Numbering, Row, Texts, pair_rows, text_rows


@dataclass(frozen=True)
class Lists:
    """Lists one after the other: texts of questions, units of candidates, and labels (-1 where nobody gave one)."""

    asked: np.ndarray  # (lists,)
    bounds: np.ndarray  # (lists + 1,)
    units: np.ndarray  # (pairs,)
    labels: np.ndarray  # (pairs,)

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self.bounds)

    @property
    def questions(self) -> np.ndarray:
        """(pairs,) texts"""
        return np.repeat(self.asked, self.sizes)

    def __len__(self) -> int:
        return len(self.asked)


def join(one: Lists, two: Lists) -> Lists:
    return Lists(
        np.concatenate([one.asked, two.asked]), np.concatenate([one.bounds, one.bounds[-1] + two.bounds[1:]]),
        np.concatenate([one.units, two.units]), np.concatenate([one.labels, two.labels]),
    )  # fmt: skip


def from_sizes(asked: np.ndarray, sizes: np.ndarray, units: np.ndarray, labels: np.ndarray) -> Lists:
    return Lists(
        asked.astype(np.int64), np.concatenate([[0], np.cumsum(sizes.astype(np.int64))]), units.astype(np.int64), labels
    )


class Data:
    """Texts and units; `numbering` is "small" or "large"."""

    def __init__(self, path: Path, device: str) -> None:
        self.file = np.load(path, allow_pickle=False)
        self.device = torch.device(device)
        lengths = self.file["lengths"].astype(np.int64)
        self.lengths, self.units = lengths, self.file["units"].astype(np.int64)
        self.texts = Texts(self._put(np.cumsum(lengths) - lengths), self._put(lengths))
        self.above, self.said = self._put(self.units[:, 0]), self._put(self.units[:, 1])
        flat = self._put(self.file["ids"].astype(np.int64))
        numbers = self._put(self.file["translation"].astype(np.int64))
        self.numberings = {"small": Numbering(101, 102, 1, 0, flat), "large": Numbering(0, 2, 2, 1, numbers[flat])}

    def _put(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def widths(self, lists: Lists, numbering: str) -> np.ndarray:
        """(pairs,) tokens"""
        question = np.minimum(self.lengths[lists.questions], MOST_ASKED)
        above, said = self.units[lists.units].T
        total = question + self.lengths[above] + self.lengths[said] + 2 + self.numberings[numbering].between
        return np.minimum(total, MOST)

    def rows(self, questions: np.ndarray, units: np.ndarray, numbering: str) -> Row:
        asked, which = self._put(questions), self._put(units)
        return pair_rows(self.texts, self.numberings[numbering], asked, self.above[which], self.said[which])

    def unit_rows(self, units: np.ndarray, numbering: str) -> Row:
        which = self._put(units)
        return text_rows(self.texts, self.numberings[numbering], self.above[which], self.said[which])

    def question_rows(self, questions: np.ndarray, numbering: str) -> Row:
        asked = self._put(questions)
        return text_rows(self.texts, self.numberings[numbering], torch.zeros_like(asked), asked)


def labelled_lists(file: np.lib.npyio.NpzFile) -> Lists:
    return from_sizes(file["asked"], file["sizes"], file["listed"], file["labels"].astype(np.float32))


def spread(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - sizes), sizes)


def steps(lists: Lists, widths: np.ndarray, budget: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """All lists in a random order, some for each step: so many that they hold about so many tokens."""
    total = np.add.reduceat(widths, lists.bounds[:-1])
    order = rng.permutation(len(lists))
    place = np.cumsum(total[order]) // budget
    yield from np.split(order, np.flatnonzero(np.diff(place)) + 1)
