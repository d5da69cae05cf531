"""Clients that ask a service over and over, as little work as can be, and compare each answer with the direct score."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

BOUND = 2e-3  # probabilities: what batches may change in int8
Job = tuple[bytes, np.ndarray]  # a body, and the probabilities by the places of its documents


@dataclass
class Tally:
    """What clients saw."""

    times: list[float] = field(default_factory=list)
    pairs: int = 0
    refused: int = 0
    wrong: int = 0
    failed: int = 0
    worst: float = 0.0
    seconds: float = 0.0

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


def processor_seconds(*processes: int) -> float:
    """What they have computed so far: unlike the clock, it minds little what else runs on the machine."""
    stats = [Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split() for one in processes]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> int:
    """Megabytes."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) // 1000 if found else 0


async def work(port: int, jobs: Iterator[Job], end: float, tally: Tally) -> None:
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


async def load(port: int, jobs: Sequence[Job], clients: int, seconds: float) -> Tally:
    tally, turns, began = Tally(), cycle(jobs), time.perf_counter()
    await asyncio.gather(*(work(port, turns, began + seconds, tally) for _ in range(clients)))
    tally.seconds = time.perf_counter() - began
    return tally
