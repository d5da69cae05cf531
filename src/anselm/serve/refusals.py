"""Why a request is not answered: a status, one sentence, and the shape in which each family of clients expects it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import HTTPException

KINDS = {
    400: "bad_request", 401: "unauthorized", 404: "not_found", 405: "method_not_allowed", 408: "deadline",
    413: "too_large", 415: "content_type", 422: "validation", 429: "overloaded", 499: "gone", 500: "internal",
    503: "unavailable", 504: "deadline",
}  # fmt: skip
TEI_KINDS = {413: "Validation", 422: "Validation", 400: "Validation", 429: "Overloaded", 503: "Unhealthy"}


class Refusal(HTTPException):
    """Raised anywhere between the socket and the ranker; `reason` is what it is counted by."""

    def __init__(self, status: int, sentence: str, reason: str | None = None, **headers: str) -> None:
        super().__init__(status, sentence, {name.replace("_", "-"): value for name, value in headers.items()})
        self.reason = reason or KINDS.get(status, "other")


def refusal_body(status: int, sentence: str, tei: bool = False) -> Mapping[str, Any]:
    """Cohere's clients read `message`, vLLM's `error.message`, TEI's a plain `error`."""
    if tei:
        return {"error": sentence, "error_type": TEI_KINDS.get(status, "Backend"), "message": sentence}
    kind = KINDS.get(status, "other")
    return {"message": sentence, "error": {"message": sentence, "type": kind, "param": None, "code": status}}
