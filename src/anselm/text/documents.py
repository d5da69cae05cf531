"""From files to sentences, or to the entries of a FAQ, each with its place in the file.

The kind of a document is told by its suffix: .md and .markdown are Markdown, .html and .htm are HTML, .pdf is PDF,
.docx is Word, .odt its like, .pptx slides, .epub a book, .csv, .tsv, .json, .jsonl, .xlsx, .xlsm and .ods are tables,
.txt, .rst and no suffix are plain text. Text is UTF-8 or UTF-16, and packed where a .gz follows (page.html.gz). Offsets
count the characters of the decoded file, without a byte order mark and with its line ends as they are; of PDF and
office files, those of the extracted text.
"""

from __future__ import annotations

import gzip
import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from anselm.errors import AnselmError, FormatError, InputError, UnknownNameError
from anselm.files import open_input
from anselm.text.docx import read_docx
from anselm.text.encodings import decode
from anselm.text.epub import read_epub
from anselm.text.extracts import Extract
from anselm.text.faq import Entry, Skip, pass_over, refuse
from anselm.text.faq_pages import Page
from anselm.text.faq_records import record_entries
from anselm.text.faq_sheets import sheet_entries
from anselm.text.faq_tables import table_entries
from anselm.text.folders import find_documents as find_documents
from anselm.text.folders import is_folder, unreadable
from anselm.text.kinds import (
    ALLOWED,
    KINDS,
    SHEETS,
    TABLES,
    headings_of,
    pieces_of,
    refuse_address,
    refuse_foreign,
    suffix,
)
from anselm.text.linked_faqs import scripted_entries
from anselm.text.opendocument import read_ods, read_odt
from anselm.text.outlines import Heading, join_titles, with_questions
from anselm.text.page_tables import Grid, faq_tables, grids_of
from anselm.text.pdf import read_pdf
from anselm.text.pieces import Cleaned
from anselm.text.pptx import read_pptx
from anselm.text.questions import blocks_of, is_question, lines_of
from anselm.text.sheets import Sheet
from anselm.text.units import units
from anselm.text.xlsx import read_xlsx

_HAS_WORD = re.compile(r"[^\W_]")
_EXTRACTS: dict[str, Callable[[bytes, object], Extract]] = {
    "pdf": read_pdf, "docx": read_docx, "odt": read_odt, "pptx": read_pptx, "epub": read_epub,
    "xlsx": read_xlsx, "ods": read_ods,
}  # fmt: skip
_TABLE_ENTRIES = {"csv": table_entries, "tsv": table_entries, "json": record_entries, "jsonl": record_entries}


