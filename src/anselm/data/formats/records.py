"""From loose JSON values to a checked Question: one place where bad records are turned away, with a clear sentence."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.files import check_depth

# Beyond these a "list" is a corpus to search and a "candidate" is a book: `anselm ask` is made for those.
MAX_CANDIDATES = 50_000
MAX_CHARACTERS = 1_000_000
KNOWN = {"id", "text", "label", "meta", "question", "heading"}  # fields of a candidate; others are its metadata
LISTED = {"id", "question", "candidates", "meta"}  # fields of a list; others are its metadata
STRICT = json.JSONEncoder(allow_nan=False, default=str, skipkeys=True)

Check = Callable[[Sequence[Candidate]], tuple[Candidate, ...]]


class RecordError(InputError):
    """What is wrong with a record; readers add the file and the line."""


def question_from_json(record: Any, default_id: str, check: Check | None = None) -> Question:
    """A grouped record: {"id", "question", "candidates": [{"id", "text", "label"} or "text"], "meta"}.

    Other fields go to its metadata. `check` is as in `candidates_from_json`.
    """
    if not isinstance(record, Mapping):
        raise RecordError('a JSON object with "question" and "candidates" is needed')
    for key in ("question", "candidates"):
        if key not in record:
            raise RecordError(f'"{key}" is missing; a line holds "question" and "candidates"')
    if not isinstance(record["candidates"], Sequence) or isinstance(record["candidates"], str):
        raise RecordError('"candidates" must be an array')
    question_id = as_id(record.get("id"), default_id)
    candidates = candidates_from_json(record["candidates"], check)
    given = record.get("meta") or {}
    if not isinstance(given, Mapping):
        raise RecordError('"meta" must be an object')
    meta = {**{name: other for name, other in record.items() if name not in LISTED and other is not None}, **given}
    check_finite(meta, "the list")
    for position, candidate in enumerate(candidates):
        check_finite(candidate.meta, f"candidate {position}")
    return Question(question_id, check_question(record["question"]), candidates, meta)


def candidates_from_json(values: Sequence[Any], check: Check | None = None) -> tuple[Candidate, ...]:
    """Candidates given as strings, as objects with a "text", or as Candidate; checked, with unique ids.

    The check is `check_candidates`; `check_rankable` is for lists that are only to be ranked.
    """
    found = [candidate_from_json(value, position) for position, value in enumerate(values)]
    return (check or check_candidates)(found)


def candidate_from_json(value: Any, position: int) -> Candidate:
    if isinstance(value, Candidate):
        return value
    if isinstance(value, str):
        return Candidate(str(position), value)
    if not isinstance(value, Mapping) or not isinstance(value.get("text"), str):
        raise RecordError(f'candidate {position} must be a string or an object with a "text"')
    given = value.get("meta") or {}
    if not isinstance(given, Mapping):
        raise RecordError(f'the "meta" of candidate {position} must be an object')
    meta = {**{name: other for name, other in value.items() if name not in KNOWN and other is not None}, **given}
    question = value.get("question") or ""
    if not isinstance(question, str):
        raise RecordError(f'the "question" of candidate {position} must be a string')
    label = as_label(value.get("label"), f"candidate {position}")
    heading = value.get("heading")
    if not isinstance(heading, str | None):
        raise RecordError(f'the "heading" of candidate {position} must be a string')
    return Candidate(as_id(value.get("id"), str(position)), value["text"], label, meta, question, heading)


def check_candidates(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Every one of them has a text."""
    for position, candidate in enumerate(check_list(candidates)):
        check_some_text(candidate.text, f"candidate {position}")
    return tuple(candidates)


def check_rankable(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Some of them have a text: one without is no answer, and keeps no other from being one."""
    if not any(candidate.text.strip() for candidate in check_list(candidates)):
        raise RecordError("every candidate is empty; at least one text is needed")
    return tuple(candidates)


def check_list(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Not too many of them, with ids that differ and texts that can be read, if only there is one."""
    if not candidates:
        raise RecordError("there are no candidates; at least one is needed")
    if len(candidates) > MAX_CANDIDATES:
        raise RecordError(f"{len(candidates):,} candidates are too many for one list; at most {MAX_CANDIDATES:,}")
    seen: set[str] = set()
    for position, candidate in enumerate(candidates):
        check_parts(candidate, f"candidate {position}")
        if candidate.id in seen:
            raise RecordError(f"two candidates have the id {candidate.id!r}; ids must differ within a list")
        seen.add(candidate.id)
    return candidates


def check_parts(candidate: Candidate, what: str) -> None:
    """What was made by hand may hold anything."""
    texts = {"": candidate.text, "the id of ": candidate.id, "the question of ": candidate.question}
    for part, text in {**texts, "the heading of ": candidate.heading or ""}.items():
        if not isinstance(text, str):
            raise RecordError(f"{part}{what} must be a string, not {text!r:.60}")
        check_readable(text, part + what)
    try:
        check_depth(candidate.meta)
    except ValueError as error:
        raise RecordError(f"the meta of {what} is {error}") from None


def check_finite(meta: Mapping[str, Any], what: str) -> None:
    """It is written beside the ranking, as JSON, which strict readers refuse with such a number in it."""
    try:
        STRICT.encode(meta)
    except ValueError:
        raise RecordError(f"{what} holds NaN or an infinity among its fields, which are no numbers in JSON") from None


def check_question(text: Any) -> str:
    if not isinstance(text, str):
        raise RecordError('"question" must be a string')
    return check_text(text, "the question")


def check_text(text: str, what: str) -> str:
    """Something to read, not too long, and Unicode."""
    return check_readable(check_some_text(text, what), what)


def check_some_text(text: str, what: str) -> str:
    if not text.strip():
        raise RecordError(f"{what} is empty")
    return text


def check_readable(text: str, what: str) -> str:
    """Not too long, and Unicode: half a surrogate pair could be neither printed nor written."""
    if len(text) > MAX_CHARACTERS:
        raise RecordError(f"{what} has {len(text):,} characters; at most {MAX_CHARACTERS:,} are ranked as one text")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"U+{ord(text[error.start]):04X} at character {error.start + 1}"
        raise RecordError(f"{what} holds half a character (the lone surrogate {half}), which is no text") from None
    return text


def as_id(value: Any, default: str) -> str:
    if value is None or value == "":
        return default
    if isinstance(value, bool | float) or not isinstance(value, str | int):
        raise RecordError(f"an id must be a string or a whole number, not {value!r:.60}")
    try:
        return str(value)
    except ValueError:  # Python's guard against numbers that take long to convert
        raise RecordError(f"an id has more than {sys.get_int_max_str_digits():,} digits") from None


def as_label(value: Any, what: str) -> float | None:
    """None or an empty field is no label; booleans and numbers, also written as text, are labels."""
    if value is None or value == "":
        return None
    try:
        label = float(value)
    except (TypeError, ValueError):
        raise RecordError(f"the label of {what} must be a number, not {value!r:.60}") from None
    except OverflowError:  # a whole number of hundreds of digits
        label = math.inf
    if not math.isfinite(label):
        raise RecordError(f"the label of {what} must be a finite number, not {value!r:.60}")
    return label


def spell_label(label: float | None) -> str:
    """As short as can be read back exactly; no label is an empty field."""
    if label is None:
        return ""
    return str(int(label)) if label.is_integer() else repr(label)
