"""Records of JSON and JSONL as FAQs keep them, with the place of every value.

JSONL   an object or a text on each line
JSON    an array of objects or texts, an object with one such array in it, {question: answer, ...}, or a FAQPage of
        schema.org
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from anselm.errors import FormatError
from anselm.files import parse_json
from anselm.text.faq import Entry, LineNumbers, Skip
from anselm.text.faq_columns import Row, entries_from_rows, knows_columns
from anselm.text.linked_faqs import linked_entries

_SPACE = re.compile(r"[ \t\r\n]*+")
_DECODER = json.JSONDecoder()
_FORMS = "an array of objects, an object with one in it, or an object of questions and answers"

Value = tuple[Any, int, int]  # and where it stands


def record_entries(text: str, kind: str, columns: Mapping[str, str], place: object, skip: Skip) -> Iterator[Entry]:
    """The entries of a JSON or JSONL file; what is called .json and holds an object on each line is read as JSONL."""
    if kind == "json" and (linked := linked_entries(text, 0, len(text))):
        return iter(linked)
    if kind == "json" and is_jsonl(text):
        kind = "jsonl"
    found = _line_values(text, place, skip) if kind == "jsonl" else _json_values(text, columns, place)
    lines = LineNumbers(text)
    rows = [row for value in found if (row := _row(text, value, lines, place, skip))]
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    return entries_from_rows(rows, names, columns, place, skip) if rows else iter(())


def is_jsonl(text: str) -> bool:
    """Whether the first line is a whole object, and more than that one follows."""
    first, _, rest = text.strip().partition("\n")
    if not rest.strip() or not first.lstrip().startswith("{"):
        return False
    try:
        return isinstance(parse_json(first), dict)
    except ValueError:
        return False


def _line_values(text: str, place: object, skip: Skip) -> Iterator[Value]:
    position = 0
    for number, line in enumerate(text.split("\n"), start=1):
        start = _after_space(line, 0)
        if start < len(line):
            try:
                yield parse_json(line), position + start, position + len(line.rstrip())
            except ValueError as error:
                skip(FormatError(place, f"not valid JSON: {_problem(error)}", number))
        position += len(line) + 1


def _json_values(text: str, columns: Mapping[str, str], place: object) -> Iterator[Value]:
    try:
        whole = parse_json(text)
    except json.JSONDecodeError as error:
        raise FormatError(place, f"not whole JSON: {error.msg} (column {error.colno})", error.lineno) from None
    except ValueError as error:
        raise FormatError(place, f"not valid JSON: {error}") from None
    start = _after_space(text, 0)
    if isinstance(whole, list):
        return _elements(text, start)
    if not isinstance(whole, dict):
        raise FormatError(place, f"{_FORMS} is needed")
    arrays = [(key, begin) for key, value, begin, _ in _members(text, start) if _is_array_of_objects(value)]
    if len(arrays) == 1:
        return _elements(text, arrays[0][1])
    if arrays:
        raise FormatError(place, f"{_FORMS} is needed; there is an array in each of {[key for key, _ in arrays]}")
    if columns or knows_columns(list(whole), "answer"):
        return iter([(whole, start, len(text))])
    if whole and all(isinstance(value, str) for value in whole.values()):
        pairs = _members(text, start)
        return (({"question": key, "answer": value}, begin, end) for key, value, begin, end in pairs)
    raise FormatError(place, f"{_FORMS} is needed; there is {', '.join(list(whole)[:20])}")


def _is_array_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(element, dict) for element in value)


def _row(text: str, value: Value, lines: LineNumbers, place: object, skip: Skip) -> Row | None:
    content, start, end = value
    line = lines.at(start)
    if isinstance(content, str):
        return Row({"text": content}, {"text": (start + 1, end - 1)}, line)
    if not isinstance(content, dict):
        skip(FormatError(place, f"an object or a text is needed, not {content!r:.60}", line))
        return None
    if text[start] != "{":  # a pair of {question: answer}
        return Row(content, {"answer": (start + 1, end - 1)}, line)
    spans = {key: _inside(member, begin, stop) for key, member, begin, stop in _members(text, start)}
    return Row(content, spans, line)


def _inside(value: Any, start: int, end: int) -> tuple[int, int]:
    """Without the quotation marks of a text."""
    return (start + 1, end - 1) if isinstance(value, str) else (start, end)


def _members(text: str, position: int) -> Iterator[tuple[str, Any, int, int]]:
    """(key, value, start, end) of the object that begins here. The text is known to be good JSON."""
    position = _after_space(text, position + 1)
    while text[position] != "}":
        key, position = _DECODER.raw_decode(text, position)
        start = _after_space(text, _after_space(text, position) + 1)  # after the colon
        value, end = _DECODER.raw_decode(text, start)
        yield key, value, start, end
        position = _after_comma(text, end)


def _elements(text: str, position: int) -> Iterator[Value]:
    """The elements of the array that begins here."""
    position = _after_space(text, position + 1)
    while text[position] != "]":
        value, end = _DECODER.raw_decode(text, position)
        yield value, position, end
        position = _after_comma(text, end)


def _after_comma(text: str, position: int) -> int:
    position = _after_space(text, position)
    return _after_space(text, position + 1) if text[position] == "," else position


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _problem(error: ValueError) -> str:
    return f"{error.msg} at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else str(error)
