"""The bodies of responses, for the OpenAPI document: each family of clients finds its own fields in them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from anselm.serve.bodies import Probability


class Span(BaseModel):
    start: int
    end: int
    score: Probability


class Word(BaseModel):
    text: str
    start: int
    end: int
    weight: float


class Evidence(BaseModel):
    """How far the score falls without a word."""

    question: list[Word]
    answer: list[Word]
    entry_question: list[Word] | None = Field(None, description="Of the question that an entry is filed under.")


class FigureBody(BaseModel):
    """What a model saw in a list: as SVG, in words, and as values; of which kind is its `name`."""

    name: str
    title: str
    svg: str
    sentences: list[str]
    values: dict[str, Any]


class ResultBody(BaseModel):
    """`relevance_score` is the probability of being right or, without a calibration, a sigmoid of the score."""

    index: int
    relevance_score: Probability
    probability: Probability | None
    document: dict[str, Any] | None = None
    id: str | int | None = None
    metadata: dict[str, Any] | None = None
    score: float | None = Field(None, description="The raw score, on request; null for an empty document.")
    relevant_spans: list[Span] | None = None
    evidence: Evidence | None = None
    cluster: int | None = None
    duplicates: list[int] | None = None
    read: bool | None = Field(None, description="Whether the larger of two models read it; only where there are two.")
    windowed: bool | None = Field(None, description="It did not fit and was read in windows; the best one counts.")
    truncated: bool | None = Field(None, description="It was cut at `max_tokens_per_doc`, as asked.")


class Tokens(BaseModel):
    input_tokens: int


class Meta(BaseModel):
    api_version: dict[str, str]
    tokens: Tokens
    warnings: list[str] | None = None


class Usage(BaseModel):
    prompt_tokens: int
    total_tokens: int


class RerankBody(BaseModel):
    id: str
    model: str
    results: list[ResultBody]
    read_as: str | None = Field(None, description="The question as it was read, where a word of it was misspelt.")
    question_cut: int | None = Field(None, description="How many characters of a question that is too long were read.")
    answerable: bool | None = Field(description="Whether the list holds an answer at all; null where nobody can tell.")
    answerability: Probability | None
    unsure: bool | None = Field(None, description="Refused, but there may well be an answer: a person should look.")
    threshold: float | None = Field(description="From which answerability on a list is answerable.")
    figures: list[FigureBody] | None = None
    meta: Meta
    usage: Usage


class TextResult(BaseModel):
    index: int
    score: float | None
    text: str | None = None
    probability: Probability | None
    relevant_spans: list[Span] | None = None
    evidence: Evidence | None = None
    cluster: int | None = None
    duplicates: list[int] | None = None
    read: bool | None = None
    windowed: bool | None = None


class ScoreResult(BaseModel):
    index: int
    object: Literal["score"]
    score: float | None


class ScoreBody(BaseModel):
    id: str
    object: Literal["list"]
    created: int
    model: str
    read_as: str | None = Field(None, description="The question as it was read, where a word of it was misspelt.")
    data: list[ScoreResult]
    usage: Usage


class PassageBody(BaseModel):
    """A sentence, or an entry of a FAQ, with its characters in its source."""

    model_config = ConfigDict(extra="allow")
    index: int
    text: str
    score: float | None
    probability: Probability | None
    source: str
    start: int
    end: int
    line: int
    read: bool | None = None
    windowed: bool | None = None


class ReadBody(BaseModel):
    """A document as it was read; of a file that is no text, what was found in it."""

    source: str
    kind: str
    text: str


class AskBody(BaseModel):
    question: str
    read_as: str | None = Field(None, description="The question as it was read, where a word of it was misspelt.")
    question_cut: int | None = Field(None, description="How many characters of a question that is too long were read.")
    model: str
    answerable: bool | None
    answerability: Probability | None
    unsure: bool | None = Field(None, description="Refused, but there may well be an answer: a person should look.")
    threshold: float | None
    passages: int
    read: int
    figures: list[FigureBody] | None = None
    results: list[PassageBody]
    documents: list[ReadBody] | None = None


class LimitsBody(BaseModel):
    max_documents: int
    max_chars: int
    max_tokens_per_doc: int
    max_bytes: int


class ModelBody(BaseModel):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    language: str | None
    calibrated: bool
    threshold: float | None
    window_tokens: int | None
    figures: bool = Field(description="Whether it has something to show of a list.")
    limits: LimitsBody


class ModelsBody(BaseModel):
    object: Literal["list"]
    data: list[ModelBody]


class InfoBody(BaseModel):
    """As TEI's where it has the same."""

    model_id: str
    model_type: dict[str, Any]
    version: str
    max_client_batch_size: int
    max_concurrent_requests: int
    max_batch_chars: int
    models: list[ModelBody]
    limits: LimitsBody
    processes: int
    threads: int


class ProcessBody(BaseModel):
    number: int
    ready: bool
    restarts: int


class HealthBody(BaseModel):
    status: Literal["ok", "degraded", "stopping"]
    processes: list[ProcessBody]
    restarts: int
    requests: int


class ReadyBody(BaseModel):
    ready: bool


class ProblemBody(BaseModel):
    """A refusal, in one sentence; TEI's clients get `error` as a string and `error_type`."""

    message: str
    error: dict[str, Any] | str
    error_type: str | None = None
