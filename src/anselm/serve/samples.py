"""Examples for the OpenAPI document: what each family of clients sends, and gets."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

QUERY = "When does the shop open?"
TABLE = b"question,answer\nWhen do you open?,At nine.\n"
DOCUMENTS = ["Parking is free.", "We open at nine in the morning."]


def named(summary: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"summary": summary, "value": value}


PLAIN = {"model": "default", "query": QUERY, "documents": DOCUMENTS}
V2 = {
    "cohere": named("Cohere's v2", {**PLAIN, "top_n": 1}),
    "spans": named("With the best sentences", {**PLAIN, "relevant_spans": {"mode": "enabled", "max_spans": 1}}),
}
V1 = {
    "documents": named("Documents come back", {**PLAIN, "return_documents": True}),
    "objects": named(
        "With ids and metadata",
        {"query": QUERY, "documents": [{"id": "a1", "text": DOCUMENTS[1], "metadata": {"source": "faq.txt"}}]},
    ),
    "explained": named("With the words that carried the scores", {**PLAIN, "explain": True, "top_n": 1}),
}
EITHER = {
    "documents": named("vLLM's", PLAIN),
    "texts": named("TEI's", {"query": QUERY, "texts": DOCUMENTS, "return_text": True}),
}
RERANKED = {
    "id": "5f0c3f8e7d7f4d0c9a6b1c2d3e4f5a6b",
    "model": "default",
    "results": [
        {"index": 1, "relevance_score": 0.97, "probability": 0.97},
        {"index": 0, "relevance_score": 0.01, "probability": 0.01},
    ],
    "answerable": True,
    "answerability": 0.96,
    "threshold": 0.5,
    "meta": {"api_version": {"version": "2"}, "tokens": {"input_tokens": 26}},
    "usage": {"prompt_tokens": 26, "total_tokens": 26},
}
SCORE = {
    "one": named("One text against several", {"text_1": QUERY, "text_2": DOCUMENTS}),
    "pairs": named("Pairs", {"text_1": [QUERY, "Is parking free?"], "text_2": list(reversed(DOCUMENTS))}),
}
SCORED = {
    "id": "score-5f0c3f8e7d7f4d0c9a6b1c2d3e4f5a6b",
    "object": "list",
    "created": 1760000000,
    "model": "default",
    "data": [{"index": 0, "object": "score", "score": 0.01}, {"index": 1, "object": "score", "score": 0.97}],
    "usage": {"prompt_tokens": 26, "total_tokens": 26},
}
ASK = {
    "texts": named("Texts", {"question": QUERY, "documents": ["Parking is free. We open at nine."], "top": 1}),
    "markdown": named(
        "A page with a name",
        {
            "question": QUERY,
            "documents": [{"source": "shop.md", "kind": "markdown", "text": "# Hours\n\nWe open at *nine*."}],
        },
    ),
    "table": named(
        "A FAQ with columns of its own names",
        {
            "question": QUERY,
            "documents": [{"source": "faq.csv", "text": "Topic,Reply\nHours,We open at nine.\n"}],
            "columns": {"question": "Topic", "answer": "Reply"},
        },
    ),
    "file": named(
        "The bytes of a file, in base64; Excel, Word, PDF and others likewise",
        {"question": QUERY, "documents": [{"source": "faq.csv", "content": b64encode(TABLE).decode()}]},
    ),
}
ASKED = {
    "question": QUERY,
    "model": "default",
    "answerable": True,
    "answerability": 0.95,
    "threshold": 0.5,
    "passages": 2,
    "read": 2,
    "results": [
        {
            "index": 1, "text": "We open at nine.", "score": 4.1, "probability": 0.96, "source": "document 0",
            "start": 17, "end": 33, "line": 1, "before": "Parking is free.", "after": "",
        }
    ],
}  # fmt: skip
