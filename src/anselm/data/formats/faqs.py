"""Candidates as people have them: FAQs as tables, JSON or pages, and plain lists of answers, one on each line."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anselm.data.formats.records import RecordError, as_label, check_text
from anselm.data.question import Candidate
from anselm.errors import FormatError, InputError
from anselm.files import STDIN, find_file, open_binary, open_stdin
from anselm.text.documents import Document, document_from_bytes, document_from_text, entries_of, marked_page, open_page
from anselm.text.encodings import decode
from anselm.text.faq import Entry, Skip, refuse
from anselm.text.kinds import KINDS, TABLES, refuse_address, refuse_foreign, suffix, tell_kind
from anselm.text.questions import set_in_questions

_WHOLE_PAGE = re.compile(r"\s*+<(?:!doctype|html|head|body)\b", re.IGNORECASE)


def read_entries(path: Path, columns: Mapping[str, str] | None = None, skip: Skip | None = None) -> list[Candidate]:
    """The entries of a file, in its order; `-` is standard input.

    A candidate's `text` is the answer, its `question` the one that it is filed under, and `meta` keeps what else was
    there. An `id` that was not given is empty: none is made up. `columns` names columns of a table that are called
    otherwise than usual: {"question": "Q", "answer": "A", "id": "Nr"}. `skip` is told of each entry that cannot be
    read, and it is passed over; without it the first is an error, and so it is where nothing remains.
    """
    return entries_in(open_entries(path), columns, skip)


def entries_in(
    document: Document, columns: Mapping[str, str] | None = None, skip: Skip | None = None
) -> list[Candidate]:
    """The same of a file that was opened."""
    if columns and document.kind not in TABLES.values():
        raise InputError(f"{document.source} has no columns to name; tables have: CSV, TSV, Excel, JSON and JSONL")
    skipped: list[FormatError] = []
    pass_over = skipped.append if skip else refuse
    entries = _entries(document, columns, pass_over)
    candidates = [candidate for entry in entries if (candidate := _candidate(entry, document.source, pass_over))]
    if not candidates:
        raise next(iter(skipped), FormatError(document.source, "there are no candidates; at least one is needed"))
    for error in skipped:
        (skip or refuse)(error)
    return candidates


def open_entries(path: Path) -> Document:
    """A file, unpacked; its kind is told by content where its name says no more than that it is text."""
    refuse_address(path)
    refuse_foreign(path)
    source = STDIN if str(path) == "-" else str(find_file(path))
    try:
        if source == STDIN:
            raw = open_stdin().read()
        else:
            with open_binary(path) as file:
                raw = file.read()
    except (EOFError, OSError, zlib.error) as error:
        raise FormatError(source, f"cannot be unpacked or read: {error}") from None
    kind = KINDS.get(suffix(path), "text")
    if kind != "text":
        return document_from_bytes(raw, source, kind)
    text = decode(raw, source)
    document = document_from_text(text, source, tell_kind(text))
    whole = document.kind != "html" or _WHOLE_PAGE.match(text) or open_page(document).is_faq()
    return document if whole else document_from_text(text, source)  # candidates may begin with markup


def _entries(document: Document, columns: Mapping[str, str] | None, skip: Skip) -> list[Entry]:
    if document.kind in TABLES.values():
        return entries_of(document, columns, skip)
    if document.kind == "text" and not _is_faq(document):
        return list(_lines(document.text))
    page = open_page(document)
    if not page.is_faq() and (entries := entries_of(document, skip=skip)):
        return entries
    if not page.outline.headings and not page.is_faq():
        form = 'headings, or "Q:" and "A:", are needed to tell its entries'
        raise FormatError(document.source, f"{form}; `anselm ask` takes documents without")
    return page.entries(document.source, skip)


def _is_faq(text: Document) -> bool:
    """By its marks, or if each paragraph is a question and lines below it: candidates may ask, too, and are no less."""
    return marked_page(text).is_faq() or set_in_questions(text.text)


def _lines(text: str) -> Iterator[Entry]:
    """Each line is a candidate, also an empty one between others, so that a position is a line's; only LF ends one."""
    position = 0
    for number, line in enumerate(text.rstrip().split("\n"), start=1):
        answer = line.removesuffix("\r")
        if text.strip():
            yield Entry("", answer if answer.strip() else "", position, position + len(answer), number)
        position += len(line) + 1


def _candidate(entry: Entry, place: object, skip: Skip) -> Candidate | None:
    meta = dict(entry.meta)
    try:
        for text, what in ((entry.answer, "the candidate"), (entry.question, "the question")):
            if text:
                check_text(text, what)
        label, inner = _label(meta, entry), _inner(meta, entry)
    except RecordError as error:
        skip(FormatError(place, str(error), entry.line))
        return None
    return Candidate(entry.id, entry.answer, label, {**meta, **inner}, entry.question)


def _label(meta: dict[str, Any], entry: Entry) -> float | None:
    """Taken out of the other fields. Where a FAQ has a column of that name with words in it, it is one of them."""
    try:
        label = as_label(meta.get("label"), "the candidate")
    except RecordError:
        if entry.question:
            return None
        raise
    meta.pop("label", None)
    return label


def _inner(meta: dict[str, Any], entry: Entry) -> Mapping[str, Any]:
    """The object of other fields that a record may have, likewise."""
    inner: Any = meta.get("meta") or {}
    if not isinstance(inner, Mapping):
        if entry.question:
            return {}
        raise RecordError('"meta" must be an object')
    meta.pop("meta", None)
    return inner
