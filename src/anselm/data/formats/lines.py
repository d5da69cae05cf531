"""The candidates of one question: one per line, or JSONL with an id and a text per line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from anselm.data.formats.jsonl import parse_record
from anselm.data.formats.records import RecordError, candidate_from_json, check_candidates, check_text
from anselm.data.question import Candidate
from anselm.errors import FormatError
from anselm.files import STDIN, decode_lines, open_stdin, read_lines


def read_candidates(path: Path) -> list[str | Candidate]:
    """A line with an id gives a candidate, any other a string, so that no id is made up; `-` is standard input."""
    if str(path) == "-":
        return parse_candidates(decode_lines(open_stdin(), STDIN), STDIN)
    return parse_candidates(read_lines(path), path)


def parse_candidates(lines: Iterable[tuple[int, str]], place: object) -> list[str | Candidate]:
    """It is JSONL when the first line is an object; blank lines at the end are no candidates, others are mistakes."""
    kept = list(lines)
    while kept and not kept[-1][1].strip():
        kept.pop()
    if not kept:
        raise FormatError(place, "there are no candidates; at least one is needed")
    structured = kept[0][1].lstrip().startswith("{")
    values = [parse_candidate(line, structured, place, number) for number, line in kept]
    checked = [candidate_from_json(value, position) for position, value in enumerate(values)]
    try:
        check_candidates(checked)
    except RecordError as error:
        raise FormatError(place, str(error)) from None
    return [
        candidate if isinstance(value, Mapping) and value.get("id") not in (None, "") else candidate.text
        for candidate, value in zip(checked, values, strict=True)
    ]


def parse_candidate(line: str, structured: bool, place: object, number: int) -> Any:
    """The string or object of one line, which makes a good candidate."""
    try:
        value = parse_record(line) if structured else line
        check_text(candidate_from_json(value, number - 1).text, "the candidate")
    except RecordError as error:
        raise FormatError(place, str(error), number) from None
    return value
