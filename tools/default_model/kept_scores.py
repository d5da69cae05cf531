"""Scores that were written down before (teaching/tier_scores.py), as a scorer: nothing is read twice.

They are of the lists of verdict_lists.py, in its order. A checkpoint says how its signals are blended, and whether
another one reads first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anselm.checkpoints.blend import Config
from anselm.checkpoints.catalogue import DEFAULT, SHIPPED
from anselm.checkpoints.checkpoint import Checkpoint
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.runtime.cascade import Settings
from anselm.scorer import Scorer, Scores
from tools.default_model.verdict_lists import Part

Pair = tuple[str, str, str, bool]  # question, what is read of the candidate, what compared, whether it is an entry
WHOLE = "scores"
BY, ALONE = "_compared", "_alone"  # a cosine of what a candidate is compared by, and of its text alone
FIRST, SECOND = ("reader", "small"), ("score", "large")  # the default's signals, and the accurate model's


def pair_of(question: Question, candidate: Candidate) -> Pair:
    return question.text, candidate.content, candidate.compared, bool(candidate.question)


@dataclass(frozen=True)
class Kept:
    scores: Mapping[Pair, float]
    name: str = "kept scores"
    capacity: int | None = None
    pairwise: bool = True
    language: str | None = "English"

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [
            np.array([self.scores[pair_of(question, one)] for one in question.candidates]) for question in questions
        ]


@dataclass(frozen=True)
class InTurn:
    """The second one reads what the first one puts on top."""

    first: Scorer
    second: Scorer
    settings: Settings
    name: str = "kept scores, in turn"
    capacity: int | None = None
    pairwise: bool = False
    language: str | None = "English"

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [scores for scores, _ in self.settings.score(self.first, self.second, questions)]


def kept_scorer(path: Path, parts: Iterable[Part], checkpoint: Checkpoint) -> Scorer:
    """Of a file with `scores` these, else of one with signals what the checkpoint makes of them."""
    pairs = [pair_of(question, one) for part in parts for question in part.questions for one in question.candidates]
    with np.load(path, allow_pickle=False) as file:
        names = (WHOLE, *FIRST, *SECOND, *(name + other for name in (FIRST[1], SECOND[1]) for other in (BY, ALONE)))
        signals = {name: file[name].astype(np.float64) for name in names if name in file.files}
    if any(len(values) != len(pairs) for values in signals.values()):
        raise InputError(f"{path} is not of these lists, which have {len(pairs)} pairs")
    if WHOLE in signals:
        return Kept(dict(zip(pairs, signals[WHOLE].tolist(), strict=True)))
    if "cascade" not in checkpoint.record:
        return blend(pairs, signals, FIRST, checkpoint)
    first = blend(pairs, signals, FIRST, Checkpoint.read(SHIPPED / DEFAULT))
    return InTurn(first, blend(pairs, signals, SECOND, checkpoint), Settings.of(checkpoint))


def blend(
    pairs: Sequence[Pair], signals: Mapping[str, NDArray[np.float64]], names: tuple[str, str], checkpoint: Checkpoint
) -> Kept:
    config = Config.read(checkpoint)
    weights = np.where(np.array([entry for *_, entry in pairs])[:, None], config.entries, config.blend)
    scores = weights[:, 0] * signals[names[0]] + weights[:, 1] * similarity(pairs, signals, names[1], config)
    return Kept(dict(zip(pairs, scores.tolist(), strict=True)))


def similarity(
    pairs: Sequence[Pair], signals: Mapping[str, NDArray[np.float64]], name: str, config: Config
) -> NDArray[np.float64]:
    """As the runtime has it (runtime/blended.py)."""
    similar = signals[name + BY if config.paragraphs else name]
    if not config.answer_share:
        return similar
    entry = np.array([entry for *_, entry in pairs])
    mixed = (1 - config.answer_share) * similar + config.answer_share * signals[name + ALONE]
    return np.where(entry, mixed, similar)
