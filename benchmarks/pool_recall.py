"""How often a pool finds the right passage, by words, by meaning and by both, and what the ranker makes of it.

    ANSELM_DATA=folder python -m benchmarks.pool_recall POOLS [CORPUS ...] [--sample 200] [--device cuda]

POOLS is a folder in which the pools are made; a run that was stopped goes on with their vectors. Each pool holds all
the different answers of a corpus: the sentences of SQuAD's dev paragraphs, InsuranceQA's answers, and the answers of
three Stack Exchange sites, without their questions. recall@k is the share of questions with a right answer among the
first k, of up to 1,000 questions. MAP and P@1 are those of what is found as it stands, and after the ranker has
read the first 50, 100 or 200 of it, for a sample of the questions, with 95% intervals over questions (bootstrap).
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anselm.data.datasets import load_dataset
from anselm.data.question import Question
from anselm.ranking.pool_answers import ask_pool
from anselm.ranking.ranker import Ranker
from anselm.retrieval.fusion import fuse_ranks
from anselm.retrieval.item import hash_text
from anselm.retrieval.pool import Pool
from anselm.runtime.sentence_encoder import load_sentence_encoder

DEPTHS = (10, 50, 100)
READ = (50, 100, 200)
ASKED = 1_000  # questions of a corpus, at most


@dataclass(frozen=True)
class Corpus:
    asked: tuple[tuple[str, frozenset[str]], ...]  # questions, and the ids of their right answers
    texts: tuple[str, ...]


def squad() -> Corpus:
    return corpus(list(load_dataset("squad", split="dev")), ())


def insuranceqa() -> Corpus:
    others = [question for split in ("train", "dev") for question in load_dataset("insuranceqa-text", split=split)]
    return corpus(list(load_dataset("insuranceqa-text", split="test")), others)


def stackexchange() -> Corpus:
    sites = [
        question for site in ("cardano", "coffee", "genai") for question in load_dataset("stackexchange", split=site)
    ]
    titled = [Question(one.id, str(one.meta["title"]), one.candidates) for one in sites]
    return corpus(titled, ())


def corpus(questions: Sequence[Question], others: Sequence[Question]) -> Corpus:
    """Texts that are the same are one."""
    texts = dict.fromkeys(one.text for question in (*questions, *others) for one in question.candidates)
    asked = [(q.text, frozenset(hash_text(one.text) for one in q.candidates if one.relevant)) for q in questions]
    answered = [pair for pair in asked if pair[1]]
    some = random.Random(0).sample(answered, min(ASKED, len(answered)))
    return Corpus(tuple(some), tuple(texts))


CORPORA: dict[str, Callable[[], Corpus]] = {"squad": squad, "insuranceqa": insuranceqa, "stackexchange": stackexchange}


def main(folder: Path, names: Sequence[str], sample: int, device: str | None) -> None:
    encoder = load_sentence_encoder()
    for name in names:
        found = CORPORA[name]()
        with Pool.open(folder / f"{name}.pool", encoder) as pool:
            pool.add(found.texts)
            fill_in(pool)
            print(f"\n## {name}: {len(found.asked):,} questions, {pool.count():,} passages\n")
            measure(pool, found, sample, device)


def fill_in(pool: Pool) -> None:
    began, count = time.perf_counter(), pool.embed()
    if count:
        print(f"{count:,} vectors, {count / (time.perf_counter() - began):.0f} a second", flush=True)


def measure(pool: Pool, found: Corpus, sample: int, device: str | None) -> None:
    orders = [pool.search_apart(question, 200) for question, _ in found.asked]
    ways = {
        "words": [words[:100] for words, _ in orders],
        "meaning": [meaning[:100] for _, meaning in orders],
        "both": [list(fuse_ranks([words[:100], meaning[:100]])) for words, meaning in orders],
    }
    print("| found by | " + " | ".join(f"recall@{k}" for k in DEPTHS) + " |\n|---|" + "---|" * len(DEPTHS))
    for name, lists in ways.items():
        print(f"| {name} | " + " | ".join(f"{recall(lists, found.asked, k):.3f}" for k in DEPTHS) + " |", flush=True)
    chosen = sorted(random.Random(1).sample(range(len(found.asked)), min(sample, len(found.asked))))
    rank_sample(pool, found, ways, chosen, device)


def recall(lists: Sequence[Sequence[str]], asked: Sequence[tuple[str, frozenset[str]]], k: int) -> float:
    return float(np.mean([not right.isdisjoint(ids[:k]) for ids, (_, right) in zip(lists, asked, strict=True)]))


def rank_sample(
    pool: Pool, found: Corpus, ways: dict[str, list[list[str]]], chosen: Sequence[int], device: str | None
) -> None:
    """The ranker scores a pair by itself, so that each is read once, whichever way it was found."""
    ranker = Ranker.load(device=device)
    scores = {place: score(ranker, pool, found.asked[place][0], ways["both"][place]) for place in chosen}
    print_quality(found, ways, scores)
    times = []
    for place in chosen[:20]:
        began = time.perf_counter()
        ask_pool(ranker, found.asked[place][0], pool)
        times.append(time.perf_counter() - began)
    print(f"\nasking, 100 read: {np.median(times):.2f} s, at most {max(times):.2f} s", flush=True)


def print_quality(found: Corpus, ways: dict[str, list[list[str]]], scores: dict[int, dict[str, float]]) -> None:
    """By question, as the pool gives it and as the ranker orders it."""
    print(f"\n| {len(scores)} questions | MAP | P@1 |\n|---|---|---|")
    for way, lists in ways.items():
        print_row(f"{way}, not read", [judge(lists[place], found.asked[place][1]) for place in scores])
    for way, depth in [("words", 100), ("meaning", 100), *(("both", depth) for depth in READ)]:
        orders = {place: sorted(ways[way][place][:depth], key=lambda id: -scores[place][id]) for place in scores}
        print_row(f"{way}, {depth} read", [judge(order, found.asked[place][1]) for place, order in orders.items()])


def print_row(name: str, pairs: Sequence[tuple[float, float]]) -> None:
    values = np.array(pairs)  # (questions, 2)
    drawn = np.random.default_rng(0).integers(0, len(values), (2_000, len(values)))
    low, high = np.percentile(values[drawn].mean(axis=1), [2.5, 97.5], axis=0)
    columns = [f"{mean:.3f} ({a:.3f} to {b:.3f})" for mean, a, b in zip(values.mean(axis=0), low, high, strict=True)]
    print(f"| {name} | {' | '.join(columns)} |", flush=True)


def score(ranker: Ranker, pool: Pool, question: str, ids: Sequence[str]) -> dict[str, float]:
    ranking = ranker.rank(question, [item.candidate for item in pool.get(ids)])
    return {str(result.id): result.score for result in ranking}


def judge(order: Sequence[str], right: frozenset[str]) -> tuple[float, float]:
    """Average precision, where a right answer that was not found counts as never reached; and whether the first is."""
    hits = np.array([id in right for id in order])
    precisions = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float((precisions * hits).sum() / len(right)), float(hits[0])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=list(CORPORA))
    parser.add_argument("--sample", type=int, default=200, help="questions that the ranker reads for")
    parser.add_argument("--device")
    given = parser.parse_args()
    main(given.folder, given.names, given.sample, given.device)
