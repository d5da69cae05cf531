"""The bodies of requests and responses as clients of Cohere, Jina, vLLM and TEI know them, and our own.

Unknown fields are accepted and passed over. Fields of ours are optional and mean the same on every route.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Discriminator, Field, Tag

Probability = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1)]
Text = Annotated[str, Field(min_length=1)]


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False, populate_by_name=True)


class DocumentBody(BaseModel):
    """A document with more than its text; what else it has comes back with it."""

    model_config = ConfigDict(strict=True, extra="allow")
    text: str
    id: str | int | None = Field(None, description="Comes back with the result.")
    question: str | None = Field(
        None, description="The question that an entry of a FAQ is filed under; it is read, too."
    )
    metadata: dict[str, Any] | None = Field(None, description="Comes back with the result.")


class Spans(Body):
    """Cohere's `relevant_spans`: the best sentences of each document, by their characters."""

    mode: Literal["enabled", "disabled"]
    threshold: Probability | None = Field(None, description="Spans above this score; 0.1 by default.")
    max_spans: Positive | None = Field(None, description="Of a document; all of them by default.")


class Ours(Body):
    """What every ranking route takes beside its own fields."""

    model: str | None = Field(None, description="One of /v1/models; the first of them by default.")
    score_threshold: Probability | None = Field(None, description="Leave out results below; by default none are.")
    raw_scores: bool | None = Field(None, description="Also the model's own scores, which have no bounds.")
    explain: bool | None = Field(None, description="Say which words carried the scores (`evidence`) of the first ten.")
    group: bool | None = Field(None, description="Put similar answers together (`cluster`), behind the best of them.")
    fold_duplicates: bool | None = Field(None, description="Leave out near-duplicates of better ones (`duplicates`).")
    relevant_spans: Spans | None = None


def top_field() -> Any:
    return Field(
        None,
        ge=1,
        validation_alias=AliasChoices("top_n", "top_k"),
        description="The best so many; `top_k` is the same.",
    )


class RerankV2(Ours):
    """Cohere's v2."""

    query: Text
    documents: list[str | DocumentBody] = Field(min_length=1)
    top_n: int | None = top_field()
    max_tokens_per_doc: Positive | None = Field(None, description="Cut documents after so many tokens.")


class Rerank(RerankV2):
    """Cohere's v1, Jina's and vLLM's."""

    return_documents: bool | None = Field(None, description="Also the documents themselves.")


class RerankTexts(Ours):
    """TEI's."""

    query: Text
    texts: list[str] = Field(min_length=1)
    top_n: int | None = top_field()
    return_text: bool | None = Field(None, description="Also the texts themselves.")


def shape_of(value: Any) -> str:
    return "texts" if isinstance(value, dict) and "texts" in value and "documents" not in value else "documents"


EitherRerank = Annotated[
    Annotated[Rerank, Tag("documents")] | Annotated[RerankTexts, Tag("texts")], Discriminator(shape_of)
]


class Score(Body):
    """vLLM's: one text against many, or as many pairs."""

    model: str | None = None
    text_1: Text | Annotated[list[Text], Field(min_length=1)]
    text_2: Text | Annotated[list[Text], Field(min_length=1)]
    raw_scores: bool | None = None


class SourceBody(Body):
    """A document to be asked: plain text, or what its kind says."""

    text: str
    source: str | None = Field(None, description="What it is called in results.")
    kind: Literal["text", "markdown", "html", "csv", "tsv", "json", "jsonl"] = "text"


class Ask(Body):
    question: str = Field(min_length=1, validation_alias=AliasChoices("question", "query"))
    documents: list[str | SourceBody] = Field(min_length=1)
    model: str | None = None
    top: int = Field(5, ge=1, validation_alias=AliasChoices("top", "top_n", "top_k"))
    read: Positive | None = Field(None, description="How many sentences the model reads; 200, for the default model.")
    fold_duplicates: bool | None = None


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
    answerable: bool | None = Field(description="Whether the list holds an answer at all; null where nobody can tell.")
    answerability: Probability | None
    threshold: float | None = Field(description="From which answerability on a list is answerable.")
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


class AskBody(BaseModel):
    question: str
    model: str
    answerable: bool | None
    answerability: Probability | None
    threshold: float | None
    passages: int
    read: int
    results: list[PassageBody]


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
