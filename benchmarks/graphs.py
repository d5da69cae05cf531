"""What the graph encoder costs beside the encoder that it stands on, and how long a list may be.

    python -m benchmarks.graphs

`br-mpge-as` against `br-as`, both untrained, over lists of sentences; processor time on one thread. On
all-MiniLM-L6-v2, and on all-mpnet-base-v2, which has the size of the paper's, where $ANSELM_ENCODERS has it.
"kept" is a list whose entities and vectors are known from before, as for a second question to the same document; "new"
finds them, too. "layers" is the graph encoder alone, from the pooled vectors on.
"""

# ruff: noqa: T201

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from anselm.errors import InputError

SIZES = (5, 10, 20, 50)
LONG = 2_000
ROUNDS = 25
LARGE = "sentence-transformers/all-mpnet-base-v2"
NAMES = ("Anna Bell", "Lisbon", "Henry Cole", "1912", "the Thames", "Ohio", "Marie Vogt", "1867", "Kew", "Oslo")
WORDS = (
    "river",
    "bridge",
    "council",
    "opened",
    "moved",
    "early",
    "stone",
    "engine",
    "record",
    "winter",
    "market",
    "house",
)


def main() -> None:
    try:
        import torch

        from anselm.models.frames.pretrained import MINILM, find_encoder

        bases = [base for base in (MINILM, LARGE) if find_encoder(base) != LARGE]  # not from the hub
    except (ImportError, InputError) as error:
        print(f"\n## Graph encoder: left out, {error}")
        return
    torch.set_num_threads(1)
    how = f"one CPU thread, float32, forward, quickest of {ROUNDS} in turn"
    print(f"\n## Graph encoder ({how}): time of br-mpge-as / br-as\n")
    print("| encoder | sentences | layers | kept | new |\n|---|---|---|---|---|")
    for base in bases:
        plain, graphs = make_model("br-as", base), make_model("br-mpge-as", base)
        for size in SIZES:
            cells = " | ".join(f"{ratio:.3f}" for ratio in ratios(plain, graphs, size))
            print(f"| {Path(base).name} | {size} | {cells} |", flush=True)
    for name in ("br-as", "br-mpge-as"):
        done = subprocess.run([sys.executable, "-m", "benchmarks.graphs", name], capture_output=True, text=True)
        print(f"\nA list of {LONG:,} sentences, {name}: {done.stdout.strip()}", flush=True)


def ratios(plain: Any, graphs: Any, size: int) -> list[float]:
    """Layers and encoder beside encoder; the model with known annotations, and with new ones, beside the plain one.

    Each of them by its quickest round, all in turn: what else runs on the machine only ever adds to a round.
    """
    fresh = iter(range(10**6))
    known = make_list(size, 0)
    ways: list[Callable[[], object]] = [
        lambda: plain.score([known]),
        layers(graphs, known),
        lambda: graphs.score([known]),
        lambda: graphs.score([make_list(size, next(fresh) + 1)]),
    ]
    base, alone, kept, new = seconds(ways)
    return [1 + alone / base, kept / base, new / base]


def layers(model: Any, question: Any) -> Callable[[], object]:
    """The graph encoder alone."""
    import torch

    from anselm.models.frames.relations import batch_relations

    lists = model.featurize([question])
    batch = model.collate(model.place(lists, torch.device("cpu")), lists)
    windows = batch.windows
    with torch.no_grad():
        h = windows.layout.pad(model.pooled(batch))

    def run() -> object:
        with torch.no_grad():
            return model.graph(h, batch_relations(batch.columns, windows.layout, windows.first))

    return run


def make_model(name: str, base: str) -> Any:
    import torch

    from anselm.checkpoints.catalogue import build_model

    torch.manual_seed(1)
    return build_model(name, {"base": base}, []).eval()


def make_list(size: int, seed: int) -> Any:
    """Sentences of about 20 words with a name or two in each."""
    import numpy as np

    from anselm.data.question import Candidate, Question

    rng = np.random.default_rng(seed)

    def sentence() -> str:
        names, (first, second) = rng.choice(NAMES, 2), (" ".join(rng.choice(WORDS, 8)) for _ in range(2))
        return f"In {names[0]} the {first} of {names[1]} {second}."

    texts = [sentence() for _ in range(size)]
    return Question("q", "Who opened the first stone bridge?", tuple(Candidate(str(i), t) for i, t in enumerate(texts)))


def seconds(ways: Sequence[Callable[[], object]]) -> list[float]:
    """Processor time of each, after a round to warm up."""
    found: list[list[float]] = [[] for _ in ways]
    for _ in range(1 + ROUNDS):
        for way, times in zip(ways, found, strict=True):
            began = time.process_time()
            way()
            times.append(time.process_time() - began)
    return [min(times[1:]) for times in found]


def long_list(name: str) -> None:
    """In a process of its own, so that the memory is its own."""
    from anselm.models.frames.pretrained import MINILM

    model, question = make_model(name, MINILM), make_list(LONG, 0)
    model.score([make_list(5, 1)])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model.score([question])
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{before / 1024:,.0f} MiB before it, {after / 1024:,.0f} MiB at most")


if __name__ == "__main__":
    long_list(sys.argv[1]) if len(sys.argv) > 1 else main()
