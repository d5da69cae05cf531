"""How fast a model ranks on this machine: latency by the length of the list, pairs per second, loading, memory."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle
from typing import Any

import numpy as np

from anselm.abilities import computes_on
from anselm.data.bundled import bundled_lists, bundled_sentences
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.machine import resident_megabytes
from anselm.ranking.ranker import Ranker

SECONDS = 8.0  # for all measurements together; loading comes on top
LEAST, MOST = 3, 500  # calls, however slow or fast the model is
BULK = 4  # lists that are ranked together where pairs per second are measured
LONGEST = 10_000  # candidates of a list, tokens of a text: far beyond, making the texts takes longer than ranking them
_PIECE = re.compile(r"\w+\s*|[^\w\s]\s*")  # a word or a sign: for plain English about what tokenizers make of it


@dataclass(frozen=True)
class Latency:
    """How long one list takes, in milliseconds."""

    candidates: int
    calls: int
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True)
class Bench:
    model: str
    engine: str
    threads: int
    tokens: int  # of a candidate, about
    load_seconds: float  # until the first list is ranked: engines prepare themselves on first use
    resident_mb: float | None  # after all measurements; None where the system does not say
    pairs_per_second: float  # lists of the middle length, several together
    latencies: tuple[Latency, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def bench(model: str, sizes: Sequence[int], tokens: int, source: Sequence[Question] = ()) -> Bench:
    """Measure a model on lists of so many candidates, made from the texts of `source` or from the bundled ones."""
    for number, what in [*((size, "candidates") for size in sizes), (tokens, "tokens")]:
        if not 1 <= number <= LONGEST:
            raise InputError(f"the number of {what} must be from 1 to {LONGEST:,}, not {number}")
    questions, texts = gather(source) if source else bundled_texts()
    lists = {size: make_lists(questions, texts, size, tokens) for size in sizes}
    began = time.perf_counter()
    ranker = Ranker.load(model)
    rank_all(ranker, lists[min(sizes)][:1])
    loaded = time.perf_counter() - began
    share = SECONDS / (len(lists) + 1)
    latencies = [latency(size, timed(in_turn(ranker, several), share)) for size, several in lists.items()]
    middle = sorted(lists)[len(lists) // 2]
    bulk = float(np.median(timed(lambda: rank_all(ranker, lists[middle]), share)))
    engine, threads = computes_on(ranker.scorer)
    return Bench(
        model, engine, threads, tokens, round(loaded, 3), resident_megabytes(),
        round(middle * BULK / bulk, 1), tuple(latencies),
    )  # fmt: skip


def rank_all(ranker: Ranker, questions: Sequence[Question]) -> None:
    for _ in ranker.rank_lists(questions):
        pass


def in_turn(ranker: Ranker, questions: Sequence[Question]) -> Callable[[], None]:
    """Each call ranks the next list."""
    endless = cycle(questions)
    return lambda: rank_all(ranker, [next(endless)])


def timed(work: Callable[[], None], seconds: float) -> list[float]:
    """The seconds of each call, after one to warm up: as many calls as the time allows, within bounds."""
    end = time.perf_counter() + seconds
    work()
    times: list[float] = []
    while len(times) < LEAST or (time.perf_counter() < end and len(times) < MOST):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return times


def latency(candidates: int, times: Sequence[float]) -> Latency:
    """Between two calls the percentile is interpolated: of few calls, p99 is little less than the slowest."""
    p50, p99 = 1000 * np.percentile(times, [50, 99])
    return Latency(candidates, len(times), round(float(p50), 2), round(float(p99), 2))


def bundled_texts() -> tuple[list[str], list[str]]:
    """Questions and sentences of the examples."""
    return [question.text for question in bundled_lists()], bundled_sentences()


def gather(source: Sequence[Question]) -> tuple[list[str], list[str]]:
    """The questions and the different candidates of labelled lists."""
    candidates = dict.fromkeys(candidate.text for question in source for candidate in question.candidates)
    return list(dict.fromkeys(question.text for question in source)), list(candidates)


def cut_texts(texts: Sequence[str], count: int, tokens: int) -> list[str]:
    """So many different texts of about so many tokens, each a stretch of all texts one after the other.

    They begin at different words; once there are no more, a made-up word in front tells them apart.
    """
    pieces = [piece for text in texts for piece in _PIECE.findall(text + " ")]
    if not pieces:
        raise InputError("there are no words in the data to make candidates from")
    ring = pieces * (tokens // len(pieces) + 2)
    step = max(1, len(pieces) // count)
    found: dict[str, None] = {}
    for number in range(count):
        start = number * step % len(pieces)
        text = "".join(ring[start : start + tokens]).strip()
        if text in found:
            text = "".join([f"x{number} ", *ring[start : start + tokens - 1]]).strip()
        found[text] = None
    return list(found)


def make_lists(questions: Sequence[str], texts: Sequence[str], size: int, tokens: int) -> list[Question]:
    """BULK lists. No candidate comes twice: the runtime reads equal texts once, and would seem faster than it is."""
    candidates = [Candidate(str(place), text) for place, text in enumerate(cut_texts(texts, BULK * size, tokens))]
    return [
        Question(str(place), questions[place % len(questions)], tuple(candidates[place::BULK])) for place in range(BULK)
    ]
