"""From what was found to the JSON that each family of clients reads."""

from __future__ import annotations

import time
import uuid
from dataclasses import asdict
from math import isfinite
from typing import Any

import anselm
from anselm.ranking.answers import Result
from anselm.serve.bodies import DocumentBody, Rerank, RerankTexts, RerankV2
from anselm.serve.ranker_process import Description
from anselm.serve.readings import Asked, Reranked, ScoredPairs, documents_of
from anselm.serve.service import Service

Json = dict[str, Any]


def reranked(found: Reranked, body: RerankV2) -> Json:
    """Cohere's, Jina's and vLLM's in one: each reads its own fields."""
    ranking = found.ranking
    warnings = {"warnings": list(ranking.warnings)} if ranking.warnings else {}
    return {
        "id": uuid.uuid4().hex,
        "model": ranking.model,
        "results": [cohere_result(one, found, body) for one in ranking],
        **({} if ranking.read_as is None else {"read_as": ranking.read_as}),
        **({} if ranking.question_cut is None else {"question_cut": ranking.question_cut}),
        "answerable": ranking.answerable,
        "answerability": ranking.answerability,
        **({"unsure": True} if ranking.unsure else {}),
        "threshold": ranking.threshold,
        **({} if ranking.figures is None else {"figures": [asdict(one) for one in ranking.figures]}),
        "meta": {"api_version": {"version": "2"}, "tokens": {"input_tokens": found.tokens}, **warnings},
        "usage": usage(found.tokens),
    }


def cohere_result(result: Result, found: Reranked, body: RerankV2) -> Json:
    document = documents_of(body)[result.index]
    shown = isinstance(body, Rerank) and body.return_documents
    return {
        "index": result.index,
        "relevance_score": result.relevance,
        **({"document": as_given(document)} if shown else {}),
        **({"score": raw(result)} if body.raw_scores else {}),
        **extras(result, found),
        **identity(document),
    }


def text_results(found: Reranked, body: RerankTexts) -> list[Json]:
    """TEI's bare array, best first."""
    return [
        {
            "index": one.index,
            "score": raw(one) if body.raw_scores else one.relevance,
            **({"text": body.texts[one.index]} if body.return_text else {}),
            **extras(one, found),
        }
        for one in found.ranking
    ]


def extras(result: Result, found: Reranked) -> Json:
    """What is ours: each only where there is something to say."""
    known: Json = {"probability": result.probability}
    if found.spans is not None:
        known["relevant_spans"] = found.spans[result.index]
    if evidence := found.evidence.get(result.index):
        known["evidence"] = evidence.to_dict()
    if result.cluster is not None:
        known["cluster"] = result.cluster
    if result.duplicates is not None:
        known["duplicates"] = list(result.duplicates)
    if result.read is not None:
        known["read"] = result.read
    if result.index in found.windowed:
        known["windowed"] = True
    if result.index in found.truncated:
        known["truncated"] = True
    return known


def answered(found: Asked, return_documents: bool = False) -> Json:
    """As `anselm ask --json` prints it, which passages were read in windows and, on request, what they stand in."""
    known = found.answers.to_dict()
    results = [{**one, **({"windowed": True} if one["index"] in found.windowed else {})} for one in known["results"]]
    documents = [{"source": one.source, "kind": one.kind, "text": one.text} for one in found.documents]
    return {**known, "results": results, **({"documents": documents} if return_documents else {})}


def as_given(document: str | DocumentBody) -> Json:
    return {"text": document} if isinstance(document, str) else document.model_dump(exclude_unset=True)


def identity(document: str | DocumentBody) -> Json:
    """Its id and metadata, where it has some."""
    if isinstance(document, str):
        return {}
    known = {"id": document.id, "metadata": document.metadata}
    return {name: value for name, value in known.items() if value is not None}


def raw(result: Result) -> float | None:
    return result.score if isfinite(result.score) else None


def scored(found: ScoredPairs, model: str, raw_scores: bool) -> Json:
    """vLLM's."""
    return {
        "id": f"score-{uuid.uuid4().hex}",
        "object": "list",
        "created": int(time.time()),
        "model": model,
        **({} if found.read_as is None else {"read_as": found.read_as}),
        "data": [
            {"index": place, "object": "score", "score": raw(one) if raw_scores else one.relevance}
            for place, one in enumerate(found.results)
        ],
        "usage": usage(found.tokens),
    }


def usage(tokens: int) -> Json:
    return {"prompt_tokens": tokens, "total_tokens": tokens}


def limits(service: Service) -> Json:
    known = asdict(service.settings.limits)
    return {name: known[name] for name in ("max_documents", "max_chars", "max_tokens_per_doc", "max_bytes")}


def model(service: Service, one: Description) -> Json:
    return {
        "id": one.name,
        "object": "model",
        "created": 0,
        "owned_by": "anselm",
        "language": one.language,
        "calibrated": one.calibration is not None,
        "threshold": None if one.calibration is None else one.calibration.threshold,
        "window_tokens": one.window,
        "figures": one.figures,
        "limits": limits(service),
    }


def models(service: Service) -> Json:
    return {"object": "list", "data": [model(service, one) for one in service.models.values()]}


def info(service: Service) -> Json:
    """As TEI's where it has the same."""
    settings = service.settings
    return {
        "model_id": service.describe(None).name,
        "model_type": {"reranker": {"id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}}},
        "version": anselm.__version__,
        "max_client_batch_size": settings.limits.max_documents,
        "max_concurrent_requests": settings.limits.max_requests,
        "max_batch_chars": settings.batch_chars,
        "models": models(service)["data"],
        "limits": limits(service),
        "processes": len(service.keepers),
        "threads": service.threads,
    }


def health(service: Service) -> Json:
    processes = [
        {"number": keeper.number, "ready": keeper.ready.is_set(), "restarts": keeper.restarts}
        for keeper in service.keepers
    ]
    fine = all(one["ready"] for one in processes)
    return {
        "status": "stopping" if service.draining else "ok" if fine else "degraded",
        "processes": processes,
        "restarts": service.restarts,
        "requests": service.open,
    }
