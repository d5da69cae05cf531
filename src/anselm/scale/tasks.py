"""What a worker is given to do with its ranker. A task can be done again by another one, and gives the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from anselm.data.question import Question
from anselm.errors import FormatError
from anselm.ranking.bulk import ranked_lists, ranked_record
from anselm.ranking.ranker import Ranker
from anselm.scale.input_parts import Part
from anselm.scale.list_files import read_lists, write_lists
from anselm.scale.manifest import PartRecord, write_record
from anselm.scale.places import beside
from anselm.scale.repeats import pack_ids
from anselm.scorer import Scores, batched

Tell = Callable[[int], None]  # so many lists more are done
NAMED = 20  # records of a part that are named where they are skipped
STEP = 16  # lists after which a worker tells


class Task(Protocol):
    @property
    def name(self) -> str: ...
    def run(self, ranker: Ranker, tell: Tell) -> Any: ...


@dataclass(frozen=True)
class Equipment:
    """What a worker makes its ranker from."""

    model: str
    threads: int | None = None
    device: str | None = None

    def make(self) -> Ranker:
        return Ranker.load(self.model, threads=self.threads, device=self.device)


@dataclass(frozen=True)
class RankPart:
    """From one part of the input to one of the output."""

    part: Part
    folder: str
    top: int | None
    strict: bool
    respell: bool = True

    @property
    def name(self) -> str:
        return self.part.name

    def run(self, ranker: Ranker, tell: Tell) -> PartRecord:
        began, skipped, ids, pairs, lists = time.perf_counter(), list[FormatError](), list[str](), 0, 0
        questions = read_lists(self.part, None if self.strict else skipped.append)
        ranker = Ranker(ranker.scorer, ranker.calibration, ranker.name, self.respell)
        with write_lists(beside(self.folder, self.name)) as write:
            for question, ranking in ranked_lists(ranker, questions):
                write(ranked_record(question, ranking, self.top))
                lists, pairs = lists + 1, pairs + len(question.candidates)
                if self.part.stop is not None:
                    ids.append(question.id)
                if lists % STEP == 0:
                    tell(STEP)
            named = tuple(map(str, skipped[:NAMED]))
            seconds = time.perf_counter() - began
            facts = (lists, pairs, round(seconds, 3), len(skipped), named, self.part.version)
            record = PartRecord(self.name, *facts, pack_ids(ids))
            write_record(self.folder, record)  # before the part appears
        tell(lists % STEP)
        return record


@dataclass(frozen=True)
class ScoreLists:
    """Some lists of many, by their number."""

    number: int
    questions: tuple[Question, ...]

    @property
    def name(self) -> str:
        return str(self.number)

    def run(self, ranker: Ranker, tell: Tell) -> list[Scores]:
        return ranker.scorer.score(self.questions)


def score_tasks(questions: Sequence[Question], size: int) -> Iterator[ScoreLists]:
    for number, some in enumerate(batched(questions, size)):
        yield ScoreLists(number, tuple(some))
