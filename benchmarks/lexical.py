"""BM25 over TrecQA's train-all, 53,417 pairs in 1,229 lists: reading, ranking, peak memory; bm25s as the peer.

Both rank every list on its own statistics and get the same words. Each part runs in a process of its own, so that peak
memory is that part's. Needs ANSELM_DATA.
"""

# ruff: noqa: T201

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

from anselm.checkpoints.catalogue import load_model
from anselm.data.datasets import load_dataset
from anselm.models.lexical import Lexical
from anselm.ranking.ranker import Ranker


def read() -> float:
    began = time.perf_counter()
    load_dataset("trecqa", "train-all")
    return time.perf_counter() - began


def anselm_bm25() -> float:
    dataset = load_dataset("trecqa", "train-all")
    model = load_model("bm25")
    began = time.perf_counter()
    model.score(dataset)
    return time.perf_counter() - began


def bm25s_peer() -> float:
    import bm25s

    dataset = load_dataset("trecqa", "train-all")
    analyse = Lexical("bm25").terms  # the same words, so that the ranking is what differs
    began = time.perf_counter()
    for question in dataset:
        peer = bm25s.BM25(k1=0.9, b=0.4)
        peer.index([list(analyse(c.text).elements()) for c in question.candidates], show_progress=False)
        known = [word for word in analyse(question.text).elements() if word in peer.vocab_dict]
        if known:
            peer.get_scores(known)
    return time.perf_counter() - began


def anselm_ask() -> float:
    """One question to a text of 10,000 sentences: splitting, ranking and all."""
    dataset = load_dataset("trecqa", "train-all")
    texts = list(dict.fromkeys(c.text for question in dataset for c in question.candidates))[:10_000]
    ranker, text = Ranker.load("bm25"), "\n\n".join(texts)
    began = time.perf_counter()
    ranker.ask(dataset[0].text, [text])
    return time.perf_counter() - began


def apart(function: Callable[[], float]) -> tuple[float, float]:
    """Seconds and peak MiB of a function in its own process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_measured, function).result()


def _measured(function: Callable[[], float]) -> tuple[float, float]:
    return function(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    print("\n## BM25 on TrecQA train-all (1,229 lists, 53,417 pairs)\n")
    print("| part | seconds | ratio to Anselm's ranking | peak MiB |\n|---|---|---|---|")
    parts = (anselm_bm25, read, bm25s_peer, anselm_ask)
    names = ("Anselm: rank all lists", "read", "bm25s: rank all lists", "Anselm: ask a text of 10,000 sentences")
    rows = [apart(part) for part in parts]
    for name, (value, memory) in zip(names, rows, strict=True):
        print(f"| {name} | {value:.2f} | {value / rows[0][0]:.2f} | {memory:.0f} |")


if __name__ == "__main__":
    main()
