"""Why a request is not answered: a status, one sentence, and the shape in which each family of clients expects it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import HTTPException
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as PlainHTTPException

KINDS = {
    400: "bad_request", 401: "unauthorized", 404: "not_found", 405: "method_not_allowed", 408: "deadline",
    413: "too_large", 415: "content_type", 422: "validation", 429: "overloaded", 499: "gone", 500: "internal",
    503: "unavailable", 504: "deadline",
}  # fmt: skip
SHAPES = {"str", "DocumentBody", "SourceBody"}
TEI_KINDS = {413: "Validation", 422: "Validation", 400: "Validation", 429: "Overloaded", 503: "Unhealthy"}


class Refusal(HTTPException):
    """Raised anywhere between the socket and the ranker; `reason` is what it is counted by."""

    def __init__(self, status: int, sentence: str, reason: str | None = None, **headers: str) -> None:
        super().__init__(status, sentence, {name.replace("_", "-"): value for name, value in headers.items()})
        self.reason = reason or KINDS.get(status, "other")


def as_refusal(error: Exception) -> Refusal:
    """Any error that has a sentence for the client."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, RequestValidationError):
        return Refusal(422, validation_sentence(error.errors()))
    if isinstance(error, PlainHTTPException):
        sentences = {404: "there is nothing here", 405: "this is not how it is asked for; see the header Allow"}
        text = sentences.get(error.status_code, str(error.detail))
        headers = dict(error.headers or {})
        if headers.get("Allow") == "GET":
            headers["Allow"] = "GET, HEAD"  # the guard's doing
        return Refusal(error.status_code, text, **headers)
    return Refusal(422, str(error))


def validation_sentence(errors: Sequence[Any]) -> str:
    """The first mistake: where it is, and what is allowed there; never what was sent."""
    first = errors[0]
    if first["loc"][-1:] == ("str",):  # a document, which may be an object, too
        if not isinstance(first["input"], dict):
            files = " or the bytes of a file in base64 as `content`" * any(
                "SourceBody" in str(one["loc"]) for one in errors
            )
            return f"{place_of(first['loc'])} must be a text, or an object with a string as `text`{files}"
        first = next((one for one in errors if one["loc"][: len(first["loc"]) - 1] == first["loc"][:-1]
                      and one is not first), first)  # fmt: skip
    problem = str(first["msg"])
    return f"{place_of(first['loc'])}: {problem[:1].lower()}{problem[1:]}"


def place_of(location: Sequence[str | int]) -> str:
    """As one writes it: documents[3].text. Which of several shapes was tried, and how it is checked, is left out."""
    names = [part for part in location[1:] if part not in SHAPES and "[" not in str(part)]
    if len(names) > 1 and names[0] in ("documents", "texts") and not isinstance(names[1], int):
        names = names[1:]
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in names).lstrip(".") or "the body"


def refusal_body(status: int, sentence: str, tei: bool = False) -> Mapping[str, Any]:
    """Cohere's clients read `message`, vLLM's `error.message`, TEI's a plain `error`."""
    if tei:
        return {"error": sentence, "error_type": TEI_KINDS.get(status, "Backend"), "message": sentence}
    kind = KINDS.get(status, "other")
    return {"message": sentence, "error": {"message": sentence, "type": kind, "param": None, "code": status}}
