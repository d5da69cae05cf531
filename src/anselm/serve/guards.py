"""What stands between the socket and the routes: the counter, the key, and the limit of a body's size."""

from __future__ import annotations

import logging
import time
import traceback

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anselm.serve.counters import Counters
from anselm.serve.keys import Keys
from anselm.serve.refusals import Refusal, refusal_body
from anselm.serve.strict_json import render

logger = logging.getLogger("anselm.serve")
MODEL, TEI = "anselm.model", "anselm.tei"  # what routes tell: the model that answered, the shape of errors


class Guard:
    """Outermost: every request is counted, refused in one shape, and logged without its texts."""

    def __init__(
        self, app: ASGIApp, counters: Counters, keys: Keys, open_paths: frozenset[str], max_bytes: int
    ) -> None:
        self.app, self.counters, self.keys = app, counters, keys
        self.open_paths, self.max_bytes = open_paths, max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        began, status = time.perf_counter(), 0

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            check(scope, self.keys, self.open_paths, self.max_bytes)
            await self.app(scope, limited(receive, self.max_bytes), observed)
        except Refusal as refusal:
            await respond(observed, refusal, scope)
        except Exception as error:
            log_error(error)
            if not status:
                await respond(observed, Refusal(500, "something went wrong here", "internal"), scope)
        finally:
            self._count(scope, status, time.perf_counter() - began)
        return None

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        self.counters.requests.labels(route, scope.get(MODEL, ""), str(status)).inc()
        self.counters.duration.labels(route).observe(seconds)
        if reason := scope.get("anselm.reason"):
            self.counters.rejected.labels(reason).inc()
        logger.info("%s %s %d %.0f ms", scope["method"], route, status, 1000 * seconds)


def check(scope: Scope, keys: Keys, open_paths: frozenset[str], max_bytes: int) -> None:
    """What can be told by the head of a request."""
    headers = dict(scope["headers"])
    if scope["path"] not in open_paths and not keys.admit(headers.get(b"authorization", b"")):
        raise Refusal(401, "an API key is needed, as in `Authorization: Bearer KEY`")
    if scope["method"] != "POST":
        return
    kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
    if kind != b"application/json":
        raise Refusal(415, "the body must be JSON, sent with `Content-Type: application/json`")
    length = headers.get(b"content-length", b"")
    if length.isdigit() and len(length) < 20 and int(length) > max_bytes:
        raise too_large(max_bytes)


def limited(receive: Receive, max_bytes: int) -> Receive:
    """A body that says nothing of its size, or not the truth, is cut off as soon as it is too large."""
    total = 0

    async def counted() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > max_bytes:
            raise too_large(max_bytes)
        return message

    return counted


def too_large(max_bytes: int) -> Refusal:
    return Refusal(413, f"the body is too large; at most {max_bytes:,} bytes are read")


async def respond(send: Send, refusal: Refusal, scope: Scope) -> None:
    scope["anselm.reason"] = refusal.reason
    body = render(refusal_body(refusal.status, refusal.sentence, scope.get(TEI, False)))
    known = {"content-type": "application/json", "content-length": str(len(body)), **refusal.headers}
    if refusal.status == 413:
        known["connection"] = "close"  # the rest of the body is not waited for
    headers = [(name.lower().encode(), value.encode()) for name, value in known.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def log_error(error: Exception) -> None:
    """Where it happened and of which kind; its message may hold texts."""
    places = " < ".join(
        f"{one.filename}:{one.lineno}" for one in reversed(traceback.extract_tb(error.__traceback__)[-6:])
    )
    logger.error("%s at %s", type(error).__name__, places)
