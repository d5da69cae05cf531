"""The candidates of one question: one per line, or JSONL with an id and a text per line."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from anselm.data.formats.jsonl import parse_json
from anselm.data.formats.records import RecordError, candidate_from_json, check_candidates, check_text
from anselm.data.question import Candidate
from anselm.errors import FormatError
from anselm.files import decode_lines, read_lines

STDIN = "standard input"


def read_candidates(path: Path) -> list[str] | list[Candidate]:
    """Plain lines give strings, JSONL gives candidates; `-` is standard input."""
    if str(path) == "-":
        return parse_candidates(decode_lines(sys.stdin.buffer, STDIN), STDIN)
    return parse_candidates(read_lines(path), path)


def parse_candidates(lines: Iterable[tuple[int, str]], place: object) -> list[str] | list[Candidate]:
    """It is JSONL when the first line is an object; blank lines at the end are no candidates, others are mistakes."""
    kept = list(lines)
    while kept and not kept[-1][1].strip():
        kept.pop()
    if not kept:
        raise FormatError(place, "there are no candidates; at least one is needed")
    structured = kept[0][1].lstrip().startswith("{")
    found: list[Candidate] = []
    for number, line in kept:
        try:
            value = parse_json(line) if structured else line
            candidate = candidate_from_json(value, len(found))
            check_text(candidate.text, "the candidate")
        except RecordError as error:
            raise FormatError(place, str(error), number) from None
        found.append(candidate)
    try:
        check_candidates(found)
    except RecordError as error:
        raise FormatError(place, str(error)) from None
    return found if structured else [candidate.text for candidate in found]
