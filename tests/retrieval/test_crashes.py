"""kill -9 at random moments: nothing that was acknowledged is lost, nothing is doubled, and answers are the same."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anselm.retrieval import indexes
from anselm.retrieval.pool import Pool
from anselm.retrieval.terms import question_weights
from tests.retrieval.crash_worker import STEPS, State, after
from tests.retrieval.engines import WordEncoder

ROOT = Path(__file__).parents[2]
KILLS = 20


def test_nothing_is_lost_or_doubled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker takes its steps one after the other; the one it was killed in has happened, or it has not."""
    monkeypatch.setattr(indexes, "LARGE", 0)  # an index on disk, where the extra is installed
    state: State = {}
    first, seed = 0, random.Random(time.time_ns()).randrange(10**6)
    rng = random.Random(seed)
    killed_in = set()
    for _ in range(KILLS):
        begun = kill_one(tmp_path, first, rng.uniform(0.05, 0.6))
        for number in range(first, begun):
            state = after(state, number)
        with Pool.open(tmp_path / "pool", WordEncoder()) as pool:
            found = {item.id: item.text for item in pool.items()} if pool.exists() else {}
            assert found in (state, after(state, begun)), (seed, begun)
            if found:
                check_answers(pool, tmp_path / f"fresh-{begun}")
        killed_in.add(STEPS[begun % len(STEPS)])
        state, first = found, begun + 1 if found != state else begun
    assert len(killed_in) > 1


def kill_one(folder: Path, first: int, seconds: float) -> int:
    """Gives the step in which it was killed: those before are done."""
    log = folder / f"log-{first}-{seconds}"
    command = [sys.executable, "-m", "tests.retrieval.crash_worker", str(folder / "pool"), str(log), str(first)]
    worker = subprocess.Popen(command, cwd=ROOT)
    while not log.exists() or b"done" not in log.read_bytes():
        assert worker.poll() is None
        time.sleep(0.01)
    time.sleep(seconds)
    worker.kill()
    worker.wait()
    lines = log.read_text().splitlines()
    word, number = lines[-1].split()
    return int(number) if word == "begun" else int(number) + 1


def check_answers(pool: Pool, fresh: Path) -> None:
    """As those of a pool that was made of the same items at once."""
    pool.embed()
    with Pool.open(fresh, WordEncoder()) as other:
        other.add(pool.items())
        other.embed()
        for question in ("honey honey wax", "the smoke of step 7"):
            here, there = ([f.item.id for f in one.search(question, 500)] for one in (pool, other))
            assert sorted(here) == sorted(there)
        words = [one.search_apart("i7 i8 i9", 9)[0] for one in (pool, other)]
        assert sorted(words[0]) == sorted(words[1])
        assert weigh(pool) == weigh(other)
    assert pool.notes == []  # no index had to be made again


def weigh(pool: Pool) -> object:
    """What words are worth to an index that keeps counts of them."""
    counts = getattr(pool.engine.index, "_known_counts", None)  # type: ignore[attr-defined]
    return counts and counts().weigh(question_weights("honey wax smoke i7 i8 i9 passage step"))
