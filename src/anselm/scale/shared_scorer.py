"""A scorer whose lists are shared out among processes, for what wants scores and no files: `anselm evaluate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from anselm.data.question import Question
from anselm.errors import InputError
from anselm.ranking.given import check_count
from anselm.scale.crew import Advanced, Refused, dispatch
from anselm.scale.local_crew import LocalCrew
from anselm.scale.tasks import score_tasks
from anselm.scorer import BATCH, Scores

SHARE = 8  # lists that a worker is given at once
ROUNDS = 8  # of them for each worker, before the slowest is waited for


class SharedScorer:
    """Use it as a context manager, or `close` it."""

    capacity: int | None = None
    pairwise = False  # nobody asks the model itself
    language: str | None = None

    def __init__(self, model: str, workers: int, devices: tuple[str, ...] = ()) -> None:
        check_count("workers", workers)
        self.name = model
        share = BATCH if devices else SHARE
        self._share, self.lists_at_once = share, share * ROUNDS * workers
        self._crew = LocalCrew(workers, model, devices)

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        found: dict[int, list[Scores]] = {}
        tasks = list(score_tasks(questions, self._share))
        for event in dispatch(self._crew, tasks):
            if isinstance(event, Advanced):
                continue
            if isinstance(event.message, Refused):
                raise event.message.error
            found[int(event.task.name)] = event.message.result
        return [row for number in range(len(tasks)) for row in found[number]]

    def save(self, folder: Path) -> None:
        raise InputError(f"{self.name} is in other processes; load it to save it")

    def close(self) -> None:
        self._crew.close()

    def __enter__(self) -> SharedScorer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
