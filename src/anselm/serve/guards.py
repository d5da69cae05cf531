"""What stands between the socket and the routes: the counter, the key, and the limit of a body's size."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anselm.serve.keys import Keys
from anselm.serve.refusals import Refusal, refusal_body
from anselm.serve.service import Service
from anselm.serve.strict_json import render

logger = logging.getLogger("anselm.serve")
MODEL, TEI, REASON = "anselm.model", "anselm.tei", "anselm.reason"  # of a scope: what routes tell of their requests
HELD = 8  # bodies of the largest size that may be in memory at once


class Guard:
    """Outermost: every request is counted, refused in one shape, and logged without its texts.

    What can be got can be asked for by HEAD, too; servers leave the body out then.
    """

    def __init__(self, app: ASGIApp, service: Service, open_paths: frozenset[str], routes: frozenset[str]) -> None:
        self.app, self.service, self.open_paths, self.routes = app, service, open_paths, routes
        self.keys = Keys(service.settings.keys)
        self.held = 0  # bytes of bodies of all requests that are under way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        began, status = time.perf_counter(), 0
        body = BodyReader(self, receive)

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            self._check(scope)
            asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
            await self.app(asked, body.receive, observed)
        except Refusal as refusal:
            await respond(observed, refusal, scope)
        except Exception as error:
            log_error(error)
            if not status:
                await respond(observed, Refusal(500, "something went wrong here"), scope)
        finally:
            self.held -= body.size
            self._count(scope, status, time.perf_counter() - began)
        return None

    def _check(self, scope: Scope) -> None:
        """What can be told by the head of a request."""
        headers = dict(scope["headers"])
        if scope["path"] not in self.open_paths and not self.keys.admit(headers.get(b"authorization", b"")):
            sentence = "an API key is needed, as in `Authorization: Bearer KEY`"
            raise Refusal(401, sentence, WWW_Authenticate="Bearer")
        length = headers.get(b"content-length", b"")
        if length.isdigit() and (len(length) > 15 or int(length) > self.service.settings.limits.max_bytes):
            raise too_large(self.service.settings.limits.max_bytes)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope["path"] if scope["path"] in self.routes else "other"
        counters = self.service.counters
        counters.requests.labels(route, scope.get(MODEL, ""), str(status)).inc()
        counters.duration.labels(route).observe(seconds)
        if reason := scope.get(REASON):
            counters.rejected.labels(reason).inc()
        logger.info("%s %s %d %.0f ms", scope["method"], route, status, 1000 * seconds)


class BodyReader:
    """A body that says nothing of its size, or not the truth, is cut off as soon as it is too large, or takes long."""

    def __init__(self, guard: Guard, receive: Receive, clock: Callable[[], float] = time.monotonic) -> None:
        self.guard, self._receive, self._clock = guard, receive, clock
        self.size, self.whole = 0, False
        self.limits, self.timeout = guard.service.settings.limits, guard.service.settings.timeout
        self.end = clock() + self.timeout  # of the whole body, however it trickles in

    async def receive(self) -> Message:
        try:
            # What comes after the body is the end of the connection, and that may take as long as it likes.
            message = await asyncio.wait_for(self._receive(), None if self.whole else self.end - self._clock())
        except TimeoutError:
            raise Refusal(408, f"the body did not arrive within {self.timeout:g} seconds") from None
        arrived = len(message.get("body", b""))
        self.size += arrived
        self.guard.held += arrived
        self.whole = not message.get("more_body", False)
        if self.size > self.limits.max_bytes:
            raise too_large(self.limits.max_bytes)
        if self.guard.held > HELD * self.limits.max_bytes:
            raise Refusal(429, "too much is waiting already; try again later", "queue_full", Retry_After="1")
        return message


def too_large(max_bytes: int) -> Refusal:
    return Refusal(413, f"the body is too large; at most {max_bytes:,} bytes are read")


async def respond(send: Send, refusal: Refusal, scope: Scope) -> None:
    scope[REASON] = refusal.reason
    body = render(refusal_body(refusal.status_code, str(refusal.detail), scope.get(TEI, False)))
    known = {"content-type": "application/json", "content-length": str(len(body)), **(refusal.headers or {})}
    if refusal.status_code in (408, 413):
        known["connection"] = "close"  # the rest of the body is not waited for
    headers = [(name.lower().encode(), value.encode()) for name, value in known.items()]
    await send({"type": "http.response.start", "status": refusal.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def log_error(error: Exception) -> None:
    """Where it happened and of which kind; its message may hold texts."""
    places = " < ".join(
        f"{one.filename}:{one.lineno}" for one in reversed(traceback.extract_tb(error.__traceback__)[-6:])
    )
    logger.error("%s at %s", type(error).__name__, places)
