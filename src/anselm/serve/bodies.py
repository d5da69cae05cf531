"""The bodies of requests as clients of Cohere, Jina, vLLM and TEI send them, and our own.

Unknown fields are accepted and passed over. Fields of ours are optional and mean the same on every route.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from anselm.serve.document_forms import FileKind, problem_of

Probability = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1)]
Text = Annotated[str, Field(min_length=1)]
SPANS_FORM = (
    'must be like {"mode": "enabled", "threshold": 0.1, "max_spans": 3}; the mode is "enabled" or "disabled", '
    "and the others may be left out"
)
LISTS = ("documents", "texts", "text_1", "text_2")  # the fields that hold many


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False, populate_by_name=True)


class Asking(Body):
    """What every route takes that reads a question."""

    model: str | None = Field(None, description="One of /v1/models; the first of them by default.")
    as_typed: bool | None = Field(None, description="Read the question as it is, also where a word is misspelt.")


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

    @model_validator(mode="before")
    @classmethod
    def check_form(cls, given: Any) -> Any:
        """People write `true`, or forget the mode; what pydantic says of that does not tell them what to write."""
        if not isinstance(given, dict) or "mode" not in given:
            raise PydanticCustomError("spans", SPANS_FORM)
        return given


def threshold_field() -> Any:
    return Field(
        None, ge=0, le=1, description="From which answerability on there is an answer; by default the model's own."
    )


class Ours(Asking):
    """What every ranking route takes beside its own fields."""

    threshold: float | None = threshold_field()

    score_threshold: Probability | None = Field(None, description="Leave out results below; by default none are.")
    raw_scores: bool | None = Field(None, description="Also the model's own scores, which have no bounds.")
    explain: bool | None = Field(None, description="Say which words carried the scores (`evidence`) of the first ten.")
    group: bool | None = Field(None, description="Put similar answers together (`cluster`), behind the best of them.")
    fold_duplicates: bool | None = Field(None, description="Leave out near-duplicates of better ones (`duplicates`).")
    relevant_spans: Spans | None = None
    figures: bool | None = Field(
        None, description="Also pictures of what the model saw in the list (`figures`), where /v1/models says it can."
    )


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


class Score(Asking):
    """vLLM's: one text against many, or as many pairs."""

    text_1: Text | Annotated[list[Text], Field(min_length=1)]
    text_2: Text | Annotated[list[Text], Field(min_length=1)]
    raw_scores: bool | None = None


class SourceBody(Body):
    """A document to be asked: a text, or the bytes of a file."""

    text: str | None = Field(None, description="Plain text, or what its kind says.")
    content: str | None = Field(
        None,
        description="In place of `text`: the bytes of a file, in base64.",
        json_schema_extra={"contentEncoding": "base64"},
    )
    source: str | None = Field(None, description="What it is called in results.")
    kind: FileKind | None = Field(
        None, description="Without it, the ending of `source` tells, and where there is no `source` the text."
    )

    @model_validator(mode="after")
    def check_form(self) -> SourceBody:
        """Either form has kinds that it cannot be of, and what is wrong is said before anything is read."""
        if problem := problem_of(self.text, self.content, self.kind, self.source):
            raise PydanticCustomError("document", problem)
        return self


def in_a_list(given: Any) -> Any:
    """One document may be given by itself, as in Python."""
    return [given] if isinstance(given, str) else given


Documents = Annotated[list[str | SourceBody], Field(min_length=1)]


class Ask(Asking):
    question: str = Field(min_length=1, validation_alias=AliasChoices("question", "query"))
    documents: Annotated[Documents, BeforeValidator(in_a_list, json_schema_input_type=str | Documents)]
    top: int = Field(5, ge=1, validation_alias=AliasChoices("top", "top_n", "top_k"))
    read: Positive | None = Field(None, description="How many sentences the model reads; 200, for the default model.")
    columns: dict[str, str] | None = Field(
        None, description="What columns of tables are called that have names of their own: question, answer and id."
    )
    fold_duplicates: bool | None = None
    threshold: float | None = threshold_field()
    return_documents: bool | None = Field(
        None, description="Also the documents as they were read: offsets count the characters of their `text`."
    )
    figures: bool | None = Field(None, description="Also pictures of what the model saw in the sentences that it read.")
