"""The documents of /ask: texts, of the kind that is told, and files, which are read in a process of their own."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

from anselm.serve.bodies import Ask, SourceBody
from anselm.serve.file_process import Order, SentFile
from anselm.serve.queue import Ticket
from anselm.serve.refusals import Refusal
from anselm.serve.service import Service
from anselm.text.documents import Document, document_from_text
from anselm.text.kinds import KINDS, suffix, tell_kind

NOT_BASE64 = "is not base64 of the standard alphabet (A-Z, a-z, 0-9, + and /, in fours, with = at the end)"


def documents_of(service: Service, ticket: Ticket, body: Ask) -> list[Document]:
    files = {
        place: SentFile(decoded(one.content, place), one.source or name_of(place), kind_of(one))
        for place, one in enumerate(body.documents)
        if isinstance(one, SourceBody) and one.content is not None
    }
    read = dict(zip(files, read_files(service, ticket, body, tuple(files.values())), strict=True)) if files else {}
    return [read.get(place) or text_document(one, place) for place, one in enumerate(body.documents)]


def read_files(service: Service, ticket: Ticket, body: Ask, files: tuple[SentFile, ...]) -> tuple[Document, ...]:
    """They count as what was found in them, from here on."""
    limits = service.settings.limits
    beside = len(body.question) + sum(len(text_of(one)) for one in body.documents)
    found = service.files.read(ticket, Order(files, limits.max_chars - beside, limits.max_bytes))
    service.recount(ticket, beside + sum(len(document.text) for document in found))
    return found


def text_document(document: str | SourceBody, place: int) -> Document:
    source = None if isinstance(document, str) else document.source
    return document_from_text(text_of(document), source or name_of(place), kind_of(document))


def name_of(place: int) -> str:
    return f"document {place}"


def text_of(document: str | SourceBody) -> str:
    return document if isinstance(document, str) else document.text or ""


def kind_of(document: str | SourceBody) -> str:
    """As it says, or as its name does, or else as it looks."""
    if isinstance(document, str) or not (document.kind or document.source):
        told = tell_kind(text_of(document))
        return "text" if told == "json" else told  # prose may begin with a brace
    return document.kind or KINDS.get(suffix(Path(document.source or "")), "text")


def decoded(content: str, place: int) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):  # the latter for letters beyond ASCII
        raise Refusal(422, f"documents[{place}].content {NOT_BASE64}") from None


def chars_of(body: Ask, most: int) -> int:
    """What its files may come to, before they are read."""
    contents = (one.content for one in body.documents if isinstance(one, SourceBody) and one.content)
    return sum(min(len(content) * 3 // 4, most) for content in contents)
