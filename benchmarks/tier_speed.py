"""The tiers, baselines and peers in one run: pairs of WikiQA's test lists a second, all texts new in every round.

    ANSELM_DATA=folder python -m benchmarks.tier_speed

On ONNX Runtime, the engine of the base install, unless ANSELM_ENGINE says otherwise. Ways take turns; the median of the
rounds counts, by the clock and by the seconds of all processors. `accurate` must have been fetched. The peers run an
encoder of the default's size with an untrained head (benchmarks/ranking.py).
"""

# ruff: noqa: T201

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from anselm.data.datasets import load_dataset
from anselm.data.question import Question
from anselm.errors import AnselmError
from anselm.ranking.scorers import load_scorer
from anselm.runtime.engines import VARIABLE
from anselm.runtime.sentence_encoder import load_sentence_encoder
from anselm.runtime.vector_store import VectorStore
from benchmarks.ranking import Way, cross_encoder, flashrank, pairs_of, prepare_onnx

ROUNDS = 3
FAST, SLOW = 1, 40  # every so manieth list; slow ways get fewer, so that a run takes minutes
QUICK = ("BM25", "fast")


def tier(name: str) -> Way:
    scorer = load_scorer(name)

    def score(questions: Sequence[Question]) -> Any:
        for one in (scorer, getattr(scorer, "first", None), getattr(scorer, "second", None)):
            if hasattr(one, "vectors"):
                one.vectors = VectorStore()
        return scorer.score(questions)

    return score


def cosine(name: str) -> Way:
    encoder = load_sentence_encoder(name)

    def score(questions: Sequence[Question]) -> Any:
        texts = dict.fromkeys(text for pair in pairs_of(questions) for text in pair)
        vectors = dict(zip(texts, encoder.text_vectors(list(texts)), strict=True))
        return [vectors[asked] @ vectors[said] for asked, said in pairs_of(questions)]

    return score


def makers(folder: Path) -> dict[str, Callable[[], Way]]:
    return {
        "BM25": lambda: tier("bm25"),
        "fast": lambda: tier("fast"),
        "default": lambda: tier("default"),
        "accurate": lambda: tier("accurate"),
        "cosine of all-MiniLM-L6-v2, int8": lambda: cosine("default"),
        "cosine of all-mpnet-base-v2, int8": lambda: cosine("accurate"),
        "FlashRank's way": lambda: flashrank(folder),
        "CrossEncoder (torch)": lambda: cross_encoder(folder),
    }


def ways(folder: Path) -> Iterator[tuple[str, Way]]:
    for name, make in makers(folder).items():
        try:
            yield name, make()
        except (ImportError, AnselmError) as error:
            print(f"without {name}: {error}")


def main() -> None:
    os.environ.setdefault(VARIABLE, "onnxruntime")
    lists = load_dataset("wikiqa", "test").questions
    with TemporaryDirectory() as scratch:
        prepare_onnx(Path(scratch))
        loaded = dict(ways(Path(scratch)))
        spent: dict[str, list[tuple[float, float]]] = {name: [] for name in loaded}
        for number in range(ROUNDS + 1):
            for name, way in loaded.items():
                some = lists[number :: FAST if name in QUICK else SLOW]
                clock, used = time.perf_counter(), time.process_time()
                way(some)
                pairs = len(pairs_of(some))
                if number:  # the first round is to warm up
                    rates = pairs / (time.perf_counter() - clock), pairs / (time.process_time() - used)
                    spent[name].append(rates)
    print("\n| way | pairs/s | slowest to fastest round | pairs per second of a core | times the default |")
    print("|---|---|---|---|---|")
    base = np.median([clock for clock, _ in spent["default"]])
    for name, rows in spent.items():
        clock, used = np.array(rows).T
        cells = [f"{np.median(clock):.0f}", f"{clock.min():.0f} to {clock.max():.0f}", f"{np.median(used):.0f}"]
        print(f"| {name} | {' | '.join(cells)} | {np.median(clock) / base:.1f} |", flush=True)


if __name__ == "__main__":
    main()
