"""What a first pass over 10,000 passages keeps: how often the right one is among 200, and in what time.

    ANSELM_DATA=folder python -m benchmarks.first_pass [CORPUS ...]

Passages are the sentences of SQuAD's dev paragraphs, of WikiQA's dev and train lists, and answers of InsuranceQA; the
questions are of dev splits. All ways are asked the same questions, in turn.
"""

# ruff: noqa: T201

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anselm.data.datasets import load_dataset
from anselm.data.question import Candidate, Question
from anselm.models.lexical import Lexical
from anselm.ranking.first_pass import COMPARED, fuse
from anselm.ranking.scorers import load_scorer

Order = NDArray[np.intp]  # places, best first
Way = Callable[[Question], Order]

PASSAGES, ASKED, KEPT = 10_000, 200, 200
SPLITS = {"squad": ("dev",), "wikiqa": ("dev", "train"), "insuranceqa-text": ("dev", "train")}


@dataclass(frozen=True)
class Pool:
    passages: tuple[Candidate, ...]
    asked: tuple[tuple[str, frozenset[int]], ...]  # questions, and the places of what answers them


def make_pool(name: str) -> Pool:
    lists = [question for split in SPLITS[name] for question in load_dataset(name, split).questions]
    own = load_dataset(name, SPLITS[name][0]).questions
    texts = dict.fromkeys(one.text for question in lists for one in question.candidates)
    places = {text: place for place, text in enumerate(list(texts)[:PASSAGES])}
    right = [(q.text, frozenset(places[c.text] for c in q.candidates if c.relevant and c.text in places)) for q in own]
    answered = [pair for pair in right if pair[1]]
    some = random.Random(0).sample(answered, min(ASKED, len(answered)))
    return Pool(tuple(Candidate(str(place), text) for text, place in places.items()), tuple(some))


def by_words() -> Way:
    bm25 = Lexical("bm25")
    return lambda question: np.argsort(-bm25.score([question])[0], kind="stable")


def by_words_and_meaning(model: str = "default") -> Way:
    words, scorer = by_words(), load_scorer(model)

    def order(question: Question) -> Order:
        kept = words(question)[:COMPARED]
        asked, *texts = scorer.text_vectors([question.text, *(question.candidates[i].content for i in kept)])  # type: ignore[attr-defined]
        return fuse(kept, kept[np.argsort(-(np.array(texts) @ asked), kind="stable")])

    return order


def by_model(model: str = "fast") -> Way:
    scorer = load_scorer(model)
    return lambda question: np.argsort(-scorer.score([question])[0], kind="stable")


def by_both(model: str = "fast") -> Way:
    words, meaning = by_words(), by_model(model)
    return lambda question: fuse(words(question), meaning(question))


WAYS: dict[str, Callable[[], Way]] = {
    "BM25": by_words,
    "BM25, the first 1,000 compared by the default's encoder": by_words_and_meaning,
    "fast": by_model,
    "BM25 and fast, in turn": by_both,
}


def main(names: Sequence[str]) -> None:
    ways = {name: make() for name, make in WAYS.items()}
    for name in names or SPLITS:
        pool = make_pool(name)
        print(f"\n## {name}: {len(pool.passages):,} passages, {len(pool.asked)} questions\n")
        print("| way | right one among 200 | among 50 | first question, s | median of the others, s |")
        print("|---|---|---|---|---|")
        found = {way: [] for way in ways}
        for text, right in pool.asked:
            question = Question("", text, pool.passages)
            for way, order in ways.items():
                start = time.perf_counter()
                places = order(question)
                rank = next((place for place, one in enumerate(places.tolist()) if one in right), len(places))
                found[way].append((rank, time.perf_counter() - start))
        for way, rows in found.items():
            ranks, seconds = (np.array(column) for column in zip(*rows, strict=True))
            cells = [f"{(ranks < KEPT).mean():.3f}", f"{(ranks < 50).mean():.3f}", f"{seconds[0]:.2f}"]
            print(f"| {way} | {' | '.join(cells)} | {np.median(seconds[1:]):.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
