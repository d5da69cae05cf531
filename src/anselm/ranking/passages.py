"""What a question is put to in documents: their sentences, and the entries of FAQs, each in its place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anselm.data.question import DOCUMENTS, SENTENCES, Candidate
from anselm.errors import FormatError, InputError
from anselm.ranking.answers import Passage, Result
from anselm.text.documents import Document, Sentence, document_from_text, entries_of, read_documents, sentences
from anselm.text.faq import Entry, Skip
from anselm.text.faq_columns import check_columns
from anselm.text.kinds import KINDS, suffix

RUN = 50  # words of a paragraph, by which its sentences are compared with a question
GivenDocument = str | Path | Document  # a text, a file or folder, or what was read already


@dataclass(frozen=True)
class Spot:
    """A sentence or an entry of a document, as a candidate that is named by its number among all."""

    document: Document
    found: Sentence | Entry
    candidate: Candidate


def find_spots(
    documents: GivenDocument | Iterable[GivenDocument],
    columns: Mapping[str, str] | None = None,
    skip: Skip | None = None,
) -> list[Spot]:
    """`skip` is also told of documents in which there is nothing to find, beside others; without it they pass."""
    check_columns(columns)
    spots: list[Spot] = []
    skipped: list[FormatError] = []
    empty: list[FormatError] = []

    def note(error: FormatError) -> None:
        skipped.append(error)
        if skip:
            skip(error)

    told = note if skip else None
    for number, document in enumerate(open_documents(documents, columns, told)):
        before = len(skipped)
        parts: Sequence[Sentence | Entry] = entries_of(document, columns, told) or list(sentences(document))
        if not parts and len(skipped) == before:
            empty.append(FormatError(document.source, nothing_in(document)))
        candidates = in_paragraphs([make_candidate(str(len(spots) + place), one) for place, one in enumerate(parts)])
        for place, (found, candidate) in enumerate(zip(parts, candidates, strict=True)):
            spots.append(Spot(document, found, replace(candidate, document=number, place=place)))
    if not spots:
        raise next(iter(skipped), InputError("there are no sentences in the documents"))
    if skip:
        for error in empty:
            skip(error)
    return spots


def nothing_in(document: Document) -> str:
    return f"there {'are no sentences' if document.text.strip() else 'is no text'} in it"


def check_text(text: str) -> None:
    """A file's name where a text is expected would be read as a sentence of one word."""
    name = text.strip()
    if len(name) < 256 and suffix(Path(name)) in KINDS and os.path.isfile(name):  # noqa: PTH113  # takes any string
        raise InputError(f"{name!r} is a text here, and the name of a file: give Path({name!r}) to have that read")


def make_candidate(id: str, found: Sentence | Entry) -> Candidate:
    if isinstance(found, Entry):
        return Candidate(id, found.answer, None, found.meta, found.question)
    return Candidate(id, found.text, heading=found.heading.replace(" > ", ", "))


def in_paragraphs(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Sentences in the order of their document, each with the run that it stands in: some of them under one heading."""
    runs: list[list[Candidate]] = []
    for one in candidates:
        words = sum(len(other.text.split()) for other in (*(runs[-1] if runs else ()), one))
        if runs and all(map(is_sentence, (runs[-1][0], one))) and runs[-1][0].heading == one.heading and words <= RUN:
            runs[-1].append(one)
        else:
            runs.append([one])
    texts = [" ".join(one.text for one in run) if is_sentence(run[0]) else "" for run in runs]
    return [replace(one, paragraph=text) for run, text in zip(runs, texts, strict=True) for one in run]


def is_sentence(candidate: Candidate) -> bool:
    return candidate.kind in (SENTENCES, DOCUMENTS)


def open_documents(
    documents: GivenDocument | Iterable[GivenDocument],
    columns: Mapping[str, str] | None = None,
    skip: Skip | None = None,
) -> Iterator[Document]:
    """Read what is not read yet; each file once."""
    given = [documents] if isinstance(documents, str | Path | Document) else documents
    if not isinstance(given, Iterable):
        raise InputError(f"documents must be texts, Paths or Documents, not {given!r:.60}")
    seen: set[Path] = set()
    for position, document in enumerate(given):
        if isinstance(document, Document):
            yield document
        elif isinstance(document, str):
            check_text(document)
            yield document_from_text(document, source=f"document {position}")
        elif isinstance(document, Path):
            for found in read_documents([document], skip, columns):
                if (place := Path(found.source).resolve()) not in seen:
                    seen.add(place)
                    yield found
        else:
            raise InputError(f"document {position} must be a text, a Path or a Document, not {document!r:.60}")


def passage(result: Result, places: Sequence[int], spots: Sequence[Spot]) -> Passage:
    """A result with its place: offsets and line in its document, and the sentences beside it."""
    index = places[result.index]
    others = None if result.duplicates is None else tuple(places[other] for other in result.duplicates)
    here = spots[index]
    found = here.found

    def beside(other: int) -> str:
        inside = 0 <= other < len(spots) and spots[other].document is here.document
        return spots[other].candidate.text if inside and isinstance(found, Sentence) else ""

    return Passage.of(
        result, index=index, id=(found.id or None) if isinstance(found, Entry) else None, duplicates=others,
        source=here.document.source, start=found.start, end=found.end,
        line=here.document.line_of(found), before=beside(index - 1), after=beside(index + 1),
        heading=(found.heading or None) if isinstance(found, Sentence) else None,
        page=found.page if isinstance(found, Sentence) else None,
    )  # fmt: skip
