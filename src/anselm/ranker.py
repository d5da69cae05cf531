"""Ranking the candidates of a question, and asking documents: `Ranker.load().rank(...)` and `.ask(...)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anselm.data.formats.records import candidates_from_json, check_question
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.calibration import UNCALIBRATED, Calibration, load_calibration
from anselm.evaluation.scoring import batched
from anselm.explaining import explain as explain_scores
from anselm.grouping import group_answers
from anselm.models.lexical import Lexical
from anselm.models.scorer import Scorer, Scores
from anselm.ranking import Passage, Ranking, Result, fold, gather
from anselm.runtime.loading import load_scorer
from anselm.text.documents import Document, Sentence, document_from_text, find_documents, read_document, sentences

GivenCandidate = str | Candidate | Mapping[str, Any]  # a text, or an object with a "text" and perhaps an "id"
GivenDocument = str | Path | Document  # a text, a file or folder, or what was read already
EXPLAINED = 10  # results, where `top` does not say how many are wanted: each costs a score per word


class Ranker:
    """A model with its calibration."""

    def __init__(self, scorer: Scorer, calibration: Calibration = UNCALIBRATED, name: str | None = None) -> None:
        self.scorer = scorer
        self.calibration = calibration
        self.name = name or scorer.name  # what results are signed with: the name or path that was asked for

    @classmethod
    def load(cls, name_or_path: str | Path = "default") -> Ranker:
        """A shipped model by name (see `anselm models`), or a checkpoint folder."""
        return cls(load_scorer(name_or_path), load_calibration(name_or_path) or UNCALIBRATED, str(name_or_path))

    def rank(
        self,
        question: str,
        candidates: Iterable[GivenCandidate],
        top: int | None = None,
        *,
        explain: bool = False,
        fold_duplicates: bool = False,
        group: bool = False,
    ) -> Ranking:
        """Order the candidates best first; `top` keeps the first so many.

        `explain` tells which words carried the scores of the `top`, or of the first 10. `fold_duplicates` leaves out
        what is almost word for word the same as a better one. `group` puts similar answers together, each group behind
        its best one; a result's `cluster` is the number of its group.

        >>> Ranker.load().rank("When does the shop open?", ["We open at nine.", "Parking is free."]).best.text
        'We open at nine.'
        """
        check_top(top)
        listed = list_candidates(candidates)
        checked = Question("", check_question(question), candidates_from_json(listed))
        given = [has_id(candidate) for candidate in listed]
        ranking = next(self.rank_lists([checked]))
        results = [result if given[result.index] else replace(result, id=None) for result in ranking.results]
        results = (fold(results) if fold_duplicates else results)[:top]
        if group:
            results = gather(results, group_answers(self.scorer, [result.text for result in results]))
        if explain:
            results = self._explained(checked, results, top or EXPLAINED)
        return replace(ranking, results=tuple(results))

    def rank_lists(self, questions: Iterable[Question]) -> Iterator[Ranking]:
        """Rank many lists, streamed."""
        for batch in batched(questions):
            for question, scores in zip(batch, self.scorer.score(batch), strict=True):
                yield self._ranking(question, scores)

    def ask(
        self,
        question: str,
        documents: GivenDocument | Iterable[GivenDocument],
        top: int = 5,
        *,
        explain: bool = False,
        fold_duplicates: bool = False,
    ) -> Ranking:
        """Find the sentences that answer a question: in texts (str), files or folders (Path), or read documents.

        One of them may be given by itself. A file counts once, however often and by whichever name it is given.
        `explain` tells which words carried the scores. `fold_duplicates` leaves out sentences that are almost word for
        word the same as a better one, such as those of a page that is there twice.
        """
        check_top(top)
        found = [(document, sentence) for document in open_documents(documents) for sentence in sentences(document)]
        if not found:
            raise InputError("there are no sentences in the documents")
        candidates = tuple(Candidate(str(place), sentence.text) for place, (_, sentence) in enumerate(found))
        read, scores = self._first_pass(Question("", check_question(question), candidates))
        ranking = self._ranking(read, scores)
        results = (fold(ranking.results) if fold_duplicates else list(ranking.results))[:top]
        if explain:
            results = self._explained(read, results, top)
        places = [int(candidate.id) for candidate in read.candidates]  # among all sentences
        return replace(ranking, results=tuple(passage(result, places, found) for result in results))

    def _first_pass(self, question: Question) -> tuple[Question, Scores]:
        """Score all, or, where the model cannot take that many, those that BM25 puts first."""
        capacity = self.scorer.capacity
        if capacity is not None and len(question.candidates) > capacity:
            rough = Lexical("bm25").score([question])[0]
            kept = np.sort(np.argsort(-rough, kind="stable")[:capacity])
            question = Question(question.id, question.text, tuple(question.candidates[i] for i in kept))
        return question, self.scorer.score([question])[0]

    def _explained(self, question: Question, results: Sequence[Result], count: int) -> list[Result]:
        """The same results; the first so many say why."""
        found = explain_scores(self.scorer, question, [result.index for result in results[:count]])
        explained = (replace(result, explanation=why) for result, why in zip(results[:count], found, strict=True))
        return [*explained, *results[count:]]

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
        return Ranking(question.text, self.name, answerable, self.calibration.threshold, results)


def rank(
    question: str,
    candidates: Iterable[GivenCandidate],
    model: str | Path = "default",
    top: int | None = None,
    *,
    explain: bool = False,
    fold_duplicates: bool = False,
    group: bool = False,
) -> Ranking:
    """Rank once with a model by name; keep a `Ranker` to rank often."""
    ranker = Ranker.load(model)
    return ranker.rank(question, candidates, top, explain=explain, fold_duplicates=fold_duplicates, group=group)


def ask(
    question: str,
    documents: GivenDocument | Iterable[GivenDocument],
    model: str | Path = "default",
    top: int = 5,
    *,
    explain: bool = False,
    fold_duplicates: bool = False,
) -> Ranking:
    """Ask documents once with a model by name; keep a `Ranker` to ask often."""
    return Ranker.load(model).ask(question, documents, top, explain=explain, fold_duplicates=fold_duplicates)


def list_candidates(candidates: Iterable[GivenCandidate]) -> list[GivenCandidate]:
    if isinstance(candidates, str | Candidate | Mapping) or not isinstance(candidates, Iterable):
        raise InputError(f"candidates must be a list of texts, not one {type(candidates).__name__}")
    return list(candidates)


def has_id(candidate: GivenCandidate) -> bool:
    """Whether an id came with the input, to be given back; a position that stands in for one is not."""
    if isinstance(candidate, Mapping):
        return candidate.get("id") not in (None, "")
    return isinstance(candidate, Candidate)


def open_documents(documents: GivenDocument | Iterable[GivenDocument]) -> Iterator[Document]:
    """Read what is not read yet; each file once."""
    given = [documents] if isinstance(documents, str | Path | Document) else documents
    seen: set[Path] = set()
    for position, document in enumerate(given):
        if isinstance(document, Document):
            yield document
        elif isinstance(document, str):
            yield document_from_text(document, source=f"document {position}")
        elif isinstance(document, Path):
            for path in find_documents([document]):
                if (place := path.resolve()) not in seen:
                    seen.add(place)
                    yield read_document(path)
        else:
            raise InputError(f"document {position} must be a text, a Path or a Document, not {document!r}")


def passage(result: Result, places: Sequence[int], found: Sequence[tuple[Document, Sentence]]) -> Passage:
    """A result with its place: offsets and line in its document, and the sentences beside it."""
    index = places[result.index]
    others = None if result.duplicates is None else tuple(places[other] for other in result.duplicates)
    document, here = found[index]

    def beside(other: int) -> str:
        inside = 0 <= other < len(found) and found[other][0] is document
        return found[other][1].text if inside else ""

    line = document.text.count("\n", 0, here.start) + 1
    return Passage(
        index, result.text, result.score, result.probability, None,
        here.source, here.start, here.end, line, beside(index - 1), beside(index + 1),
        duplicates=others, explanation=result.explanation,
    )  # fmt: skip


def check_top(top: int | None) -> None:
    if top is not None and top < 1:
        raise InputError(f"top must be at least 1, not {top}")
