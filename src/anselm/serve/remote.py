"""A scorer whose model is elsewhere: it cuts lists into slices, queues them, and joins what comes back.

A `Ranker` made of it ranks, asks and groups as any other, so that verdicts are made in one place, of whole lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm import Candidate, Question
from anselm.errors import InputError
from anselm.scorer import Figure
from anselm.serve.queue import FairQueue, Slice, Ticket, late
from anselm.serve.ranker_process import Description, Scored

PAIR = 40  # characters: what a pair costs beside its own


class RemoteScorer:
    """Of one request. A list is cut only where a score does not depend on its neighbours."""

    def __init__(self, description: Description, ticket: Ticket, queue: FairQueue, most: int) -> None:
        self.name, self.language = description.name, description.language
        self.capacity, self.pairwise = description.capacity, description.pairwise
        self.ticket, self.queue, self.most = ticket, queue, most
        self.tokens, self.windowed = 0, set[str]()  # read so far; ids of candidates that did not fit at once
        self.cuts: dict[str, int | None] = {}  # questions, and how many of their characters were read, if not all
        if description.vectors:
            self.text_vectors = self._text_vectors
        if description.figures:
            self.figures = self._figures
        if description.rule is not None:
            self.rule, self.readers = description.rule, [self._stage(one) for one in description.stages]
            self.score_in_turn = self._score_in_turn

    def score(self, questions: Sequence[Question]) -> list[NDArray[np.float64]]:
        parts = [(place, part) for place, one in enumerate(questions) for part in self._parts(one)]
        found: list[Scored] = self.call("score", [part for _, part in parts], cost_of_list)
        rows: list[list[NDArray[np.float64]]] = [[] for _ in questions]
        for (place, part), one in zip(parts, found, strict=True):
            self.cuts[part.text] = one.question_cut
            rows[place].append(one.scores)
            self.tokens += one.tokens
            self.windowed |= {part.candidates[index].id for index in one.windowed}
        return [np.concatenate(row) if row else np.empty(0) for row in rows]

    def question_cut(self, question: str) -> int | None:
        return self.cuts.get(question)

    def _stage(self, description: Description) -> RemoteScorer:
        return RemoteScorer(description, self.ticket, self.queue, self.most)

    def _score_in_turn(self, questions: Sequence[Question]) -> Any:
        """Of two models, each of which scores pairs alone, so that its lists can be cut."""
        found = self.rule.score(*self.readers, questions)
        self.tokens = sum(stage.tokens for stage in self.readers)
        self.windowed = {id for stage in self.readers for id in stage.windowed}
        self.cuts = {text: cut for stage in self.readers for text, cut in stage.cuts.items()}
        return found

    def _parts(self, question: Question) -> Iterator[Question]:
        bare = tuple(replace(candidate, meta={}) for candidate in question.candidates)
        if not self.pairwise:
            yield replace(question, candidates=bare, meta={})
            return
        most = self.queue.share(cost_of_list(question), self.most)
        for chunk in chunks(bare, lambda one: cost_of_pair(question, one), most):
            yield replace(question, candidates=tuple(chunk), meta={})

    def _text_vectors(self, texts: list[str]) -> NDArray[np.float64]:
        parts = list(chunks(texts, cost_of_text, self.most))
        return np.concatenate(self.call("vectors", parts, cost_of_texts)).astype(np.float64)

    def cut(self, texts: Sequence[str], limit: int) -> list[str]:
        """The texts after so many tokens."""
        parts = [(part, limit) for part in chunks(texts, cost_of_text, 20 * self.most)]  # tokenizing is fast
        found = self.call("cut", parts, lambda part: cost_of_texts(part[0]) // 20)
        return [text for part in found for text in part]

    def explain(self, question: Question, chosen: Sequence[int], top: int) -> dict[int, Any]:
        """By place: pairs one by one, so that others are read in between; a list that is one, as one."""
        if not self.pairwise:
            whole: dict[int, Any] = self.call("explain", [(question, top)], lambda part: cost_of_list(part[0]))[0]
            return whole
        parts = [(replace(question, candidates=(question.candidates[place],)), 1) for place in chosen]
        found = self.call("explain", parts, lambda part: 20 * cost_of_list(part[0]))
        return {place: one[0] for place, one in zip(chosen, found, strict=True)}

    def _figures(self, question: Question, place: int) -> tuple[Figure, ...]:
        """What a model has to show of a whole list, which it scores twice for that: alone, and together."""
        found: tuple[Figure, ...] = self.call("figures", [(question, place)], lambda part: 2 * cost_of_list(part[0]))[0]
        return found

    def call(self, method: str, payloads: Sequence[Any], cost: Callable[[Any], int]) -> list[Any]:
        """Queue them and wait, no longer than the request does."""
        slices = [Slice(self.ticket, self.name, method, payload, cost(payload)) for payload in payloads]
        if self.ticket.refusal:
            raise self.ticket.refusal
        self.queue.put(slices)
        futures = [one.found for one in slices]
        _, missing = wait(futures, self.ticket.remaining, FIRST_EXCEPTION)
        failed = next((error for one in futures if one.done() and (error := one.exception())), None)
        if failed or missing:
            refusal = self.ticket.refusal or late()
            self.queue.drop(self.ticket, refusal)
            raise failed or refusal
        return [one.result() for one in futures]

    def save(self, folder: Path) -> None:
        raise InputError("a model that a service reads with cannot be saved from there")


def chunks(items: Sequence[Any], cost: Callable[[Any], int], most: int) -> Iterator[list[Any]]:
    """Runs of items that cost no more than `most` together, or a single one that does."""
    chunk: list[Any] = []
    total = 0
    for item in items:
        price = cost(item)
        if chunk and total + price > most:
            yield chunk
            chunk, total = [], 0
        chunk.append(item)
        total += price
    if chunk:
        yield chunk


def cost_of_pair(question: Question, candidate: Candidate) -> int:
    return PAIR + min(len(question.text), 300) + len(candidate.text) + len(candidate.question)


def cost_of_list(question: Question) -> int:
    return sum(cost_of_pair(question, candidate) for candidate in question.candidates)


def cost_of_text(text: str) -> int:
    return PAIR + len(text)


def cost_of_texts(texts: Sequence[str]) -> int:
    return sum(map(cost_of_text, texts))
