"""A connection that must say within some seconds what it wants, and take what it gets: others would wait for it."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 30.0  # seconds for the head of a request; uvicorn waits for it for ever
READ = 120.0  # seconds in which a client must have read most of what was written to it; likewise


class Connection(H11Protocol):
    """As uvicorn's own, which only minds the time between two requests."""

    waiting: asyncio.TimerHandle | None = None
    unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._expect_head()

    def pause_writing(self) -> None:
        """The client reads more slowly than is written, or not at all. Its request is held until it has."""
        super().pause_writing()
        self.unread = self.loop.call_later(READ, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_reading()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        """The time runs from the first byte, or from the beginning; more bytes do not lengthen it."""
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self.waiting is None:
            self.waiting = self.loop.call_later(HEAD, self.transport.close)

    def _stop_waiting(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    def _stop_reading(self) -> None:
        if self.unread is not None:
            self.unread.cancel()
            self.unread = None
