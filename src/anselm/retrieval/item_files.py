"""Files as items: JSONL and Stack Exchange dumps record by record, FAQs and documents source by source."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anselm.data.corpora.stackexchange import read_posts
from anselm.data.formats.jsonl import parse_record
from anselm.data.formats.records import RecordError
from anselm.errors import FormatError
from anselm.files import STDIN, Skip, decode_lines, open_stdin, pass_over, read_lines
from anselm.outputs import STANDARD
from anselm.retrieval.item import Item, checked, item_from_object
from anselm.text.documents import Document, Sentence, entries_of, read_documents, sentences
from anselm.text.faq import Entry, LineNumbers
from anselm.text.faq_columns import check_columns
from anselm.text.kinds import suffix

_LINES = (".jsonl", ".ndjson")
_DUMP = "posts.xml"


@dataclass(frozen=True)
class Part:
    """Items that are added together. Where they are all of a source, it is named, and replaces what was there."""

    items: Iterable[Item]
    source: str | None = None


def read_parts(
    paths: Iterable[Path], columns: Mapping[str, str] | None = None, skip: Skip | None = None
) -> Iterator[Part]:
    """`columns` and `skip` as in `Ranker.ask`; `-` is JSONL from standard input."""
    check_columns(columns)
    documents = []
    for path in dict.fromkeys(paths):
        if str(path) == STANDARD or suffix(path) in _LINES:
            yield Part(read_records(path, columns or {}, skip))
        elif path.name.lower().removesuffix(".gz").endswith(_DUMP):
            yield Part(read_dump(path))
        else:
            documents.append(path)
    for document in read_documents(documents, skip, columns):
        yield document_part(document, columns, skip)


def document_part(document: Document, columns: Mapping[str, str] | None, skip: Skip | None) -> Part:
    """All of a document. One with nothing in it is told, and what there was of it is replaced all the same."""
    source, told = source_of(document.source), list[FormatError]()

    def tell(error: FormatError) -> None:
        told.append(error)
        pass_over(error, skip)

    items = list(document_items(document, source, columns, tell))
    if not items and not told:
        tell(FormatError(source, "there are no sentences in it"))
    return Part(items, source)


def source_of(path: str | Path) -> str:
    """The path as a text: what of a file's name is no UTF-8 is written as it is escaped (caf\\xe9.md)."""
    return os.fsencode(os.path.normpath(path)).decode(errors="backslashreplace")


def read_records(path: Path, columns: Mapping[str, str], skip: Skip | None) -> Iterator[Item]:
    """A record on each line, as `Pool.add` takes it; its source is what it says, or else the file."""
    piped = str(path) == STANDARD
    place = STDIN if piped else source_of(path)
    roles = {name: "text" if role == "answer" else role for role, name in columns.items()}
    for number, line in decode_lines(open_stdin(), STDIN, skip) if piped else read_lines(path, skip):
        if not line.strip():
            continue
        try:
            record = renamed(parse_record(line), roles)
            item = item_from_object(record)
        except RecordError as error:
            pass_over(FormatError(place, str(error), number), skip)
        else:
            known = piped or "source" in record  # an empty one, too: `export` says it of each
            yield item if known else replace(item, source=place, line=item.line or number)


def renamed(record: Any, roles: Mapping[str, str]) -> Any:
    if not roles or not isinstance(record, Mapping):
        return record
    return {roles.get(name, name): value for name, value in record.items()}


def read_dump(path: Path) -> Iterator[Item]:
    """Each answer is an entry, under the title of its question, with its votes, its tags and who knows what else."""
    # Answers are numbered anew in every dump, so that their ids name it, too.
    for question in read_posts(path, min_answers=1):
        about = {name: question.meta[name] for name in ("tags",)} | {"question_id": question.id}
        for answer in question.candidates:
            if answer.text.strip():
                title, source = str(question.meta["title"]), source_of(path)
                meta = {**answer.meta, **about, "answer_id": answer.id}
                yield Item(f"{source}#{answer.id}", answer.text, title, source=source, meta=meta)


def document_items(
    document: Document, source: str, columns: Mapping[str, str] | None, skip: Skip | None
) -> Iterator[Item]:
    """The entries of a FAQ, or the sentences of any other document."""
    lines = LineNumbers(document.text)
    for found in entries_of(document, columns, skip) or sentences(document):
        line = lines.at(found.start)
        try:
            yield checked(item_from(found, source, line))
        except RecordError as error:
            pass_over(FormatError(source, str(error), line), skip)


def item_from(found: Entry | Sentence, source: str, line: int) -> Item:
    """What has no id is known by its place."""
    id, place = f"{source}#{found.start}", (source, found.start, found.end)
    if isinstance(found, Entry):
        return Item(found.id or id, found.answer, found.question, None, *place, found.line, found.meta)
    page = {} if found.page is None else {"page": found.page}
    return Item(id, found.text, "", found.heading.replace(" > ", ", "), *place, line, page)
