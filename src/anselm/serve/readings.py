"""What a request asks for, done with a ranker: rerank a list, score pairs, ask documents. Runs in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from anselm import Candidate, Question
from anselm.ranking.answers import Answers, Ranking, Result, Span
from anselm.ranking.best_sentences import LIKELY, find_spans
from anselm.serve import sent_documents
from anselm.serve.bodies import Ask, DocumentBody, Ours, RerankTexts, RerankV2, Score, Spans
from anselm.serve.queue import Ticket
from anselm.serve.refusals import Refusal
from anselm.serve.service import Service
from anselm.text.documents import Document

EXPLAINED = 10  # results, unless fewer are wanted


@dataclass(frozen=True)
class Reranked:
    """A ranking, and what was found out on the way, by the places of documents."""

    ranking: Ranking[Result]
    tokens: int
    windowed: frozenset[int] = frozenset()
    truncated: frozenset[int] = frozenset()
    evidence: dict[int, Any] = field(default_factory=dict)
    spans: dict[int, list[dict[str, Any]]] | None = None


def text_of(document: str | DocumentBody) -> str:
    return document if isinstance(document, str) else document.text


def documents_of(body: RerankV2 | RerankTexts) -> Sequence[str | DocumentBody]:
    return body.texts if isinstance(body, RerankTexts) else body.documents


def candidate(place: int, document: str | DocumentBody, text: str) -> Candidate:
    asked = "" if isinstance(document, str) else document.question or ""
    return Candidate(str(place), text, question=asked)


def rerank(service: Service, ticket: Ticket, body: RerankV2 | RerankTexts) -> Reranked:
    description = service.describe(body.model)
    scorer = service.scorer(description, ticket)
    given = documents_of(body)
    texts, truncated = shorten(service, ticket, body, [text_of(document) for document in given])
    candidates = tuple(candidate(place, one, text) for place, (one, text) in enumerate(zip(given, texts, strict=True)))
    options = {"fold_duplicates": bool(body.fold_duplicates), "group": bool(body.group), "figures": bool(body.figures)}
    ranking = service.ranker(scorer, body.as_typed, body.threshold).rank(body.query, candidates, body.top_n, **options)
    least = body.score_threshold or 0.0
    ranking = replace(ranking, results=tuple(one for one in ranking if one.relevance >= least))
    found = Reranked(ranking, scorer.tokens, frozenset(map(int, scorer.windowed)), truncated)
    read = body.query if ranking.read_as is None else ranking.read_as
    return deepen(service, ticket, body, found, Question("", read, candidates))


def shorten(
    service: Service, ticket: Ticket, body: Ours, texts: list[str]
) -> tuple[list[str], frozenset[int]]:  # fmt: skip
    """Texts cut where the request asks for it, and which were; what is longer than the service reads is refused."""
    most = service.settings.limits.max_tokens_per_doc
    asked = getattr(body, "max_tokens_per_doc", None)
    limit = min(asked or most, most)
    long = [place for place, text in enumerate(texts) if len(text) > limit]  # a token is a character or more
    if not long:
        return texts, frozenset()
    scorer = service.scorer(service.describe(body.model), ticket)
    cut = dict(zip(long, scorer.cut([texts[place] for place in long], limit), strict=True))
    truncated = frozenset(place for place, text in cut.items() if len(text) < len(texts[place].rstrip()))
    if truncated and limit == most and asked != most:
        raise Refusal(
            422, f"document {min(truncated)} has more than {most:,} tokens; max_tokens_per_doc cuts documents"
        )
    return [cut.get(place, text) if place in truncated else text for place, text in enumerate(texts)], truncated


def deepen(service: Service, ticket: Ticket, body: Ours, found: Reranked, question: Question) -> Reranked:
    """With the words and the sentences that carried the results, where they are asked for, of the question as read."""
    description = service.describe(body.model)
    tokens, evidence, spans = found.tokens, {}, None
    if body.explain and found.ranking.results:
        top = min(EXPLAINED, len(found.ranking.results))
        chosen = [one.index for one in found.ranking.results[:top] if one.text.strip()]
        evidence = service.scorer(description, ticket).explain(question, chosen, EXPLAINED)
    if body.relevant_spans and body.relevant_spans.mode == "enabled":
        scorer = service.scorer(description, ticket)
        places = [one.index for one in found.ranking.results]
        asked = [question.candidates[place].text for place in places]
        found_spans = find_spans(service.ranker(scorer, as_typed=True), question.text, asked)  # it was read before
        spans = {
            place: wanted_spans(some, body.relevant_spans) for place, some in zip(places, found_spans, strict=True)
        }
        tokens += scorer.tokens
    return replace(found, tokens=tokens, evidence=evidence, spans=spans)


def wanted_spans(spans: Sequence[Span], wanted: Spans) -> list[dict[str, Any]]:
    """Those above the threshold, no more than are wanted."""
    least = LIKELY if wanted.threshold is None else wanted.threshold
    return [asdict(one) for one in spans if one.score > least][: wanted.max_spans]


@dataclass(frozen=True)
class ScoredPairs:
    """The results of pairs in their order, and of one text against many how it was read, where that differs."""

    results: list[Result]
    tokens: int
    read_as: str | None = None


def score_pairs(service: Service, ticket: Ticket, body: Score) -> ScoredPairs:
    """One text against many is a list; several against as many are lists of one."""
    scorer = service.scorer(service.describe(body.model), ticket)
    ranker = service.ranker(scorer, body.as_typed)
    first, second = ([text] if isinstance(text, str) else text for text in (body.text_1, body.text_2))
    if len(first) == 1:
        ranking = ranker.rank(first[0], second)
        return ScoredPairs(sorted(ranking.results, key=lambda one: one.index), scorer.tokens, ranking.read_as)
    if len(first) != len(second):
        raise Refusal(
            422, f"text_1 must be one text, or as many as text_2; they are {len(first):,} and {len(second):,}"
        )
    rankings = ranker.rank_many(first, [[text] for text in second])
    return ScoredPairs([ranking.best for ranking in rankings], scorer.tokens)


@dataclass(frozen=True)
class Asked:
    """What was found, which passages did not fit at once, and in which documents."""

    answers: Answers
    windowed: frozenset[int]
    documents: Sequence[Document]


def ask(service: Service, ticket: Ticket, body: Ask) -> Asked:
    scorer = service.scorer(service.describe(body.model), ticket)
    ranker = service.ranker(scorer, body.as_typed, body.threshold)
    documents = sent_documents.documents_of(service, ticket, body)
    answers = ranker.ask(
        body.question, documents, body.top, read=body.read, columns=body.columns,
        fold_duplicates=bool(body.fold_duplicates), figures=bool(body.figures),
    )  # fmt: skip
    return Asked(answers, frozenset(map(int, scorer.windowed)), documents)


def chars_of(service: Service, body: RerankV2 | RerankTexts | Score | Ask) -> int:
    """How much a request is, if it is not too much."""
    if isinstance(body, Score):
        first, second = ([text] if isinstance(text, str) else text for text in (body.text_1, body.text_2))
        return service.check_size("".join(first), second)
    if isinstance(body, Ask):
        chars = service.check_size(body.question, [sent_documents.text_of(one) for one in body.documents])
        return chars + sent_documents.chars_of(body, service.settings.limits.max_chars)
    return service.check_size(body.query, [text_of(one) for one in documents_of(body)])
