"""The service under load, on loopback: beside the engine alone, beside a giant request, and while processes are killed.

Every answer is compared with the direct score. The load generator shares the machine; its part of the time is said.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from anselm import Candidate, Question, Ranker, load_dataset

CLIENTS, SECONDS = 32, 60.0
MODEL = "default"
BOUND = 2e-3  # probabilities: what batches may change in int8


@dataclass
class Tally:
    """What clients saw."""

    times: list[float] = field(default_factory=list)
    pairs: int = 0
    refused: int = 0
    wrong: int = 0
    failed: int = 0
    worst: float = 0.0

    def check(self, found: dict[str, Any], wanted: np.ndarray) -> None:
        scores = np.full(len(wanted), np.nan)
        for row in found["results"]:
            scores[row["index"]] = row["relevance_score"]
        off = float(np.abs(scores - wanted).max())
        self.worst = max(self.worst, off)
        self.wrong += not off <= BOUND
        self.pairs += len(wanted)


class Client:
    """One connection that is kept, with as little work as can be."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        head = (
            f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
        return int(answer.split(b" ", 2)[1]), await reader.readexactly(int(length[1]) if length else 0)

    def close(self) -> None:
        if self.streams:
            self.streams[1].close()


class Server:
    """`anselm serve` on any free port."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "anselm", "serve", "--model", MODEL, "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline().strip()
        found = re.search(r":(\d+),", self.said)
        assert found, self.said
        self.port = int(found[1])

    def rankers(self) -> list[int]:
        """The processes that read: those children that load models."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        children = [child for task in tasks for child in (task / "children").read_text().split()]
        return [int(one) for one in children if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def lists() -> list[Question]:
    """WikiQA's training lists, as published: 1 to 30 sentences, which are sent, and ranked here, as plain texts."""
    found = load_dataset("wikiqa", split="train", protocol="raw").questions
    return [replace(one, candidates=tuple(Candidate(c.id, c.text) for c in one.candidates)) for one in found]


def body_of(question: Question) -> bytes:
    return json.dumps({"query": question.text, "documents": [one.text for one in question.candidates]}).encode()


def direct(questions: Sequence[Question]) -> tuple[list[np.ndarray], float]:
    """Probabilities by the places of candidates, and pairs per second."""
    ranker = Ranker.load(MODEL)
    list(ranker.rank_lists(questions[:20]))
    began = time.perf_counter()
    rankings = list(ranker.rank_lists(questions[20:]))
    seconds = time.perf_counter() - began
    speed = sum(len(ranking) for ranking in rankings) / seconds
    rankings = [*ranker.rank_lists(questions[:20]), *rankings]
    return [probabilities(ranking) for ranking in rankings], speed


def probabilities(ranking: Any) -> np.ndarray:
    found = np.empty(len(ranking))
    for one in ranking:
        found[one.index] = one.probability
    return found


async def work(port: int, jobs: Iterator[tuple[bytes, np.ndarray]], end: float, tally: Tally) -> None:
    client = Client(port)
    while time.perf_counter() < end:
        body, wanted = next(jobs)
        began = time.perf_counter()
        try:
            status, answer = await client.post("/v1/rerank", body)
        except (OSError, asyncio.IncompleteReadError):
            tally.failed += 1
            client = Client(port)
            continue
        if status == 200:
            tally.times.append(time.perf_counter() - began)
            tally.check(json.loads(answer), wanted)
        elif status == 429:
            tally.refused += 1
            await asyncio.sleep(0.2)
        else:
            tally.failed += 1
    client.close()


async def load(port: int, jobs: Sequence[tuple[bytes, np.ndarray]], clients: int, seconds: float) -> Tally:
    tally, turns, end = Tally(), cycle(jobs), time.perf_counter() + seconds
    await asyncio.gather(*(work(port, turns, end, tally) for _ in range(clients)))
    return tally


def report(name: str, tally: Tally, seconds: float, engine: float, spent: float) -> None:
    p50, p99 = 1000 * np.percentile(tally.times, [50, 99])
    speed = tally.pairs / seconds
    row = [name, len(tally.times), f"{speed:.0f}", f"{speed / engine:.0%}", f"{p50:.0f}", f"{p99:.0f}", tally.refused]
    row += [tally.failed, tally.wrong, f"{tally.worst:.1e}", f"{spent / seconds / (os.cpu_count() or 1):.1%}"]
    print("| " + " | ".join(map(str, row)) + " |", flush=True)  # noqa: T201


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(name: str, server: Server, jobs: Any, clients: int, seconds: float, engine: float) -> Tally:
    began, spent = time.perf_counter(), cpu()
    tally = asyncio.run(load(server.port, jobs, clients, seconds))
    report(name, tally, time.perf_counter() - began, engine, cpu() - spent)
    return tally


HEAD = (
    "| | requests | pairs/s | of the engine | p50 ms | p99 ms | 429 | failed | wrong | off by | generator |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    seconds = float(os.environ.get("ANSELM_LOAD_SECONDS", SECONDS))
    questions = lists()
    wanted, engine = direct(questions[: int(os.environ.get("ANSELM_LOAD_LISTS", len(questions)))])
    jobs = [(body_of(question), row) for question, row in zip(questions, wanted, strict=False)]
    print(f"engine alone: {engine:.0f} pairs/s\n\n{HEAD}")  # noqa: T201
    for options in (("--processes", "1"), ("--processes", "2")):
        server = Server(*options)
        try:
            asyncio.run(load(server.port, jobs[-20:], 4, 3))  # to warm up
            measure(f"{CLIENTS} clients, {options[1]}", server, jobs, CLIENTS, seconds, engine)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
