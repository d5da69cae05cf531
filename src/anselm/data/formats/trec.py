"""TREC qrels and runs, the formats of trec_eval: judgements and scores by id, without texts.

qrels: question  iteration  candidate  label          run: question  Q0  candidate  rank  score  tag

BEIR's qrels have no iteration, and a first line that says so: query-id  corpus-id  score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

from anselm.data.formats.records import RecordError, as_label
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError
from anselm.files import read_lines

BEIR = ["query-id", "corpus-id", "score"]
Run = Mapping[str, Mapping[str, float]]  # question id -> candidate id -> score


def read_qrels(path: Path) -> Iterator[Question]:
    """Questions with empty texts: good for evaluating a run, not for ranking."""
    groups: dict[str, dict[str, Candidate]] = {}
    for number, question_id, candidate_id, label in _judgements(path):
        group = groups.setdefault(question_id, {})
        if candidate_id in group:
            raise FormatError(path, f"candidate {candidate_id!r} of question {question_id!r} is judged twice", number)
        try:
            group[candidate_id] = Candidate(candidate_id, "", as_label(label, f"candidate {candidate_id!r}"))
        except RecordError as error:
            raise FormatError(path, str(error), number) from None
    for question_id, group in groups.items():
        yield Question(question_id, "", tuple(group.values()))


def _judgements(path: Path) -> Iterator[tuple[int, str, str, str]]:
    """Line, question, candidate, label."""
    first = next((line.split() for _, line in read_lines(path) if line.strip()), [])
    if first == BEIR:
        for number, (question_id, candidate_id, label) in _fields(path, 3, ", ".join(BEIR)):
            if [question_id, candidate_id, label] != BEIR:
                yield number, question_id, candidate_id, label
        return
    for number, (question_id, _, candidate_id, label) in _fields(path, 4, "question, iteration, candidate, label"):
        yield number, question_id, candidate_id, label


def read_run(path: Path) -> Run:
    run: dict[str, dict[str, float]] = {}
    for number, fields in _fields(path, 6, "question, Q0, candidate, rank, score, tag"):
        question_id, _, candidate_id, _, score, _ = fields
        scores = run.setdefault(question_id, {})
        if candidate_id in scores:
            raise FormatError(path, f"candidate {candidate_id!r} of question {question_id!r} is ranked twice", number)
        try:
            scores[candidate_id] = float(score)
        except ValueError:
            raise FormatError(path, f"the score must be a number, not {score!r}", number) from None
        if not math.isfinite(scores[candidate_id]):
            raise FormatError(path, f"the score must be a finite number, not {score!r}", number)
    return run


def _fields(path: Path, columns: int, names: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in read_lines(path):
        fields = line.split()
        if len(fields) == columns:
            yield number, fields
        elif fields:
            raise FormatError(path, f"{len(fields)} columns where {columns} are needed ({names})", number)


def write_qrels(questions: Iterable[Question], file: IO[str]) -> int:
    """Judged candidates only; trec_eval wants whole numbers, so a fractional grade is turned away."""
    count = judged = 0
    for count, question in enumerate(questions, start=1):
        for candidate in question.candidates:
            if candidate.label is None:
                continue
            if not candidate.label.is_integer():
                problem = f"qrels take whole-number labels, but candidate {candidate.id!r} has {candidate.label:g}"
                raise FormatError(f"question {question.id!r}", problem)
            judged += 1
            file.write(f"{_token(question.id)} 0 {_token(candidate.id)} {int(candidate.label)}\n")
    if count and not judged:
        raise FormatError("TREC output", "no candidate has a label, and qrels hold nothing else")
    return count


def write_run(ranked: Iterable[tuple[str, list[tuple[str, float]]]], file: IO[str], tag: str = "anselm") -> None:
    """Write (question id, [(candidate id, score), ... best first]) with ranks from 1."""
    for question_id, scored in ranked:
        for rank, (candidate_id, score) in enumerate(scored, start=1):
            file.write(f"{_token(question_id)} Q0 {_token(candidate_id)} {rank} {score!r} {_token(tag)}\n")


def _token(value: str) -> str:
    """Columns are split at white space, so an id must not hold any."""
    if not value or len(value.split()) != 1:
        raise FormatError("TREC output", f"the id {value!r} is empty or has white space in it, which the format lacks")
    return value
