"""Workers as processes on this machine, each with a ranker of its own and its share of the cores or GPUs."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Any

from anselm.errors import AnselmError
from anselm.machine import SHARES, return_freed_memory, usable_cores
from anselm.scale.crew import Advanced, Done, Failed, Message, Refused
from anselm.scale.tasks import Equipment, Task

PATIENCE = 10.0  # seconds that a worker is given to end


class LocalCrew:
    apart = True

    def __init__(self, size: int, model: str, devices: tuple[str, ...] = ()) -> None:
        """`devices`: those that the workers take turns to compute on; none: the runtime."""
        threads = max(1, usable_cores() // size)
        self.size = size
        self._equipment = [
            Equipment(model, threads, devices[worker % len(devices)] if devices else None) for worker in range(size)
        ]
        self._context = get_context("spawn")
        self._links: dict[int, Connection] = {}
        self._processes: dict[int, Any] = {}
        self._busy: set[int] = set()
        for worker in range(size):
            self._start(worker)

    def _start(self, worker: int) -> None:
        here, there = self._context.Pipe()
        process = self._context.Process(target=work, args=(there, self._equipment[worker]), daemon=True)
        process.start()
        there.close()  # else its end would not be seen
        self._links[worker], self._processes[worker] = here, process

    def give(self, worker: int, task: Task) -> None:
        self._busy.add(worker)
        with suppress(OSError):  # it is gone, which `wait` will tell
            self._links[worker].send(task)

    def wait(self) -> list[tuple[int, Message]]:
        links = {self._links[worker]: worker for worker in self._busy}
        found = [(links[link], self._receive(links[link])) for link in wait(list(links)) if link in links]
        self._busy -= {worker for worker, message in found if not isinstance(message, Advanced)}
        return found

    def _receive(self, worker: int) -> Message:
        try:
            message: Message = self._links[worker].recv()
        except (EOFError, OSError):
            self._processes[worker].join(PATIENCE)
            return Failed(f"its worker ended with exit code {self._processes[worker].exitcode}", lost=True)
        return message

    def replace(self, worker: int) -> None:
        self._links[worker].close()
        self._start(worker)

    def close(self) -> None:
        """At once: what was not finished is not there."""
        for link in self._links.values():
            link.close()
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            process.join(PATIENCE)


def work(link: Connection, equipment: Equipment) -> None:
    """The life of a worker. It ends with the process that started it, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for that one
    if equipment.threads:
        os.environ.update(dict.fromkeys(SHARES, str(equipment.threads)))
    Thread(target=leave_with_parent, daemon=True).start()
    return_freed_memory()
    ranker = None
    while True:
        try:
            task = link.recv()
        except (EOFError, OSError):
            return
        try:
            ranker = ranker or equipment.make()
            message: Message = Done(task.run(ranker, lambda lists: link.send(Advanced(lists))))
        except AnselmError as error:
            message = Refused(error)
        except Exception as error:  # a store that does not answer, say
            message = Failed(f"{type(error).__name__}: {error}", lost=False)
        try:
            link.send(message)
        except OSError:
            return


def leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
