"""Workers as actors of Ray, on as many machines as its cluster has; each makes its ranker where it runs.

RAY_ADDRESS names a cluster; without it one is started on this machine. Anselm, its extra `scale` and the model have to
be installed on every machine, and places to be reachable from each.
"""

from __future__ import annotations

import logging
import os
from typing import Any

from anselm.errors import AnselmError, MissingExtraError
from anselm.scale.crew import Advanced, Done, Failed, Message, Refused
from anselm.scale.tasks import Equipment, Task

TICK = 0.5  # seconds between two looks at how far the workers are


class Actor:
    """One worker, with two threads: one works, the other says how far."""

    def __init__(self, equipment: Equipment) -> None:
        self._equipment, self._ranker, self._lists = equipment, None, 0

    def run(self, task: Task) -> Message:
        try:
            if self._ranker is None:
                self._ranker = self._equipment.make()  # type: ignore[assignment]
            return Done(task.run(self._ranker, self._tell))  # type: ignore[arg-type]
        except AnselmError as error:
            return Refused(error)
        except Exception as error:  # a store that does not answer, say
            return Failed(f"{type(error).__name__}: {error}", lost=False)

    def _tell(self, lists: int) -> None:
        self._lists += lists

    def lists(self) -> int:
        return self._lists

    def process(self) -> int:
        return os.getpid()


class RayCrew:
    apart = True

    def __init__(self, workers: int | None, most: int, model: str, device: str | None = None, threads: int = 1) -> None:
        """So many `workers`, or one for each core of the cluster; `most` is how many can have something to do."""
        self._ray = start_ray()
        total = self._ray.cluster_resources()
        self.size = min(most, workers or max(1, int(total.get("CPU", 1)) // threads))
        gpus = total.get("GPU", 0) / self.size if device and device.startswith("cuda") else 0
        share = {"num_cpus": threads, "num_gpus": min(1, gpus), "max_concurrency": 2, "max_restarts": 0}
        self._make = self._ray.remote(Actor).options(**share).remote
        self._equipment = Equipment(model, threads, device)
        self._actors = {worker: self._make(self._equipment) for worker in range(self.size)}
        self._running: dict[Any, int] = {}
        self._told: dict[int, int] = dict.fromkeys(range(self.size), 0)

    def give(self, worker: int, task: Task) -> None:
        self._running[self._actors[worker].run.remote(task)] = worker

    def wait(self) -> list[tuple[int, Message]]:
        ready, _ = self._ray.wait(list(self._running), timeout=TICK)
        found: list[tuple[int, Message]] = [*self._advances()]
        return found + [(self._running.pop(one), self._receive(one)) for one in ready]

    def _receive(self, one: Any) -> Message:
        try:
            message: Message = self._ray.get(one)
        except self._ray.exceptions.RayError as error:
            return Failed(f"its worker is gone ({type(error).__name__})", lost=True)
        return message

    def _advances(self) -> list[tuple[int, Message]]:
        """How far those are that are at work; one that is gone says nothing."""
        asked = {self._actors[worker].lists.remote(): worker for worker in set(self._running.values())}
        ready, _ = self._ray.wait(list(asked), num_returns=len(asked), timeout=TICK)
        found: list[tuple[int, Message]] = []
        for one in ready:
            try:
                lists = self._ray.get(one)
            except self._ray.exceptions.RayError:
                continue
            worker = asked[one]
            if lists > self._told[worker]:
                found.append((worker, Advanced(lists - self._told[worker])))
                self._told[worker] = lists
        return found

    def replace(self, worker: int) -> None:
        self._ray.kill(self._actors[worker])
        self._actors[worker], self._told[worker] = self._make(self._equipment), 0

    def close(self) -> None:
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._ray.shutdown()


def start_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers how it is used
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else it warns of what comes
    try:
        import ray
    except ImportError:
        raise MissingExtraError("--engine ray", "ray") from None
    if not ray.is_initialized():
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    return ray
