"""Lists by hand, files of them, and what one process makes of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anselm.data.formats.jsonl import question_to_json
from anselm.data.question import Candidate, Question
from anselm.errors import AnselmError
from anselm.ranking.bulk import rank_file
from anselm.ranking.ranker import Ranker
from anselm.scale.crew import Advanced, Done, Failed, Message, Refused
from anselm.scale.tasks import Task

WOODS = ("elm", "oak", "ash", "a beech é", "pine wood")


def lists(count: int, first: int = 0) -> list[Question]:
    return [
        Question(f"q{i}", f"oak or {WOODS[i % 5]} {i}?", tuple(Candidate(f"c{j}", WOODS[j]) for j in range(2 + i % 4)))
        for i in range(first, first + count)
    ]


def line(question: Question) -> str:
    return json.dumps(question_to_json(question), ensure_ascii=False) + "\n"


def write(path: Path, lines: Sequence[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(lines).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def read(path: Path) -> list[dict[str, Any]]:
    content = path.read_bytes()
    plain = gzip.decompress(content) if path.suffix == ".gz" else content
    return [json.loads(one) for one in plain.decode().splitlines()]


def read_all(folder: Path) -> dict[str, dict[str, Any]]:
    """Every list by its id, of whichever part; each is there once."""
    found = [record for path in sorted(folder.glob("*.jsonl*")) for record in read(path)]
    assert len({record["id"] for record in found}) == len(found)
    return {record["id"]: record for record in found}


def ranked_at_once(questions: Sequence[Question], folder: Path, model: str = "bm25") -> dict[str, dict[str, Any]]:
    """By one process, from one file to one file."""
    rank_file(Ranker.load(model, threads=1), questions, folder / "once.jsonl", overwrite=True)
    return {record["id"]: record for record in read(folder / "once.jsonl")}


class OneWorker:
    """A crew without processes; it is lost at the tasks that are named, so many times."""

    apart = False

    def __init__(self, model: str = "bm25", lost: dict[str, int] | None = None, size: int = 1) -> None:
        self.ranker, self.lost, self.size = Ranker.load(model), dict(lost or {}), size
        self.given: list[str] = []
        self.replaced = 0
        self.closed = False
        self._tasks: dict[int, Task] = {}

    def give(self, worker: int, task: Task) -> None:
        self.given.append(task.name)
        self._tasks[worker] = task

    def wait(self) -> list[tuple[int, Message]]:
        worker, task = self._tasks.popitem()
        if self.lost.get(task.name):
            self.lost[task.name] -= 1
            return [(worker, Failed("its worker is gone", lost=True))]
        told: list[tuple[int, Message]] = []
        try:
            result = task.run(self.ranker, lambda count: told.append((worker, Advanced(count))))
        except AnselmError as error:
            return [*told, (worker, Refused(error))]
        return [*told, (worker, Done(result))]

    def replace(self, worker: int) -> None:
        self.replaced += 1

    def close(self) -> None:
        self.closed = True
