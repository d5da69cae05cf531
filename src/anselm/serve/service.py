"""The service without HTTP: it accepts requests or turns them away, and ranks with models that other processes hold."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from anselm import Ranker
from anselm.machine import usable_cores
from anselm.serve.configuration import Settings
from anselm.serve.counters import Counters
from anselm.serve.file_readers import FileReaders
from anselm.serve.queue import SHARE, FairQueue, Ticket
from anselm.serve.ranker_process import Description, ProcessSettings
from anselm.serve.refusals import Refusal
from anselm.serve.remote import RemoteScorer
from anselm.serve.workers import Keeper

MOST = 4  # ranker processes, unless more are asked for: each holds the models


class Service:
    """Start it, admit requests, stop it. All of it may be called by several threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.queue, self.counters = FairQueue(), Counters()
        cores = usable_cores()
        count = settings.processes or min(cores, MOST)
        self.threads = settings.threads or max(1, cores // count)
        shared = ProcessSettings(
            tuple(zip(settings.names, settings.models, strict=True)), self.threads, settings.device
        )
        patience = 2 * settings.timeout  # a process that takes longer for one batch hangs
        self.keepers = [
            Keeper(number, shared, self.queue, self.counters, settings.batch_chars, patience) for number in range(count)
        ]
        self.files = FileReaders(count)
        self.models: dict[str, Description] = {}
        self.draining = False
        self.open, self.open_chars = 0, 0  # requests that were accepted and not answered yet
        self._lock = Lock()
        self.counters.queue_depth.set_function(lambda: self.queue.depth)
        self.counters.ready.set_function(lambda: self.ready_processes)

    @property
    def started(self) -> bool:
        return bool(self.models)

    @property
    def ready_processes(self) -> int:
        return sum(keeper.ready.is_set() for keeper in self.keepers)

    @property
    def restarts(self) -> int:
        return sum(keeper.restarts for keeper in self.keepers)

    @property
    def ready(self) -> bool:
        return self.ready_processes > 0 and not self.draining

    def start(self) -> None:
        """Returns when all processes have loaded their models; a model that cannot be loaded is an error here."""
        for keeper in self.keepers:
            keeper.start()
        for keeper in self.keepers:
            keeper.settled.wait()
        if problem := next((keeper.problem for keeper in self.keepers if keeper.problem), None):
            self.stop(0)
            raise problem
        self.models = {one.name: one for one in self.keepers[0].descriptions}

    def stop(self, seconds: float) -> None:
        """Finish what was accepted, for so many seconds at most, and end the processes."""
        self.draining = True
        self.wait_until_idle(seconds)
        self.queue.close()
        self.files.stop()
        for keeper in self.keepers:
            keeper.stop(min(seconds, 2.0))

    def wait_until_idle(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while self.open and time.monotonic() < end:
            time.sleep(0.02)

    def describe(self, name: str | None) -> Description:
        if name is None:
            return next(iter(self.models.values()))
        if name not in self.models:
            raise Refusal(404, f"there is no model {name!r:.80} here; there is {', '.join(self.models)}")
        return self.models[name]

    @contextmanager
    def admitted(self, chars: int) -> Iterator[Ticket]:
        """A place for a request of so many characters, until it is answered."""
        with self._lock:
            if self.draining:
                raise Refusal(503, "the service is stopping", "draining", Retry_After="5")
            if self.open >= self.settings.limits.max_requests or (self.open and self._overflows(chars)):
                raise self._full()
            self.open += 1
            self.open_chars += chars
        ticket = Ticket(time.monotonic() + self.settings.timeout, chars=chars)
        try:
            yield ticket
        finally:
            with self._lock:
                self.open -= 1
                self.open_chars -= ticket.chars

    def recount(self, ticket: Ticket, chars: int) -> None:
        """An accepted request has turned out to be of so many characters."""
        with self._lock:
            if self.open > 1 and chars > ticket.chars and self._overflows(chars - ticket.chars):
                raise self._full()
            self.open_chars += chars - ticket.chars
            ticket.chars = chars

    def _overflows(self, chars: int) -> bool:
        return self.open_chars + chars > self.settings.limits.max_queued_chars

    def _full(self) -> Refusal:
        sentence = "too much is waiting already; try again later"
        return Refusal(429, sentence, "queue_full", Retry_After=self.retry_after())

    def retry_after(self) -> str:
        """Seconds until about half of what waits is read, by what was read so far."""
        pace = max(self.counters.pace() * len(self.keepers), 1_000.0)
        return str(min(60, max(1, math.ceil(self.open_chars / 2 / pace))))

    def scorer(self, description: Description, ticket: Ticket) -> RemoteScorer:
        return RemoteScorer(description, ticket, self.queue, max(1, int(self.settings.batch_chars * SHARE)))

    def ranker(self, scorer: RemoteScorer, as_typed: bool | None = None, threshold: float | None = None) -> Ranker:
        description = self.models[scorer.name]
        calibration = description.calibration
        if threshold is not None:
            if calibration is None:
                raise Refusal(422, f"{description.name} is not calibrated, so that nothing reaches a threshold")
            calibration = calibration.with_threshold(threshold)
        return Ranker(scorer, calibration, description.name, respell=not as_typed)

    def check_count(self, documents: int) -> None:
        if documents > (most := self.settings.limits.max_documents):
            raise Refusal(422, f"{documents:,} documents are too many; at most {most:,} are read")

    def check_size(self, question: str, texts: list[str]) -> int:
        """The characters of a request, which must be within the limits."""
        limits = self.settings.limits
        self.check_count(len(texts))
        chars = len(question) + sum(map(len, texts))
        if chars > limits.max_chars:
            raise Refusal(422, f"{chars:,} characters are too many; a request may have {limits.max_chars:,}")
        return chars
