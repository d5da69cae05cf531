"""What waits, and for how long: bodies, deadlines, clients that leave, queues that are full, heads that never come.

Nobody reads in most of these services, so that no test depends on how fast anything is.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from uvicorn import Config
from uvicorn.server import ServerState

from anselm.serve import connections
from anselm.serve.app import create_app
from anselm.serve.configuration import Limits, Settings
from anselm.serve.connections import Connection
from anselm.serve.guards import BodyReader, Guard
from anselm.serve.queue import Slice, Ticket
from anselm.serve.ranker_process import Description
from anselm.serve.refusals import Refusal
from anselm.serve.service import Service

BODY = {"query": "When?", "documents": ["At nine.", "Parking is free."]}
Message = dict[str, Any]


class Unread(Service):
    """Requests are accepted, and nobody takes them from the queue. Where it is late, their time is up at once."""

    late = False

    @contextmanager
    def admitted(self, chars: int) -> Iterator[Ticket]:
        with super().admitted(chars) as ticket:
            if self.late:
                ticket.deadline = 0.0
            yield ticket


def unread(late: bool = True, **settings: Any) -> Service:
    service = Unread(Settings(("bm25",), processes=1, **settings))
    service.late = late
    service.models = {"bm25": Description("bm25", None, True, "English", False, None, None)}
    return service


@contextmanager
def app_of(service: Service) -> Iterator[FastAPI]:
    app = create_app(service=service)
    with ThreadPoolExecutor(4) as app.state.threads:
        yield app


def ask(service: Service, **headers: str) -> Any:
    with app_of(service) as app:
        return TestClient(app).post("/v1/rerank", json=BODY, headers=headers)


def talk(app: FastAPI, receive: Callable[[], Any]) -> tuple[int, bytes]:
    """One request whose body comes as `receive` says; its status and its answer."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": "/v1/rerank",
        "raw_path": b"/v1/rerank", "query_string": b"", "root_path": "", "scheme": "http", "client": None,
        "server": None, "headers": [(b"content-type", b"application/json")], "state": {},
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], b"".join(one.get("body", b"") for one in sent)


async def never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


def test_a_body_that_does_not_arrive_is_408() -> None:
    with app_of(unread(timeout=0.01)) as app:
        status, answer = talk(app, never)
    assert (status, json.loads(answer)["message"]) == (408, "the body did not arrive within 0.01 seconds")


def test_a_body_that_trickles_in_has_no_more_time_than_another() -> None:
    """Each byte comes at once by the real clock, and a third of the time later by this one."""
    times = iter([0.0, 20.0, 40.0, 59.0, 60.0])

    async def trickle() -> Message:
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def read() -> None:
        guard = Guard(never, unread(timeout=60.0), frozenset(), frozenset())  # type: ignore[arg-type]
        body = BodyReader(guard, trickle, lambda: next(times))
        for _ in range(3):
            await body.receive()
        await body.receive()

    with pytest.raises(Refusal) as caught:
        asyncio.run(read())
    assert caught.value.status_code == 408
    assert next(times, None) is None  # it was the fourth that came too late


def test_what_a_client_that_left_had_asked_is_dropped() -> None:
    """It leaves when its slices wait; nobody reads them, and its place is free again."""
    service = unread(late=False)
    messages = iter([{"type": "http.request", "body": json.dumps(BODY).encode()}])

    async def receive() -> Message:
        if (message := next(messages, None)) is not None:
            return message
        while not service.queue.depth:
            await asyncio.sleep(0)
        return {"type": "http.disconnect"}

    with app_of(service) as app:
        status, _ = talk(app, receive)
    assert status == 499
    assert (service.queue.depth, service.open, service.open_chars) == (0, 0, 0)
    assert 'anselm_rejected_total{reason="gone"} 1.0' in metrics(service)


def test_the_deadline_of_a_request_is_504() -> None:
    service = unread()
    answer = ask(service)
    assert answer.status_code == 504
    assert "deadline" in answer.json()["message"]
    assert (service.queue.depth, service.open) == (0, 0)
    assert 'anselm_rejected_total{reason="deadline"} 1.0' in metrics(service)


def test_too_many_requests_are_429_until_one_is_answered() -> None:
    service = unread(limits=Limits(max_requests=1))
    with service.admitted(10):
        refused = ask(service)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert ask(service).status_code == 504  # accepted, and then nobody read it


