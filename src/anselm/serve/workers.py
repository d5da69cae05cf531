"""Ranker processes and their keepers: a thread for each, which starts it, feeds it, and replaces it when it dies."""

from __future__ import annotations

import logging
import multiprocessing
import time
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from threading import Event, Thread
from typing import Any

from anselm.errors import AnselmError, InputError
from anselm.serve.counters import Counters
from anselm.serve.queue import FairQueue, Slice
from anselm.serve.ranker_process import Answer, Description, ProcessSettings, run
from anselm.serve.refusals import Refusal

logger = logging.getLogger("anselm.serve")
LOADING = 300.0  # seconds that a process may take to load its models
TRIES = 3  # processes that may die before one has loaded its models for the first time
PAUSE, LONGEST_PAUSE = 0.1, 10.0  # seconds before a process that died is replaced; doubled while that does not help


class Died(Exception):
    """The process has gone, or does not answer."""


class Keeper:
    """One ranker process at a time, fed from the queue by a thread."""

    def __init__(
        self, number: int, settings: ProcessSettings, queue: FairQueue, counters: Counters, budget: int, patience: float
    ) -> None:
        self.number, self.settings = number, settings
        self.queue, self.counters, self.budget, self.patience = queue, counters, budget, patience
        self.ready, self.settled, self.stopping = Event(), Event(), Event()
        self.descriptions: list[Description] = []
        self.problem: AnselmError | None = None  # of the models, at the start
        self.restarts = 0
        self.process: SpawnProcess | None = None
        self._thread = Thread(target=self._live, name=f"keeper-{number}", daemon=True)

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process else None

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """After the queue is closed: what is being read is waited for, within bounds."""
        self.stopping.set()
        self._thread.join(seconds)
        if self.process and self.process.is_alive():
            self.process.kill()
        self._thread.join(5)

    def _live(self) -> None:
        pause = PAUSE
        while not self.stopping.is_set():
            began = time.monotonic()
            try:
                self._serve()
                return  # the queue is closed
            except Died:
                self.restarts += 1
                if self.restarts == TRIES and not self.descriptions:
                    self.problem = InputError("the ranker processes die while they load the models; is memory short?")
                    self.settled.set()
                if self.stopping.is_set() or self.problem:
                    return
                self.counters.restarts.inc()
                pause = PAUSE if time.monotonic() - began > LONGEST_PAUSE else min(2 * pause, LONGEST_PAUSE)
                logger.warning("ranker process %d died and is replaced", self.number)
                self.stopping.wait(pause)

    def _serve(self) -> None:
        """One process from its start to its end."""
        link = self._start()
        try:
            self._load(link)
            while batch := self.queue.take(self.budget):
                self._read(link, batch)
        finally:
            self.ready.clear()
            link.close()
            self._end()

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self.process = context.Process(
            target=run, args=(theirs, self.settings), name=f"anselm-ranker-{self.number}", daemon=True
        )
        self.process.start()
        theirs.close()  # so that the link ends when the process does
        return ours

    def _end(self) -> None:
        """The link is closed, so it leaves by itself unless it hangs."""
        if self.process:
            self.process.join(1)
            if self.process.is_alive():
                self.process.kill()
                self.process.join()

    def _load(self, link: Connection) -> None:
        found = self._receive(link, LOADING)
        if isinstance(found, AnselmError):
            self.problem = found if not self.descriptions else None
            self.settled.set()
            raise Died
        self.descriptions = found
        self.ready.set()
        self.settled.set()

    def _receive(self, link: Connection, seconds: float) -> Any:
        assert self.process is not None  # for the type checker
        if link not in wait([link, self.process.sentinel], seconds):
            self.process.kill()
            raise Died
        try:
            return link.recv()
        except (EOFError, OSError):
            raise Died from None

    def _read(self, link: Connection, batch: list[Slice]) -> None:
        began = time.monotonic()
        for one in batch:
            self.counters.queue_wait.observe(began - one.queued)
        try:
            link.send([(one.model, one.method, one.payload) for one in batch])
            answer: Answer = self._receive(link, self.patience)
        except (Died, OSError):
            self._give_back(batch)
            raise Died from None
        assert isinstance(answer, Answer)
        self.counters.batch(batch, answer)
        for one, outcome in zip(batch, answer.outcomes, strict=True):
            if outcome.error is None:
                one.answer(outcome.value)
            else:
                logger.error("a ranker process failed with %s", outcome.error)
                one.fail(Refusal(500, "the model failed on this request"))

    def _give_back(self, batch: list[Slice]) -> None:
        """What a process had when it died is tried once more."""
        for one in reversed(batch):
            one.attempts += 1
            if one.attempts > 1:
                one.fail(Refusal(500, "the ranker process died twice while reading this request", "died"))
            else:
                self.queue.put_back(one)
