"""Going on with a file of ranked lists: lines that are whole are kept, if they are this input ranked by this model.

Of every line it is checked that it is one that could have been written for its question; what the model says now is
compared with the first and with the last of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf, isclose, isfinite
from pathlib import Path
from typing import IO, Any

from anselm.data.question import Question
from anselm.errors import InputError
from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker

PROBABILITIES_ALIKE = 1e-3  # on whichever engine
SCORES_ALIKE = 2e-2  # of the largest, or of 1

Record = Mapping[str, Any]


def resume(file: IO[bytes], partial: Path, source: Iterator[Question], ranker: Ranker, top: int | None) -> int:
    """Pass over what an earlier run has ranked, cut off the line it was writing when it stopped, and count the rest."""
    kept: list[tuple[int, Record, Question]] = []  # the first and the last
    done = end = 0
    for line in file:
        if not line.endswith(b"\n"):
            break
        question, record = next(source, None), _parse(line)
        done, end = done + 1, end + len(line)
        if question is None or not _fits(record, question, ranker, top):
            raise _refusal(partial, done)
        kept[1:] = [(done, record, question)]
    for number, record, question in kept:
        if not _says_the_same(record, next(ranker.rank_lists([question])), top):
            raise _refusal(partial, number)
    file.truncate(end)
    return done


def _refusal(partial: Path, line: int) -> InputError:
    reason = "was not begun with this input, model and --top"
    return InputError(f"{partial} {reason} (see its line {line}); remove it to start over")


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):  # anything may stand in a file that was left behind
        return None


def _fits(record: Any, question: Question, ranker: Ranker, top: int | None) -> bool:
    """Whether it is this question's, ranked by a model and calibration of these names."""
    if not isinstance(record, dict) or not isinstance(results := record.get("results"), list):
        return False
    threshold = ranker.calibration.threshold if ranker.calibration else None
    read = ranker.as_read(question).text if question.candidates else question.text
    head = {"id": question.id, "question": question.text, "model": ranker.name, "threshold": threshold}
    head |= {"read_as": read if read != question.text else None}
    sure, verdict = record.get("answerability"), record.get("answerable")
    return (
        all(_same(record.get(name), value) for name, value in head.items())
        and json.dumps(record.get("meta", {})) == json.dumps(dict(question.meta))
        and (sure is None or _is_probability(sure))
        and (verdict is None or isinstance(verdict, bool))
        and len(results) == min(len(question.candidates), top or len(question.candidates))
        and all(isinstance(one, dict) and _is_result(one, question) for one in results)
        and len({one["index"] for one in results}) == len(results)
        and _is_ordered([one["score"] for one in results])
    )


def _is_result(result: Record, question: Question) -> bool:
    index, score, probability = result.get("index"), result.get("score"), result.get("probability")
    if type(index) is not int or not 0 <= index < len(question.candidates):
        return False
    candidate = question.candidates[index]
    return (
        (result.get("id"), result.get("text")) == (candidate.id, candidate.text)
        and (type(score) is float and isfinite(score) if candidate.text.strip() else score is None)
        and (probability is None or _is_probability(probability))
    )


def _is_ordered(scores: Sequence[float | None]) -> bool:
    """Best first, and empty candidates, which have none, last."""
    known = [-inf if score is None else score for score in scores]
    return all(better >= worse for better, worse in pairwise(known))


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _is_probability(value: Any) -> bool:
    return type(value) is float and 0 <= value <= 1


def _says_the_same(record: Record, now: Ranking[Result], top: int | None) -> bool:
    """Its scores and probabilities, candidate by candidate and place by place; a folder may have been trained anew.

    By places, too, since candidates that score almost the same may change theirs.
    """
    by_index = {result.index: result.to_dict() for result in now}
    there = [(one, by_index[one["index"]]) for one in record["results"]]
    there += zip(record["results"], map(Result.to_dict, now.results[:top]), strict=True)
    large = max((abs(result.get("score") or 0.0) for result in by_index.values()), default=0.0)
    return _near(record.get("answerability"), now.answerability, PROBABILITIES_ALIKE) and all(
        _near(then["score"], says["score"], SCORES_ALIKE * max(large, 1.0))
        and _near(then.get("probability"), says["probability"], PROBABILITIES_ALIKE)
        for then, says in there
    )


def _near(one: float | None, other: float | None, tolerance: float) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=0.0, abs_tol=tolerance)
