"""The unit of everything: a question with its whole list of candidate answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Kinds of candidates. Those of documents are sentences, too, but stand in paragraphs.
TEXTS, ENTRIES, SENTENCES, DOCUMENTS = "texts", "entries", "sentences", "documents"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible answer. A label above 0 means relevant; grades are allowed; None means nobody has judged it.

    An entry of a FAQ is a candidate whose `text` is its answer, and `question` the one that it is filed under. A
    sentence of a document has a `heading`, what stands above it ("Cleaning, The filter"), which may be nothing; what is
    no sentence of a document has None. It may also have the `paragraph` that it stands in: itself and its neighbours
    under one heading. Where candidates are a part of what there was, or come of several documents, each says from which
    `document`, and its `place` there; by itself, all are of one document, in its order.
    """

    id: str
    text: str
    label: float | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    question: str = ""
    heading: str | None = None
    document: int = 0
    place: int | None = None
    paragraph: str = ""

    @property
    def content(self) -> str:
        """All of it that is read: of an entry its question and its answer, of a sentence what stands above it, too."""
        return self._below(self.text)

    @property
    def compared(self) -> str:
        """What it is compared by, of which a sentence alone often says too little: its paragraph, where it has one."""
        return self._below(self.paragraph or self.text)

    def _below(self, text: str) -> str:
        above = self.question or (f"{self.heading}:" if self.heading else "")
        return f"{above} {text}" if above else text

    @property
    def kind(self) -> str:
        if self.question:
            return ENTRIES
        return TEXTS if self.heading is None else DOCUMENTS if self.paragraph else SENTENCES

    @property
    def relevant(self) -> bool:
        return self.label is not None and self.label > 0


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its candidates, in the order in which the source gives them."""

    id: str
    text: str
    candidates: tuple[Candidate, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[float, ...]:
        """The labels as numbers; an unjudged candidate counts as irrelevant, as in trec_eval."""
        return tuple(candidate.label or 0.0 for candidate in self.candidates)

    @property
    def kind(self) -> str:
        """What its candidates are, by the first of them that says: entries, sentences, or else texts."""
        return next((one.kind for one in self.candidates if one.kind != TEXTS), TEXTS)
