"""The one queue between requests and ranker processes: slices of requests, taken in turn.

A request is a ticket with slices. Whoever takes from the queue gets one slice of each ticket in turn, up to a budget of
characters, so that a request of a thousand documents holds up one of ten by no more than what is being read already.
What waits is shared among those who have nothing to do.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Condition
from typing import Any

from anselm.serve.refusals import Refusal

SHARE = 0.25  # of a batch: as large as a slice is, and what one request alone may fill
LEAST = 1_000  # characters of a slice: what is worth the way to a process of its own


@dataclass(eq=False)
class Ticket:
    """One accepted request: until when it wants its answer, and, once that is so, why it no longer does.

    `chars` is what it counts for, together with the others.
    """

    deadline: float  # of time.monotonic()
    refusal: Refusal | None = None
    chars: int = 0

    @property
    def remaining(self) -> float:
        return max(0.0, self.deadline - time.monotonic())


@dataclass(eq=False)
class Slice:
    """What a ranker process is asked in one piece."""

    ticket: Ticket
    model: str
    method: str  # of RankerProcess
    payload: Any
    cost: int  # characters
    found: Future[Any] = field(default_factory=Future)
    attempts: int = 0
    queued: float = field(default_factory=time.monotonic)

    def answer(self, value: Any) -> None:
        """Once: a second answer, or one to a request that has gone, is dropped."""
        with suppress(InvalidStateError):
            self.found.set_result(value)

    def fail(self, error: BaseException) -> None:
        with suppress(InvalidStateError):
            self.found.set_exception(error)


def late() -> Refusal:
    return Refusal(504, "the deadline passed before all was read; send fewer or shorter documents, or later")


class FairQueue:
    """Waiting slices by ticket; `take` blocks until there is something, or the queue is closed."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[Ticket, deque[Slice]] = OrderedDict()
        self._changed = Condition()
        self._closed = False
        self.depth = 0  # slices
        self.idle = 0  # those who wait for something to take

    def put(self, slices: Iterable[Slice]) -> None:
        with self._changed:
            for one in slices:
                if self._closed:
                    one.fail(Refusal(503, "the service is stopping"))
                    continue
                self._waiting.setdefault(one.ticket, deque()).append(one)
                self.depth += 1
            self._changed.notify_all()

    def share(self, cost: int, most: int) -> int:
        """How large slices of a request should be: `most`, or less if processes with nothing to do could share it."""
        return min(most, max(LEAST, -(-cost // max(1, self.idle))))

    def put_back(self, one: Slice) -> None:
        """To be tried again, before the others of its ticket."""
        with self._changed:
            self._waiting.setdefault(one.ticket, deque()).appendleft(one)
            self._waiting.move_to_end(one.ticket, last=False)
            self.depth += 1
            self._changed.notify_all()

    def take(self, budget: int) -> list[Slice]:
        """At least one slice, and more of them as long as they fit; none once the queue is closed."""
        with self._changed:
            while True:
                self.idle += 1
                self._changed.wait_for(lambda: self._waiting or self._closed)
                self.idle -= 1
                if not self._waiting:
                    return []
                if taken := self._collect(self._fair_part(budget), budget * SHARE):
                    return taken

    def _fair_part(self, budget: int) -> int:
        """Of what waits, as much as is left to each of those who have nothing to do."""
        if not self.idle:
            return budget
        cost = sum(one.cost for slices in self._waiting.values() for one in slices)
        return min(budget, -(-cost // (1 + self.idle)))

    def _collect(self, budget: int, enough: float) -> list[Slice]:
        """One slice of each ticket as long as they fit; a second and third of one until there is enough."""
        taken: list[Slice] = []
        fits, spent = True, 0
        while fits and (not taken or spent < enough):
            fits = False
            for ticket in list(self._waiting):
                first = self._waiting[ticket][0]
                # What was there when a process died goes alone, so that it takes no other with it twice.
                if taken and (spent + first.cost > budget or first.attempts):
                    continue
                one = self._pop(ticket)
                if ticket.refusal or not ticket.remaining:
                    one.fail(ticket.refusal or late())
                    continue
                taken.append(one)
                spent, fits = spent + one.cost, True
                if one.attempts:
                    return taken
        return taken

    def _pop(self, ticket: Ticket) -> Slice:
        """The next slice of a ticket, which goes to the end of the line."""
        slices = self._waiting[ticket]
        one = slices.popleft()
        self.depth -= 1
        if slices:
            self._waiting.move_to_end(ticket)
        else:
            del self._waiting[ticket]
        return one

    def drop(self, ticket: Ticket, refusal: Refusal) -> None:
        """The request has gone, or its time is up: what waits is not read, what is being read is not waited for."""
        with self._changed:
            ticket.refusal = refusal
            slices = self._waiting.pop(ticket, deque())
            self.depth -= len(slices)
        for one in slices:
            one.fail(refusal)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            left = [one for slices in self._waiting.values() for one in slices]
            self._waiting.clear()
            self.depth = 0
            self._changed.notify_all()
        for one in left:
            one.fail(Refusal(503, "the service is stopping"))
