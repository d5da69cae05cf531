"""From scores to results: scores as they are read, results made of them, and what they are believed to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from anselm.abilities import TakesTurns
from anselm.data.objects import has_id
from anselm.data.question import Candidate, Question
from anselm.metrics.calibration import Calibration
from anselm.ranking.answers import Ranking, Result
from anselm.scorer import Scorer, Scores


def read_lists(scorer: Scorer, questions: Sequence[Question]) -> list[tuple[Scores, list[bool | None]]]:
    """The scores of each list, and which candidates the larger of two models read; None where there is but one."""
    if isinstance(scorer, TakesTurns):
        return [(scores, seen.tolist()) for scores, seen in scorer.score_in_turn(questions)]
    return [(scores, [None] * len(scores)) for scores in scorer.score(questions)]


def make_result(index: int, candidate: Candidate, score: float, read: bool | None = None) -> Result:
    asked, meta = candidate.question or None, candidate.meta
    return Result(index, candidate.text, score, None, candidate.id, question=asked, meta=meta, read=read)


def judged(ranking: Ranking[Result], calibration: Calibration, question: Question, scores: Scores) -> Ranking[Result]:
    """With probabilities, and with a verdict unless there are texts that the model does not know how to read.

    Where entries of a FAQ and sentences are in one list, the more probable come first.
    """
    verdict = calibration.judge(question, scores)
    results = [replace(one, probability=float(verdict.probabilities[one.index])) for one in ranking.results]
    if verdict.kinds > 1:
        results.sort(key=lambda one: -(one.probability or 0.0))  # stable: of equally probable ones the better score
    ranking = replace(ranking, results=tuple(results), threshold=calibration.threshold)
    if ranking.warnings:
        return ranking
    return replace(ranking, answerable=verdict.answerable, answerability=verdict.answerability)


def with_items(ranking: Ranking[Result], given: Sequence[Any]) -> Ranking[Result]:
    """Each result with the object it came from, and without an id that was made up."""
    results = (
        replace(result, item=given[result.index], id=result.id if has_id(given[result.index]) else None)
        for result in ranking.results
    )
    return replace(ranking, results=tuple(results))
