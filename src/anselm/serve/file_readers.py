"""The file processes of a service: some at once, started when they are needed, killed when a request's time is up."""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Callable
from threading import BoundedSemaphore, Lock
from typing import Any

from anselm.errors import AnselmError
from anselm.serve.file_process import Failure, Order, run
from anselm.serve.queue import Ticket, late
from anselm.serve.refusals import Refusal
from anselm.text.documents import Document

logger = logging.getLogger("anselm.serve")
STEP = 0.1  # seconds after which it is looked whether anybody still waits


class FileReader:
    """One process and the link to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.link, theirs = context.Pipe()
        self.process = context.Process(target=run, args=(theirs,), name="anselm-files", daemon=True)
        self.process.start()
        theirs.close()  # so that the link ends when the process does

    def read(self, ticket: Ticket, order: Order) -> Any:
        """EOFError or OSError where the process dies."""
        self.link.send(order)
        wait_for(ticket, self.link.poll)
        return self.link.recv()

    def end(self) -> None:
        self.process.kill()
        self.process.join()


class FileReaders:
    """Files are read for at most so many requests at once; who comes later waits."""

    def __init__(self, most: int) -> None:
        self._places = BoundedSemaphore(most)
        self._lock = Lock()
        self._idle: list[FileReader] = []
        self._busy: set[FileReader] = set()
        self._stopped = False

    def read(self, ticket: Ticket, order: Order) -> tuple[Document, ...]:
        wait_for(ticket, lambda seconds: self._places.acquire(timeout=seconds))
        try:
            return self._read(ticket, order)
        finally:
            self._places.release()

    def stop(self) -> None:
        """Nobody waits for what is being read any more."""
        with self._lock:
            self._stopped = True
            for reader in (*self._idle, *self._busy):
                reader.process.kill()

    def _read(self, ticket: Ticket, order: Order) -> tuple[Document, ...]:
        reader, fine = self._take(), False
        try:
            found = reader.read(ticket, order)
            fine = True
        except (EOFError, OSError):
            if self._stopped:
                raise stopping() from None
            logger.warning("a file process died")
            sentence = "a file ended the process that read it: it is damaged, or needs too much memory"
            raise Refusal(422, sentence, "died") from None
        finally:
            self._put_back(reader, fine)
        if isinstance(found, AnselmError):
            raise found
        if isinstance(found, Failure):
            logger.error("a file process failed with %s", found.error)
            raise Refusal(500, "reading a file of this request failed")
        documents: tuple[Document, ...] = found
        return documents

    def _take(self) -> FileReader:
        with self._lock:
            if self._stopped:
                raise stopping()
            waiting = [one for one in self._idle if one.process.is_alive()]
            reader = waiting.pop() if waiting else FileReader()
            self._idle = waiting
            self._busy.add(reader)
        return reader

    def _put_back(self, reader: FileReader, fine: bool) -> None:
        with self._lock:
            self._busy.remove(reader)
            if fine and not self._stopped:
                self._idle.append(reader)
                return
        reader.end()


def wait_for(ticket: Ticket, there: Callable[[float], bool]) -> None:
    """Until `there`, which waits for so many seconds, says yes, or nobody waits for the request any more."""
    while not there(min(STEP, ticket.remaining)):
        if ticket.refusal:
            raise ticket.refusal
        if not ticket.remaining:
            raise late()


def stopping() -> Refusal:
    return Refusal(503, "the service is stopping")
