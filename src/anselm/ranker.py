"""Ranking the candidates of a question, and asking documents: `Ranker.load().rank(...)` and `.ask(...)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anselm.data.formats.records import candidates_from_json, check_question
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.calibration import UNCALIBRATED, Calibration, load_calibration
from anselm.models.lexical import Lexical
from anselm.models.registry import load_model
from anselm.models.scorer import Scorer, Scores
from anselm.text.documents import Document, Sentence, document_from_text, find_documents, read_document, sentences


@dataclass(frozen=True)
class Result:
    """A candidate in its place: `index` is its position in the input, `id` the one that came with it, if any."""

    index: int
    text: str
    score: float
    probability: float
    id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Passage(Result):
    """A sentence that was found: its characters and its first line in the source, and the sentences beside it."""

    source: str = ""
    start: int = 0
    end: int = 0
    line: int = 0
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Ranking:
    """Results best first. `answerable` says whether the best one's probability reaches the threshold."""

    question: str
    model: str
    answerable: bool
    threshold: float
    results: tuple[Result, ...]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    @property
    def best(self) -> Result | None:
        """The best answer, or None where there is none."""
        return self.results[0] if self.answerable else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "model": self.model,
            "answerable": self.answerable,
            "threshold": self.threshold,
            "results": [result.to_dict() for result in self.results],
        }


class Ranker:
    """A model with its calibration."""

    def __init__(self, scorer: Scorer, calibration: Calibration = UNCALIBRATED) -> None:
        self.scorer = scorer
        self.calibration = calibration

    @classmethod
    def load(cls, name_or_path: str | Path = "default") -> Ranker:
        """A shipped model by name (see `anselm models`), or a checkpoint folder."""
        return cls(load_model(name_or_path), load_calibration(name_or_path) or UNCALIBRATED)

    def rank(
        self, question: str, candidates: Sequence[str | Candidate | Mapping[str, Any]], top: int | None = None
    ) -> Ranking:
        """Order the candidates best first; `top` keeps the first so many.

        >>> Ranker.load().rank("When does the shop open?", ["We open at nine.", "Parking is free."]).best.text
        'We open at nine.'
        """
        checked = Question("", check_question(question), candidates_from_json(candidates))
        given = [has_id(candidate) for candidate in candidates]
        ranking = next(self.rank_lists([checked]))
        results = tuple(
            result if given[result.index] else Result(result.index, result.text, result.score, result.probability)
            for result in ranking.results[: check_top(top)]
        )
        return Ranking(ranking.question, ranking.model, ranking.answerable, ranking.threshold, results)

    def rank_lists(self, questions: Iterable[Question]) -> Iterator[Ranking]:
        """Rank many lists, streamed."""
        for batch in batched(questions, 64):
            for question, scores in zip(batch, self.scorer.score(batch), strict=True):
                yield self._ranking(question, scores)

    def ask(self, question: str, documents: Iterable[str | Path | Document], top: int = 5) -> Ranking:
        """Find the sentences that answer a question: in texts (str), files or folders (Path), or read documents."""
        opened = list(open_documents(documents))
        found = [sentence for document in opened for sentence in sentences(document)]
        if not found:
            raise InputError("there are no sentences in the documents")
        asked = Question("", check_question(question), tuple(Candidate(str(i), s.text) for i, s in enumerate(found)))
        ranking = self._ranking(*self._first_pass(asked))
        texts = {document.source: document.text for document in opened}
        results = tuple(passage(result, found, texts) for result in ranking.results[: check_top(top)])
        return Ranking(question, ranking.model, ranking.answerable, ranking.threshold, results)

    def _first_pass(self, question: Question) -> tuple[Question, Scores]:
        """Score all, or, where the model cannot take that many, those that BM25 puts first."""
        capacity = self.scorer.capacity
        if capacity is not None and len(question.candidates) > capacity:
            rough = Lexical("bm25").score([question])[0]
            kept = np.sort(np.argsort(-rough, kind="stable")[:capacity])
            question = Question(question.id, question.text, tuple(question.candidates[i] for i in kept))
        return question, self.scorer.score([question])[0]

    def _ranking(self, question: Question, scores: Scores) -> Ranking:
        probabilities = self.calibration.platt.probability(scores)
        order = np.argsort(-scores, kind="stable")  # equal scores stay in the order of the input
        results = tuple(
            Result(
                int(index),
                question.candidates[index].text,
                float(scores[index]),
                float(probabilities[index]),
                question.candidates[index].id,
            )
            for index in order
        )
        answerable = results[0].probability >= self.calibration.threshold
        return Ranking(question.text, self.scorer.name, answerable, self.calibration.threshold, results)


def rank(question: str, candidates: Sequence[str], model: str | Path = "default", top: int | None = None) -> Ranking:
    """Rank once with a model by name; keep a `Ranker` to rank often."""
    return Ranker.load(model).rank(question, candidates, top)


def ask(
    question: str, documents: Iterable[str | Path | Document], model: str | Path = "default", top: int = 5
) -> Ranking:
    """Ask documents once with a model by name; keep a `Ranker` to ask often."""
    return Ranker.load(model).ask(question, documents, top)


def open_documents(documents: Iterable[str | Path | Document]) -> Iterator[Document]:
    for position, document in enumerate(documents):
        if isinstance(document, Document):
            yield document
        elif isinstance(document, str):
            yield document_from_text(document, source=f"document {position}")
        else:
            yield from map(read_document, find_documents([document]))


def has_id(candidate: str | Candidate | Mapping[str, Any]) -> bool:
    """Whether an id came with the input, to be given back; a position that stands in for one is not."""
    return isinstance(candidate, Candidate) or (isinstance(candidate, Mapping) and candidate.get("id") is not None)


def passage(result: Result, found: Sequence[Sentence], texts: Mapping[str, str]) -> Passage:
    """A result with its place: offsets and line in its document, and the sentences beside it."""
    index = int(result.id or result.index)
    here = found[index]

    def beside(other: int) -> str:
        inside = 0 <= other < len(found) and found[other].source == here.source
        return found[other].text if inside else ""

    line = texts[here.source].count("\n", 0, here.start) + 1
    return Passage(
        index, result.text, result.score, result.probability, None,
        here.source, here.start, here.end, line, beside(index - 1), beside(index + 1),
    )  # fmt: skip


def batched(questions: Iterable[Question], size: int) -> Iterator[list[Question]]:
    batch: list[Question] = []
    for question in questions:
        batch.append(question)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def check_top(top: int | None) -> int | None:
    if top is not None and top < 1:
        raise InputError(f"top must be at least 1, not {top}")
    return top
