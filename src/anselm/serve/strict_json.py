"""JSON as the standard has it, from strangers: no NaN, no infinities, no half characters, no NUL, not too deep."""

from __future__ import annotations

import json
import math
import re
from codecs import BOM_UTF8
from itertools import islice
from typing import Any

from anselm.serve.refusals import Refusal

DEEPEST = 32  # levels of lists and objects
MOST_VALUES = 200_000  # of all kinds: a thousand documents with two hundred fields each
_MARKS = (b",", b"[", b"{")
_PIECES = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[,[{]', re.DOTALL)
_ESCAPED = ("\\ud", "\\uD", "\\u0000")  # how a half character or a NUL may get into a text at all


def parse(body: bytes) -> Any:
    check_count(body)
    try:
        text = body.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise Refusal(400, f"the body is not UTF-8: byte {error.start + 1} begins no character") from None
    try:
        value = json.loads(text, parse_constant=refuse_constant, parse_float=finite)
    except json.JSONDecodeError as error:
        raise Refusal(400, f"the body is not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise Refusal(400, too_deep()) from None
    except ValueError:  # a whole number of thousands of digits
        raise Refusal(400, "the body holds a number with too many digits") from None
    walk(value, any(mark in text for mark in _ESCAPED))
    return value


def check_count(body: bytes) -> None:
    """Before they are made: ten million empty lists are 16 MB of text, and a gigabyte of memory."""
    if sum(map(body.count, _MARKS)) <= MOST_VALUES:  # a value has a mark of its own; texts may have more
        return
    pieces = islice(_PIECES.finditer(body), 4 * MOST_VALUES)  # so many texts for so few marks are no JSON
    if sum(one[0] in _MARKS for one in pieces) > MOST_VALUES:
        raise Refusal(400, f"the body holds too many values; at most {MOST_VALUES:,} are read")


def refuse_constant(name: str) -> float:
    raise Refusal(400, f"the body is not JSON: {name} is no number there")


def finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise Refusal(400, f"the body holds a number that is too large: {digits[:20]}")
    return number


def walk(value: Any, texts: bool, depth: int = 1) -> None:
    """Refuse what is nested too deep and, if `texts` may hold some, characters that are none."""
    if isinstance(value, str):
        if texts:
            check_text(value)
    elif isinstance(value, list | dict):
        if depth > DEEPEST:
            raise Refusal(400, too_deep())
        inside = value if isinstance(value, list) else [*value, *value.values()]
        for one in inside:
            walk(one, texts, depth + 1)


def check_text(text: str) -> None:
    if "\0" in text:
        raise Refusal(400, f"a text holds a NUL character, at character {text.index(chr(0)) + 1}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(text[error.start]):04x} at character {error.start + 1}"
        raise Refusal(400, f"a text holds half a character (the lone surrogate {half}), which is no text") from None


def too_deep() -> str:
    return f"the body is nested too deep; at most {DEEPEST} levels of lists and objects are read"


def render(value: Any) -> bytes:
    """Characters as they are, numbers only."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
