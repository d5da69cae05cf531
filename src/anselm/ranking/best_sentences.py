"""Which sentences of long candidates answer: the candidates are asked as documents, all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from anselm.errors import InputError
from anselm.ranking.answers import Answers, Result, Span
from anselm.text.documents import Document, document_from_text

LIKELY = 0.1  # relevance: a sentence above it is one of those that answer
ALL = 10**9

Kind = TypeVar("Kind", bound=Result)


class Asked(Protocol):
    """A `Ranker`, or what answers as it does."""

    def ask(self, question: str, documents: Sequence[Document], top: int) -> Answers: ...


def find_spans(ranker: Asked, question: str, texts: Sequence[str]) -> list[tuple[Span, ...]]:
    """Of each text its sentences, best first; of many sentences in all of them those that a model reads."""
    spans: list[list[Span]] = [[] for _ in texts]
    try:
        answers = ranker.ask(question, [document_from_text(text, str(place)) for place, text in enumerate(texts)], ALL)
    except InputError:  # not one sentence in all of them
        return [()] * len(texts)
    for one in answers:
        spans[int(one.source)].append(Span(one.start, one.end, one.relevance))
    return list(map(tuple, spans))


def with_spans(ranker: Asked, question: str, results: Sequence[Kind]) -> list[Kind]:
    """Each result with its best sentence, and with others that are likely to answer."""
    found = find_spans(ranker, question, [result.text for result in results])
    return [
        replace(result, spans=tuple(one for place, one in enumerate(spans) if place == 0 or one.score > LIKELY))
        for result, spans in zip(results, found, strict=True)
    ]
