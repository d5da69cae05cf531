"""Ranking the candidates of a question, and asking documents: `Ranker.load().rank(...)` and `.ask(...)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anselm.abilities import Attends, Relates
from anselm.data.formats.records import check_question
from anselm.data.question import Question
from anselm.errors import InputError, MissingTreeError
from anselm.metrics.calibration import Calibration
from anselm.ranking.answers import Answers, Ranking, Result, fold, gather
from anselm.ranking.best_sentences import with_spans
from anselm.ranking.contexts import Context, check_drawable, find_context
from anselm.ranking.explanations import explain as explain_scores
from anselm.ranking.figures import draw_figures
from anselm.ranking.first_pass import FirstPass
from anselm.ranking.given import (
    check_count,
    check_questions,
    list_candidates,
    listed_all,
    make_question,
    make_questions,
)
from anselm.ranking.groups import group_answers
from anselm.ranking.passages import GivenDocument, Spot, find_spots, passage
from anselm.ranking.respelling import as_read, cut_of
from anselm.ranking.scored_lists import judged, make_result, read_lists, with_items
from anselm.ranking.scorers import load_calibration, load_scorer
from anselm.scorer import Figure, Scorer, Scores, at_once, batched
from anselm.text.faq import Skip
from anselm.text.languages import foreign_texts

EXPLAINED = 10  # results, where `top` does not say how many are wanted: each costs a score per word


class Ranker:
    """A model with its calibration; None where it has none."""

    def __init__(
        self,
        scorer: Scorer,
        calibration: Calibration | None = None,
        name: str | None = None,
        respell: bool = True,
    ) -> None:
        self.scorer = scorer
        self.respell = respell
        self.calibration = calibration
        # What results are signed with: the name or path that was asked for, in characters that can be written.
        self.name = (name or scorer.name).encode(errors="replace").decode()

    @classmethod
    def load(
        cls,
        name_or_path: str | Path = "default",
        *,
        threads: int | None = None,
        device: str | None = None,
        threshold: float | None = None,
        respell: bool = True,
    ) -> Ranker:
        """A shipped model by name (see `anselm models`), or a checkpoint folder.

        It computes with so many `threads`; else with OMP_NUM_THREADS, or as many as there are cores for this process.
        On a `device` it is torch that computes: "cuda", "cuda:1", "mps", "cpu", or "auto" for what there is. From a
        `threshold` on, of the certainty that there is an answer, one is given; 0.5 unless the model says otherwise.
        A model of English reads misspelt words of a question as its candidates or English spell them (`read_as` of a
        ranking), unless it is not to `respell` them.
        """
        check_count("threads", threads)
        scorer = load_scorer(name_or_path, threads, device)  # first: it fetches what is not here yet
        calibration = load_calibration(name_or_path)
        if threshold is not None:
            if calibration is None:
                raise InputError(f"{name_or_path} is not calibrated, so that nothing reaches a threshold")
            calibration = calibration.with_threshold(threshold)
        return cls(scorer, calibration, str(name_or_path), respell)

    def rank(
        self,
        question: str,
        candidates: Iterable[Any],
        top: int | None = None,
        *,
        explain: bool = False,
        spans: bool = False,
        fold_duplicates: bool = False,
        group: bool = False,
        context: bool = False,
        figures: bool = False,
    ) -> Ranking[Result]:
        """Order the candidates best first; `top` keeps the first so many.

        A candidate is a string, a mapping with a "text" (or "content", "page_content", "answer" and perhaps "question",
        "id" and other fields), a Candidate, or a document of LangChain, Haystack or LlamaIndex; `Result.item` is the
        very object. One that is empty comes last, with probability 0.

        `explain` tells which words carried the scores of the `top`, or of the first 10; `spans` which sentences of them
        answer best. `fold_duplicates` leaves out what is almost word for word the same as a better one. `group` puts
        similar answers together, each group behind its best one; a result's `cluster` is the number of its group.
        `context` adds the graphs through which a model sees the candidates among each other, where it has some, and
        their scores without; `figures` pictures of what it has to show: these graphs, or the trees of question and best
        answer.

        >>> Ranker.load().rank("When does the shop open?", ["We open at nine.", "Parking is free."]).best.text
        'We open at nine.'
        """
        check_count("top", top)
        if context:
            check_drawable(self.scorer, self.name)
        given = list_candidates(candidates)
        listed = make_question("", question, given)
        asked = self.as_read(listed)
        ranking = with_items(next(self._rank_read([listed], [asked])), given)
        results = (fold(ranking.results) if fold_duplicates else list(ranking.results))[:top]
        if group:
            results = gather(results, group_answers(self.scorer, [result.text for result in results]))
        results = self._explained(asked, results, top or EXPLAINED, explain, context)
        if spans:
            first = results[: top or EXPLAINED]
            results[: len(first)] = with_spans(self, question, first)
        seen = self._context(asked) if context else None
        drawn = self._figures(asked, ranking) if figures else None
        return replace(ranking, results=tuple(results), context=seen, figures=drawn)

    def rank_many(
        self, questions: Iterable[str], lists: Iterable[Iterable[Any]], top: int | None = None
    ) -> list[Ranking[Result]]:
        """As `rank`, for many questions at once, each with its list of candidates: batches are filled across lists.

        A list may be empty: its ranking has no results, `answerable` is False and `answer` None.
        """
        check_count("top", top)
        asked, all_given = listed_all("questions", questions), listed_all("lists", lists)
        if len(asked) != len(all_given):
            raise InputError(f"each question needs its list; {len(asked)} questions, {len(all_given)} lists")
        listed = list(make_questions(asked, all_given))
        rankings = map(with_items, self.rank_lists(question for question, _ in listed), all_given)
        return [replace(ranking, results=ranking.results[:top]) for ranking in rankings]

    def rank_lists(self, questions: Iterable[Question]) -> Iterator[Ranking[Result]]:
        """Rank many lists, streamed. Of an empty one is said that it holds no answer."""
        for batch in batched(questions, at_once(self.scorer)):
            full = [question for question in batch if question.candidates]
            ranked = self._rank_read(full, [self.as_read(question) for question in full])
            yield from (next(ranked) if question.candidates else self._of_nothing(question) for question in batch)

    def _rank_read(self, batch: Sequence[Question], read_as: Sequence[Question]) -> Iterator[Ranking[Result]]:
        for typed, question, (scores, read) in zip(batch, read_as, read_lists(self.scorer, read_as), strict=True):
            yield self._ranking(typed.text, question, scores, read)

    def ask(
        self,
        question: str,
        documents: GivenDocument | Iterable[GivenDocument],
        top: int = 5,
        *,
        read: int | None = None,
        columns: Mapping[str, str] | None = None,
        skip: Skip | None = None,
        explain: bool = False,
        fold_duplicates: bool = False,
        context: bool = False,
        figures: bool = False,
    ) -> Answers:
        """Find what answers a question: in texts (str), files or folders (Path), or read documents.

        Sentences of documents are found, and entries of FAQs. One document may be given by itself. A file counts once,
        however often and by whichever name it is given. Of many sentences `read` are read by the model (200, for the
        default), those nearest to the question by their words and, as far as the model knows, by their meaning.

        `columns` names columns of a table, as in {"answer": "Reply"}. `skip` is told of each file or entry that cannot
        be read, and is passed over then; without it the first is an error. It is also told of each document that holds
        no sentence beside others that do; without it they are left out. `explain` tells which words carried the scores.
        `fold_duplicates` leaves out what is almost word for word the same as a better one, such as the
        sentences of a page that is there twice. `context` and `figures` as in `rank`.
        """
        check_count("top", top)
        check_count("read", read)
        if context:
            check_drawable(self.scorer, self.name)
        spots = find_spots(documents, columns, skip)
        first = FirstPass(self.scorer, [spot.candidate for spot in spots])
        return self._ask(check_question(question), spots, first, top, read, explain, fold_duplicates, context, figures)

    def ask_many(
        self,
        questions: Iterable[str],
        documents: GivenDocument | Iterable[GivenDocument],
        top: int = 5,
        *,
        read: int | None = None,
        columns: Mapping[str, str] | None = None,
        skip: Skip | None = None,
        explain: bool = False,
        fold_duplicates: bool = False,
    ) -> Iterator[Answers]:
        """As `ask`, for one question after the other: the documents are read once, and what they are compared by stays.

        Answers are streamed. What is wrong with questions or documents is raised before the first.
        """
        check_count("top", top)
        check_count("read", read)
        asked = check_questions(questions)
        spots = find_spots(documents, columns, skip)
        first = FirstPass(self.scorer, [spot.candidate for spot in spots])
        return (self._ask(one, spots, first, top, read, explain, fold_duplicates) for one in asked)

    def _ask(
        self,
        question: str,
        spots: Sequence[Spot],
        first: FirstPass,
        top: int,
        read: int | None,
        explain: bool,
        fold_duplicates: bool,
        context: bool = False,
        figures: bool = False,
    ) -> Answers:
        whole = Question("", question, first.candidates)
        listed = first.nearest(self.as_read(whole), read)
        ((scores, seen_by),) = read_lists(self.scorer, [listed])
        ranking = self._ranking(whole.text, listed, scores, seen_by)
        results = (fold(ranking.results) if fold_duplicates else list(ranking.results))[:top]
        results = self._explained(listed, results, top, explain, context)
        places = [int(candidate.id) for candidate in listed.candidates]  # among all spots
        found = tuple(passage(result, places, spots) for result in results)
        seen = self._context(listed) if context else None
        drawn = self._figures(listed, ranking) if figures else None
        ranking = replace(ranking, context=seen, figures=drawn)
        return Answers.of(ranking, found, passages=len(spots), read=len(places))

    def as_read(self, question: Question) -> Question:
        """The list with its question as the model reads it."""
        return as_read(self.scorer, question) if self.respell else question

    def _of_nothing(self, question: Question) -> Ranking[Result]:
        """Of a list without candidates: that there is no answer is certain, whatever the model."""
        threshold = self.calibration.threshold if self.calibration else None
        return Ranking(question.text, self.name, False, threshold, (), 0.0)

    def _context(self, question: Question) -> Context | None:
        return find_context(self.scorer, question, self.name) if isinstance(self.scorer, Relates) else None

    def _figures(self, question: Question, ranking: Ranking[Result]) -> tuple[Figure, ...]:
        return draw_figures(self.scorer, question, ranking.best.index, self.name)

    def _explained(
        self, question: Question, results: Sequence[Result], count: int, explain: bool, context: bool
    ) -> list[Result]:
        """The same results; the first so many say why, or what drew attention, where a model reads along trees."""
        first, chosen = list(results[:count]), [result.index for result in results[:count]]
        if explain:
            with suppress(MissingTreeError):  # a file of trees has none for a text without a word
                found = explain_scores(self.scorer, question, chosen)
                first = [replace(result, explanation=why) for result, why in zip(first, found, strict=True)]
        if (explain or context) and isinstance(self.scorer, Attends):
            pairs = zip(first, self.scorer.attended(question, chosen), strict=True)
            first = [replace(result, trees=trees) for result, trees in pairs]
        return [*first, *results[count:]]

    def _ranking(self, typed: str, question: Question, scores: Scores, read: Sequence[bool | None]) -> Ranking[Result]:
        empty = np.array([not candidate.text.strip() for candidate in question.candidates])
        scores = np.where(empty, -np.inf, scores)
        order = np.argsort(-scores, kind="stable")  # equal scores stay in the order of the input
        results = [make_result(int(i), question.candidates[i], float(scores[i]), read[i]) for i in order]
        foreign = foreign_texts(self.scorer.language, typed, results[0].text)
        ranking = Ranking(
            typed, self.name, None, None, tuple(results), empty=int(empty.sum()), warnings=foreign,
            read_as=None if question.text == typed else question.text, question_cut=cut_of(self.scorer, question.text),
        )  # fmt: skip
        return ranking if self.calibration is None else judged(ranking, self.calibration, question, scores)
