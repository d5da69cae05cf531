"""FAQs as pages tell them to search engines: JSON-LD of the type FAQPage, in a script of the page or in a file."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any

from anselm.files import parse_json
from anselm.text.faq import Entry, LineNumbers
from anselm.text.html import html_pieces
from anselm.text.pieces import Cleaned

TYPE = "FAQPage"
_COMMENT_OR_SCRIPT = re.compile(
    r"<!--.*?(?:-->|\Z)|<script\b(?P<attributes>[^<>]*+)>(?P<json>.*?)(?:</script\b|\Z)", re.IGNORECASE | re.DOTALL
)
_IS_JSON = re.compile(r"\btype\s*+=\s*+[\"']?application/ld\+json\b", re.IGNORECASE)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def scripted_entries(source: str) -> list[Entry]:
    """Of all scripts of a page; one that is no JSON says nothing."""
    scripts = [one for one in _COMMENT_OR_SCRIPT.finditer(source) if _IS_JSON.search(one["attributes"] or "")]
    return [entry for script in scripts for entry in linked_entries(source, *script.span("json"))]


def linked_entries(source: str, start: int, end: int) -> list[Entry]:
    """Of the JSON from start to end: none, where it holds no FAQPage."""
    if source.find(TYPE, start, end) < 0:
        return []
    try:
        questions = [one for page in _faq_pages(parse_json(source[start:end])) for one in _all(page.get("mainEntity"))]
    except ValueError:
        return []
    lines, places = LineNumbers(source), _places(source, start, end)
    found = []
    for one in questions:
        question = one.get("name") or one.get("text")
        for answer in _answers(one):
            if isinstance(question, str) and answer.strip():
                line = lines.at(places[question][0][0])
                found.append(Entry(_plain(question), _plain(answer), *_next(places[answer]), line))
        if isinstance(question, str):
            _next(places[question])
    return found


def _faq_pages(value: Any) -> Iterator[dict[str, Any]]:
    """Also those in a list or a @graph."""
    for one in _all(value):
        if TYPE in str(one.get("@type")):
            yield one
        yield from _faq_pages(one.get("@graph"))


def _answers(question: dict[str, Any]) -> list[str]:
    """What is accepted, or else what is suggested: objects with a text, or texts."""
    for role in ("acceptedAnswer", "suggestedAnswer"):
        given = question.get(role)
        told = [
            one.get("text") if isinstance(one, dict) else one for one in (given if isinstance(given, list) else [given])
        ]
        if texts := [one for one in told if isinstance(one, str)]:
            return texts
    return []


def _all(value: Any) -> list[dict[str, Any]]:
    """Objects: of a list, or the one that stands for a list."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]


def _places(source: str, start: int, end: int) -> dict[str, deque[tuple[int, int]]]:
    """Where each string of the JSON is written, without its quotation marks, the first one first."""
    places: dict[str, deque[tuple[int, int]]] = defaultdict(deque)
    for string in _STRING.finditer(source, start, end):
        places[parse_json(string[0])].append((string.start() + 1, string.end() - 1))
    return places


def _next(places: deque[tuple[int, int]]) -> tuple[int, int]:
    """The first place, which the next of the same text does not get, unless there is no other."""
    return places.popleft() if len(places) > 1 else places[0]


def _plain(text: str) -> str:
    """Answers may hold markup."""
    return Cleaned(html_pieces(text)).text if "<" in text or "&" in text else " ".join(text.split())
