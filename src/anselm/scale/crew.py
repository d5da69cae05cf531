"""Workers, and how tasks are shared out among them: each has one at a time, so that nothing piles up anywhere.

A worker that is lost (killed, out of memory, its machine gone) is replaced, and its task is done from the
beginning. A task that loses three workers, or fails three times for a reason that is not its input's, is given up.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from anselm.errors import AnselmError
from anselm.scale.tasks import Task

ATTEMPTS = 3


@dataclass(frozen=True)
class Advanced:
    """So many lists more."""

    lists: int


@dataclass(frozen=True)
class Done:
    result: Any


@dataclass(frozen=True)
class Refused:
    """Its input cannot be used; nobody else could."""

    error: AnselmError


@dataclass(frozen=True)
class Failed:
    """Something went wrong that may go right the next time. A worker that is `lost` has to be replaced."""

    reason: str
    lost: bool


Message = Advanced | Done | Refused | Failed


class Crew(Protocol):
    """Workers by their numbers, from 0."""

    size: int
    apart: bool  # whether they are other processes than this one

    def give(self, worker: int, task: Task) -> None: ...
    def wait(self) -> list[tuple[int, Message]]:
        """What has come from workers that have something to do; it may be nothing yet."""
        ...

    def replace(self, worker: int) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class Outcome:
    task: Task
    message: Done | Refused


def dispatch(crew: Crew, tasks: Iterable[Task]) -> Iterator[Outcome | Advanced]:
    """What comes of each task, in the order in which they end, and how far they are meanwhile."""
    source, again, busy = iter(tasks), deque[Task](), dict[int, Task]()
    failures: Counter[str] = Counter()

    def next_task() -> Task | None:
        return again.popleft() if again else next(source, None)

    def give(worker: int) -> None:
        if (task := next_task()) is not None:
            busy[worker] = task
            crew.give(worker, task)

    for worker in range(crew.size):
        give(worker)
    while busy:
        for worker, message in crew.wait():
            if isinstance(message, Advanced):
                yield message
                continue
            task = busy.pop(worker)
            if isinstance(message, Failed):
                if message.lost:
                    crew.replace(worker)
                failures[task.name] += 1
                if failures[task.name] < ATTEMPTS:
                    again.append(task)
                else:
                    yield Outcome(task, Refused(AnselmError(f"{task.name}: given up, {message.reason}")))
            else:
                yield Outcome(task, message)
            give(worker)
