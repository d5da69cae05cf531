"""Grouped JSONL, the native format: one question with its list of candidates per line.

{"id": "q1", "question": "...", "candidates": [{"id": "a1", "text": "...", "label": 1}], "meta": {...}}

Ids may be absent (the line number and the position stand in), labels too, and a candidate may be a plain string.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from anselm.data.formats.records import Check, RecordError, check_candidates, check_rankable, question_from_json
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError
from anselm.files import STDIN, Skip, decode_lines, open_stdin, parse_json, pass_over, read_lines
from anselm.outputs import STANDARD


def read_jsonl(path: Path) -> Iterator[Question]:
    """Stream the questions of a file; blank lines are passed over."""
    return parse_lines(read_lines(path), path)


def read_rankable(path: Path, skip: Skip | None = None) -> Iterator[Question]:
    """Lists that are only to be ranked, so that a candidate may be empty; `-` is standard input.

    `skip` is told of each line that is no such list; without it the first one is raised.
    """
    if str(path) == STANDARD:
        return parse_lines(decode_lines(open_stdin(), STDIN, skip), STDIN, skip, check_rankable)
    return parse_lines(read_lines(path, skip), path, skip, check_rankable)


def parse_lines(
    lines: Iterable[tuple[int, str]],
    place: object,
    skip: Skip | None = None,
    check: Check = check_candidates,
    prefix: str = "",
) -> Iterator[Question]:
    """A question without an id is called by its line number, with a prefix where lines are counted from elsewhere."""
    seen: dict[str, int] = {}
    for number, line in lines:
        if not line.strip():
            continue
        try:
            question = question_from_json(parse_record(line), f"{prefix}{number}", check)
            if question.id in seen:
                raise RecordError(f"the id {question.id!r} was used on line {seen[question.id]} already")
        except RecordError as error:
            pass_over(FormatError(place, str(error), number), skip)
        else:
            seen[question.id] = number
            yield question


def parse_record(line: str) -> Any:
    try:
        return parse_json(line)
    except json.JSONDecodeError as error:
        raise RecordError(f"not valid JSON: {error.msg} at character {error.pos + 1}") from None
    except ValueError as error:
        raise RecordError(f"not valid JSON: {error}") from None


def write_jsonl(questions: Iterable[Question], file: IO[str]) -> int:
    """Write and count the questions."""
    count = 0
    for count, question in enumerate(questions, start=1):
        file.write(json.dumps(question_to_json(question), ensure_ascii=False) + "\n")
    return count


def question_to_json(question: Question) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": question.id,
        "question": question.text,
        "candidates": [candidate_to_json(candidate) for candidate in question.candidates],
    }
    return record | ({"meta": dict(question.meta)} if question.meta else {})


def candidate_to_json(candidate: Candidate) -> dict[str, Any]:
    record: dict[str, Any] = {"id": candidate.id, "text": candidate.text}
    if candidate.question:
        record["question"] = candidate.question
    if candidate.heading is not None:
        record["heading"] = candidate.heading
    if candidate.label is not None:
        record["label"] = int(candidate.label) if candidate.label.is_integer() else candidate.label
    return record | ({"meta": dict(candidate.meta)} if candidate.meta else {})