def test_too_many_characters_are_429_unless_nothing_else_is_there() -> None:
    service = unread(limits=Limits(max_queued_chars=20))
    assert ask(service).status_code == 504  # alone it may be larger
    with service.admitted(1):
        assert ask(service).status_code == 429


@pytest.mark.parametrize(("pace", "seconds"), [(0, "60"), (5_000, "40"), (100_000, "2"), (10**9, "1")])
def test_retry_after_is_when_half_of_what_waits_is_read(pace: float, seconds: str) -> None:
    """400,000 characters, at so many a second."""
    service = unread()
    service.counters._pace = pace
    with service.admitted(400_000):
        assert service.retry_after() == seconds


def test_keys_change_without_a_moment_in_which_nobody_gets_in() -> None:
    """The old one, both, the new one: three starts of the service, and clients that move in the middle."""
    found = {
        keys: [ask(unread(keys=keys), Authorization=f"Bearer {key}").status_code for key in ("old", "new")]
        for keys in (("old",), ("old", "new"), ("new",))
    }
    assert found == {("old",): [504, 401], ("old", "new"): [504, 504], ("new",): [401, 504]}


class Sleeper:
    """Whoever unpacks it does not come back."""

    def __reduce__(self) -> tuple[Any, ...]:
        import time

        return time.sleep, (10**6,)


def test_a_ranker_process_that_hangs_is_replaced() -> None:
    """Its request is tried once more and fails; what comes after is read by a new process."""
    service = Service(Settings(("bm25",), processes=1))
    [keeper] = service.keepers
    service.start()
    try:
        keeper.patience = 0.2  # far less than it sleeps
        with service.admitted(1) as ticket:
            stuck = Slice(ticket, "bm25", "score", Sleeper(), 1)
            service.queue.put([stuck])
            with pytest.raises(Refusal, match="died twice"):
                stuck.found.result(60)
        keeper.patience = 60
        assert ask(service).status_code == 200
        assert keeper.restarts == 2
    finally:
        service.stop(5)


class Transport(asyncio.Transport):
    closed = aborted = False

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        self.closed = True

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def is_closing(self) -> bool:
        return self.closed


class Timers:
    """A loop's timers, which a test lets run out."""

    def __init__(self) -> None:
        self.running: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, seconds: float, call: Callable[[], None]) -> Any:
        timer = (seconds, call)
        self.running.append(timer)
        return type("Handle", (), {"cancel": lambda _: self.running.remove(timer)})()


def test_a_connection_must_say_what_it_wants() -> None:
    """Silent, or with half a head, it is closed after the time for a head; with a whole one it is not."""
    for head in (b"", b"POST /ask HTTP/1.1\r\nHos", b"POST / HTTP/1.1\r\nHost: x\r\n"):
        timers, transport = Timers(), Transport()
        found = Connection(Config(talk, log_config=None), ServerState(), {}, timers)  # type: ignore[arg-type]
        found.connection_made(transport)
        for byte in head:
            found.data_received(bytes([byte]))
        [(seconds, close)] = timers.running  # one timer, from the beginning
        assert seconds == connections.HEAD
        close()
        assert transport.closed


def test_a_connection_that_has_said_what_it_wants_is_left_alone() -> None:
    timers = Timers()
    found = Connection(Config(talk, log_config=None), ServerState(), {}, timers)  # type: ignore[arg-type]
    found.connection_made(Transport())
    assert timers.running
    found.conn.receive_data(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
    found.conn.next_event()
    found._expect_head()
    assert timers.running == []


def test_a_client_must_read_what_it_asked_for() -> None:
    """Else what it asked would be held for ever, and count against what others may send."""
    timers, transport = Timers(), Transport()
    found = Connection(Config(talk, log_config=None), ServerState(), {}, timers)  # type: ignore[arg-type]
    found.connection_made(transport)
    found._stop_waiting()
    found.pause_writing()
    found.resume_writing()
    assert timers.running == []
    found.pause_writing()
    [(seconds, abort)] = timers.running
    assert seconds == connections.READ
    abort()
    assert transport.aborted
    found.connection_lost(None)
    assert timers.running == []


def metrics(service: Service) -> str:
    from prometheus_client import generate_latest

    return generate_latest(service.counters.registry).decode()