@dataclass(frozen=True)
class Document:
    """A text, what it is called, and its kind: one of those that `KINDS` names.

    Of files whose text has no markup, `headings` are those that were found, `pages` where a PDF's begin, `grids` the
    tables of Word and the like, and `sheets` those of a spreadsheet.
    """

    source: str
    text: str
    kind: str
    headings: tuple[Heading, ...] = ()
    pages: tuple[int, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    grids: tuple[Grid, ...] = ()

    def line_of(self, found: Entry | Sentence) -> int:
        """The line that an answer or a sentence begins on; of a spreadsheet its row."""
        if self.sheets and isinstance(found, Entry):
            return found.line
        return self.text.count("\n", 0, found.start) + 1


@dataclass(frozen=True)
class Sentence:
    """A sentence without markup, and the span of its document's text that it came from.

    In plain text the span is exactly the sentence; in Markdown and HTML it also holds the markup inside. `heading` is
    what stands above it, the highest first ("Manual > Cleaning"), and `page` the page that it starts on, from 1.
    """

    text: str
    source: str
    start: int
    end: int
    heading: str = ""
    page: int | None = None


def sentences(document: Document) -> list[Sentence]:
    """The sentences of a document, in order: list items, table rows and blocks of code are some, too; headings are not.

    A question is in one with the sentence that answers it, where they stand in one paragraph. What is longer than 200
    words comes in overlapping parts; what holds no letter or digit is left out. A table has no sentences but entries.
    """
    if document.kind in TABLES.values():
        return []
    page = open_page(document)
    cleaned = Cleaned(page.pieces)
    found = []
    for start, end in units(cleaned.text):
        first, last = cleaned.source_span(start, end)
        if _HAS_WORD.search(cleaned.text, start, end) and not page.outline.is_heading(first):
            above = join_titles(page.outline.path(first))
            number = bisect_right(document.pages, first) if document.pages else None
            found.append(Sentence(cleaned.text[start:end], document.source, first, last, above, number))
    return found


def entries_of(document: Document, columns: Mapping[str, str] | None = None, skip: Skip | None = None) -> list[Entry]:
    """The entries of a FAQ: of a table, or of a page whose headings or tables ask; none of any other document.

    `columns` names columns of a table, as in {"answer": "Reply"}. `skip` is told of each entry that cannot be read and
    is passed over; without it the first is an error in a table, and a heading without a text says nothing.
    """
    if document.sheets:
        return list(sheet_entries(document.sheets, columns or {}, document.source, skip or refuse))
    if document.kind not in _TABLE_ENTRIES:
        page = open_page(document)
        if page.is_faq():
            return page.entries(document.source, skip or pass_over)
        return _scripted(page) if document.kind == "html" else []
    read = _TABLE_ENTRIES[document.kind]
    return list(read(document.text, document.kind, columns or {}, document.source, skip or refuse))


def _scripted(page: Page) -> list[Entry]:
    """The FAQ that a page tells search engines, unless it says much else to its readers."""
    entries = scripted_entries(page.source)
    told = sum(len(f"{one.question} {one.answer}".split()) for one in entries)
    return entries if told * 2 >= len(Cleaned(page.pieces).text.split()) else []


def open_page(document: Document) -> Page:
    """A page with its headings, and with questions that are set like headings where it is no FAQ by its marks."""
    page = marked_page(document)
    if page.is_faq():
        return page
    markup = document.kind in ("markdown", "html")
    blocks = [
        page.bare(block) for block in (blocks_of(document.text, page.pieces) if markup else lines_of(document.text))
    ]
    return Page(page.source, page.pieces, with_questions(page.outline.headings, blocks), page.tables)


def marked_page(document: Document) -> Page:
    """A page with the headings that are marked."""
    pieces = pieces_of(document.text, document.kind)
    headings = document.headings or headings_of(document.text, document.kind, pieces)
    grids = document.grids or grids_of(document.text, document.kind)
    return Page(document.text, pieces, headings, faq_tables(grids, pieces))


def document_from_text(text: str, source: str, kind: str = "text") -> Document:
    """A document that does not come from a file."""
    if kind not in (known := set(KINDS.values()) - set(SHEETS.values())):  # the text alone does not tell the cells
        raise UnknownNameError("kind of document", kind, known)
    return Document(source, text, kind)


def document_from_bytes(raw: bytes, source: str, kind: str) -> Document:
    """The content of a file."""
    if kind not in _EXTRACTS:
        return document_from_text(decode(raw, source), source, kind)
    found = _EXTRACTS[kind](raw, source)
    return Document(source, found.text, kind, found.headings, found.pages, found.sheets, found.grids)


def read_document(path: Path) -> Document:
    """Read one file."""
    refuse_address(path)
    refuse_foreign(path)
    kind = KINDS.get(suffix(path), "") if suffix(path) else "text"
    if not kind:
        raise InputError(f"{path} cannot be read as a document: {suffix(path)} is not one of {ALLOWED}")
    try:
        with open_input(path) as file:
            raw = gzip.decompress(file.read()) if path.suffix.lower() == ".gz" else file.read()
    except (OSError, ValueError, EOFError, zlib.error) as error:  # ValueError: a name that no system takes
        raise unreadable(path, error) from None
    return document_from_bytes(raw, str(path), kind)


def read_documents(
    paths: Iterable[Path], skip: Skip | None = None, columns: Mapping[str, str] | None = None
) -> Iterator[Document]:
    """Read files, and all that can be read in folders, each file once.

    A file that is named must be readable. Of those in a folder, `skip` is told which are not, and they are passed over;
    without it the first is an error. A table in a folder is a document if it is a FAQ, with `columns` as in
    `entries_of`; other data is none.
    """
    seen: set[Path] = set()
    for given in paths:
        inside = is_folder(given)
        for path in find_documents([given], skip):
            if path.resolve() in seen:
                continue
            seen.add(path.resolve())
            document = _read_inside(path, skip or refuse, columns) if inside else read_document(path)
            if document is not None:
                yield document


def _read_inside(path: Path, skip: Skip, columns: Mapping[str, str] | None) -> Document | None:
    try:
        document = read_document(path)
    except AnselmError as error:
        skip(error if isinstance(error, FormatError) else FormatError(path, str(error)))
        return None
    return document if document.kind not in TABLES.values() or _is_faq(document, columns) else None


def _is_faq(table: Document, columns: Mapping[str, str] | None) -> bool:
    """Whether a table has questions and answers; JSON also holds settings, so there they must look like questions."""
    try:
        asked = [entry.question for entry in entries_of(table, columns, lambda error: None)]
    except FormatError:
        return False
    return sum(map(is_question, asked)) * 2 > len(asked) if table.kind == "json" else any(asked)
