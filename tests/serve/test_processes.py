"""Ranker processes that are killed, and a service that is stopped. No test here looks at a clock."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from anselm import Ranker
from anselm.errors import UnknownNameError
from anselm.serve.app import create_app
from anselm.serve.configuration import Settings
from anselm.serve.queue import Slice
from anselm.serve.refusals import Refusal
from anselm.serve.service import Service

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

LISTS = [(f"what is number {n}", [f"number {m} is {m * n}" for m in range(1 + n % 7)]) for n in range(24)]


@pytest.fixture
def own_service() -> Iterator[Service]:
    found = Service(Settings(("bm25",), processes=2))
    found.start()
    yield found
    found.stop(5)


def test_processes_killed_under_load_mix_nothing_up(own_service: Service) -> None:
    """Each list is answered as alone; what died was replaced, and /health says how often."""
    app = create_app(service=own_service)
    ranker = Ranker.load("bm25")

    def ask(job: tuple[str, list[str]]) -> tuple[int, Any]:
        answer = client.post("/v1/rerank", json={"query": job[0], "documents": job[1]})
        return answer.status_code, answer.json()

    with ThreadPoolExecutor(16) as app.state.threads, ThreadPoolExecutor(8) as clients:
        client = TestClient(app)
        answers = []
        for _ in range(3):
            waiting = [clients.submit(ask, job) for job in LISTS]
            for keeper in own_service.keepers:
                keeper.ready.wait(60)
                if pid := keeper.pid:
                    with suppress(ProcessLookupError):  # it may be gone, and its successor on the way
                        os.kill(pid, signal.SIGKILL)
            answers += [one.result(60) for one in waiting]
        for job, (status, found) in zip(LISTS * 3, answers, strict=True):
            assert status in (200, 500), found
            if status == 200:
                wanted = {one.index: one.probability for one in ranker.rank(*job)}
                assert {row["index"]: row["relevance_score"] for row in found["results"]} == pytest.approx(wanted)
        assert any(status == 200 for status, _ in answers)
        assert ask(LISTS[0])[0] == 200
        for keeper in own_service.keepers:
            assert keeper.ready.wait(60)
        health = client.get("/health").json()
        assert health["restarts"] == sum(keeper.restarts for keeper in own_service.keepers) >= 2


def test_what_kills_its_process_is_tried_twice_and_fails_once(own_service: Service) -> None:
    with own_service.admitted(1) as ticket:
        deadly = Slice(ticket, "bm25", "score", Deadly(), 1)
        own_service.queue.put([deadly])
        with pytest.raises(Refusal, match="died twice"):
            deadly.found.result(60)
        assert deadly.attempts == 2


class Deadly:
    """Ends the process that unpacks it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


def test_a_model_that_is_not_there_is_an_error_at_the_start() -> None:
    with pytest.raises(UnknownNameError, match="bm52"):
        Service(Settings(("bm52",), processes=1)).start()


class Command:
    """`anselm serve` in a process of its own."""

    def __init__(self, *options: str, **environment: str) -> None:
        source = str(Path(__file__).parents[2] / "src")
        known = os.environ | {"PYTHONPATH": source} | environment
        command = [sys.executable, "-m", "anselm", "serve", "--port", "0", "--processes", "1", *options]
        self.process = subprocess.Popen(command, env=known, stderr=subprocess.PIPE, text=True, start_new_session=True)
        assert self.process.stderr
        self.said = self.process.stderr.readline()
        port = re.search(r"http://127\.0\.0\.1:(\d+),", self.said)
        assert port, self.said
        self.port = int(port[1])

    def begin(self, body: Any, path: str = "/v1/rerank", **headers: str) -> HTTPConnection:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **headers})
        return connection


def test_sigterm_finishes_what_was_accepted() -> None:
    """The ranker process ignores the signal, which init systems send to all processes of a service."""
    command = Command("--model", "default")
    documents = [f"Sentence {n} about the opening hours of the shop in the old town." for n in range(300)]
    connection = command.begin({"query": "When does it open?", "documents": documents})
    probe = HTTPConnection("127.0.0.1", command.port, timeout=60)
    while True:  # until it is accepted
        probe.request("GET", "/health")
        if json.loads(probe.getresponse().read())["requests"]:
            break
    os.killpg(command.process.pid, signal.SIGTERM)
    answer = connection.getresponse()
    assert answer.status == 200
    assert len(json.loads(answer.read())["results"]) == 300
    connection.close()
    probe.close()
    assert command.process.wait(60) == 0
    with command.process.stderr as said:  # type: ignore[union-attr]
        assert said.read() == ""  # no ranker process died


def test_keys_come_from_the_environment() -> None:
    command = Command("--model", "bm25", ANSELM_API_KEYS="old,new")
    try:
        body = {"query": "q", "documents": ["a"]}
        for headers, status in (({}, 401), ({"Authorization": "Bearer new"}, 200)):
            connection = command.begin(body, **headers)
            assert connection.getresponse().status == status
            connection.close()
    finally:
        command.process.send_signal(signal.SIGINT)
        assert command.process.wait(60) == 0
        command.process.stderr.close()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--model", "bm52"), "unknown model 'bm52'"),
        (("--port", "99999"), "cannot be listened on"),
        (("--model", "bm25", "--model", "bm25"), "two models are called 'bm25'"),
        (("--max-documents", "0"), "max_documents must be at least 1"),
        (("--api-keys", "no-such-file"), "no-such-file cannot be read"),
    ],
)
def test_bad_options(options: tuple[str, ...], sentence: str) -> None:
    command = [sys.executable, "-m", "anselm", "serve", *options]
    known = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run(command, env=known, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
