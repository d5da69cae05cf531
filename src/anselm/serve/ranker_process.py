"""A ranker process: it loads the models, and reads what the HTTP process sends it, batch after batch.

A batch is a list of calls (model, method, payload); the answer has one outcome for each, in the same order.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm import Question, Ranker
from anselm.abilities import Encodes, HasStages, gauge_of
from anselm.errors import AnselmError
from anselm.machine import SHARES
from anselm.ranking.figures import draw_figures, has_figures
from anselm.ranking.respelling import cut_of
from anselm.ranking.torch_devices import VARIABLE as DEVICE
from anselm.scorer import Figure

Call = tuple[str, str, Any]


@dataclass(frozen=True)
class ProcessSettings:
    """What a ranker process is made with: models by name and source, and what they may compute with."""

    sources: tuple[tuple[str, str], ...]
    threads: int
    device: str | None = None


@dataclass(frozen=True)
class Description:
    """What the HTTP process has to know of a model without loading it."""

    name: str
    capacity: int | None
    pairwise: bool
    language: str | None
    vectors: bool  # whether it compares texts by meaning
    calibration: Any  # what `Ranker` takes
    window: int | None  # tokens of question and document together that are read at once; None: all
    figures: bool = False  # whether it has something to show of a list
    rule: Any = None  # of two models in turn: what joins their scores, by rule.score(first, second, questions)
    stages: tuple[Description, ...] = ()  # these models, which can be called as others are


@dataclass(frozen=True)
class Scored:
    """Raw scores of one list, or of a part of it."""

    scores: NDArray[np.float64]
    tokens: int
    windowed: tuple[int, ...]  # candidates that did not fit and were read in windows
    question_cut: int | None = None  # how many characters of the question were read, if not all


@dataclass(frozen=True)
class Outcome:
    """A value, or the kind of the error; its message may hold texts."""

    value: Any = None
    error: str | None = None


@dataclass(frozen=True)
class Answer:
    outcomes: tuple[Outcome, ...]
    seconds: float


class LoadedModel:
    """One model, and the methods by which the HTTP process calls it."""

    def __init__(self, name: str, ranker: Ranker) -> None:
        self.name, self.ranker, self.gauge = name, ranker, gauge_of(ranker.scorer)

    def describe(self) -> Description:
        scorer = self.ranker.scorer
        return Description(
            self.name, scorer.capacity, scorer.pairwise, scorer.language, isinstance(scorer, Encodes),
            self.ranker.calibration, self.gauge.window, has_figures(scorer), *self._in_turn(),
        )  # fmt: skip

    def stages(self) -> list[LoadedModel]:
        """Of two models in turn, each by itself: so that long lists are read in slices."""
        scorer = self.ranker.scorer
        models = scorer.stages()[1] if isinstance(scorer, HasStages) else ()
        rankers = [Ranker(one, respell=False) for one in models]
        return [LoadedModel(f"{self.name}/{number}", one) for number, one in enumerate(rankers, start=1)]

    def _in_turn(self) -> tuple[Any, tuple[Description, ...]]:
        if not isinstance(scorer := self.ranker.scorer, HasStages):
            return None, ()
        return scorer.stages()[0], tuple(one.describe() for one in self.stages())

    def score(self, questions: Sequence[Question]) -> list[Scored]:
        found = self.ranker.scorer.score(questions)
        return [self._scored(question, scores) for question, scores in zip(questions, found, strict=True)]

    def _scored(self, question: Question, scores: NDArray[np.float64]) -> Scored:
        asked, *lengths = self.gauge.lengths([question.text, *(one.content for one in question.candidates)])
        room = self.gauge.room(asked)
        windowed = (place for place, length in enumerate(lengths) if length > room)
        cut = cut_of(self.ranker.scorer, question.text)
        return Scored(scores, sum(lengths) + asked * len(lengths), tuple(windowed), cut)

    def vectors(self, texts: list[str]) -> NDArray[np.float32]:
        scorer: Any = self.ranker.scorer
        return np.asarray(scorer.text_vectors(texts), dtype=np.float32)

    def cut(self, payload: tuple[list[str], int]) -> list[str]:
        """Texts up to so many tokens; of a model without tokens, words."""
        texts, limit = payload
        return [self.gauge.cut(text, limit) for text in texts]

    def explain(self, payload: tuple[Question, int]) -> dict[int, Any]:
        """Which words carried the scores of the first so many, by their places."""
        question, top = payload
        ranking = self.ranker.rank(question.text, question.candidates, top, explain=True)
        return {result.index: result.explanation for result in ranking}

    def figures(self, payload: tuple[Question, int]) -> tuple[Figure, ...]:
        question, place = payload
        return draw_figures(self.ranker.scorer, question, place, self.name)


def run(link: Connection, settings: ProcessSettings) -> None:
    """The life of a ranker process. It ends when the HTTP process does, or says so; signals are for that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.environ.update(dict.fromkeys(SHARES, str(settings.threads)))
    if settings.device is not None:  # for whichever of the models has weights for it
        os.environ[DEVICE] = settings.device
    try:
        models = {
            name: LoadedModel(
                name, Ranker.load(one, threads=settings.threads, respell=False)
            )  # done before it comes here
            for name, one in settings.sources
        }
    except AnselmError as error:
        link.send(error)
        return
    link.send([model.describe() for model in models.values()])
    models |= {stage.name: stage for model in models.values() for stage in model.stages()}
    while (calls := receive(link)) is not None:
        began = time.perf_counter()
        outcomes = read_batch(models, calls)
        link.send(Answer(tuple(outcomes), time.perf_counter() - began))


def receive(link: Connection) -> list[Call] | None:
    try:
        calls: list[Call] | None = link.recv()
    except (EOFError, OSError):
        return None
    return calls


def read_batch(models: dict[str, LoadedModel], calls: Sequence[Call]) -> list[Outcome]:
    """Lists to be scored by one model go together; where that fails, and else, one by one."""
    outcomes: dict[int, Outcome] = {}
    for name, model in models.items():
        places = [place for place, call in enumerate(calls) if call[:2] == (name, "score")]
        if len(places) > 1:
            together = attempt(model, "score", [calls[place][2] for place in places])
            if together.error is None:
                outcomes |= {place: Outcome(one) for place, one in zip(places, together.value, strict=True)}
    for place, (name, method, payload) in enumerate(calls):
        if place not in outcomes:
            outcomes[place] = call_one(models[name], method, payload)
    return [outcomes[place] for place in range(len(calls))]


def call_one(model: LoadedModel, method: str, payload: Any) -> Outcome:
    if method != "score":
        return attempt(model, method, payload)
    found = attempt(model, method, [payload])
    return found if found.error else replace(found, value=found.value[0])


def attempt(model: LoadedModel, method: str, payload: Any) -> Outcome:
    """What a model says. Input was checked before it came here, so whatever fails is our fault."""
    try:
        return Outcome(getattr(model, method)(payload))
    except Exception as error:  # whatever a library raises: the process goes on with the next
        return Outcome(error=type(error).__name__)
