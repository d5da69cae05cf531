"""FAQs as pages tell them to search engines: JSON-LD of the type FAQPage, in a script of the page or in a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from anselm.files import parse_json
from anselm.text.faq import Entry, LineNumbers
from anselm.text.html import html_pieces
from anselm.text.pieces import Cleaned

TYPE = "FAQPage"
_SCRIPT = re.compile(
    r"<script\b[^<>]*?\btype\s*+=\s*+[\"']?application/ld\+json\b[^<>]*+>(?P<json>.*?)(?:</script\b|\Z)",
    re.IGNORECASE | re.DOTALL,
)


def scripted_entries(source: str) -> list[Entry]:
    """Of all scripts of a page; one that is no JSON says nothing."""
    return [entry for script in _SCRIPT.finditer(source) for entry in linked_entries(source, *script.span("json"))]


def linked_entries(source: str, start: int, end: int) -> list[Entry]:
    """Of the JSON from start to end: none, where it holds no FAQPage."""
    if source.find(TYPE, start, end) < 0:
        return []
    try:
        pages = list(_faq_pages(parse_json(source[start:end])))
    except ValueError:
        return []
    lines, found = LineNumbers(source), []
    for one in (one for page in pages for one in _all(page.get("mainEntity"))):
        question = one.get("name") or one.get("text")
        for answer in [answer.get("text") for answer in _all(one["acceptedAnswer"])]:
            if isinstance(question, str) and isinstance(answer, str) and answer.strip():
                line = lines.at(_place(source, question, start, end)[0])
                found.append(Entry(_plain(question), _plain(answer), *_place(source, answer, start, end), line))
    return found


def _faq_pages(value: Any) -> Iterator[dict[str, Any]]:
    """Also those in a list or a @graph."""
    for one in _all(value):
        if TYPE in str(one.get("@type")):
            yield {"mainEntity": [entity for entity in _all(one.get("mainEntity")) if entity.get("acceptedAnswer")]}
        yield from _faq_pages(one.get("@graph"))


def _all(value: Any) -> list[dict[str, Any]]:
    """Objects: of a list, or the one that stands for a list."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]


def _place(source: str, answer: str, start: int, end: int) -> tuple[int, int]:
    """Where a text is written in JSON, whichever of its characters are escaped."""
    for written in (json.dumps(answer)[1:-1], json.dumps(answer, ensure_ascii=False)[1:-1]):
        for form in (written, written.replace("/", "\\/")):
            if (found := source.find(form, start, end)) >= 0:
                return found, found + len(form)
    return start, end


def _plain(text: str) -> str:
    """Answers may hold markup."""
    return Cleaned(html_pieces(text)).text if "<" in text or "&" in text else " ".join(text.split())
