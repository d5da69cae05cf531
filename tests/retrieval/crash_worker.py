"""What is killed: a process that adds, embeds, deletes and compacts, and writes down what it has begun and done.

python -m tests.retrieval.crash_worker POOL LOG FIRST
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

from anselm.retrieval import indexes
from anselm.retrieval.item import Item
from anselm.retrieval.pool import Pool
from tests.retrieval.engines import WordEncoder

STEPS = ("add", "embed", "search", "add", "delete", "embed", "add", "flush", "delete", "rebuild", "add")
State = dict[str, str]


def added(number: int) -> State:
    """Some new ones, and some that may be there with another text."""
    rng = random.Random(number)
    ids = [f"i{rng.randrange(400)}" for _ in range(40)]
    return {
        id: f"Passage {id} of step {number} has {' '.join(rng.choices(['honey', 'wax', 'smoke'], k=4))}." for id in ids
    }


def deleted(number: int) -> list[str]:
    rng = random.Random(number)
    return [f"i{rng.randrange(400)}" for _ in range(25)]


def after(state: State, number: int) -> State:
    """What a step makes of a state, by itself."""
    kind = STEPS[number % len(STEPS)]
    if kind == "add":
        return state | added(number)
    gone = deleted(number) if kind == "delete" else []
    return {id: text for id, text in state.items() if id not in gone}


def run(pool: Pool, number: int) -> None:
    kind = STEPS[number % len(STEPS)]
    if kind == "add":
        pool.add([Item(id, text) for id, text in added(number).items()])
    elif kind == "delete":
        pool.delete(deleted(number))
    elif kind == "search":
        pool.search("honey and smoke")
    else:
        getattr(pool, kind)()


def main(place: str, log: str, first: int) -> None:
    indexes.LARGE = 0
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    pool = Pool.open(Path(place), WordEncoder())
    for number in range(first, first + 1_000_000):
        os.write(file, b"begun %d\n" % number)
        run(pool, number)
        os.write(file, b"done %d\n" % number)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
