"""The kinds of files that hold answers: known by the end of their names or, where that does not tell, by content."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from anselm.errors import InputError
from anselm.text.faq_columns import knows_columns
from anselm.text.faq_tables import find_separator
from anselm.text.html import html_pieces
from anselm.text.markdown import markdown_pieces
from anselm.text.outlines import Heading, html_headings, markdown_headings, text_headings
from anselm.text.pieces import Piece

SHEETS = {".xlsx": "xlsx", ".xlsm": "xlsx", ".ods": "ods"}
TABLES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"} | SHEETS
PAGES = {
    ".txt": "text", ".rst": "text", ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html",
    ".pdf": "pdf", ".docx": "docx", ".odt": "odt", ".pptx": "pptx", ".epub": "epub",
}  # fmt: skip
KINDS = PAGES | TABLES
ALLOWED = f"{', '.join(sorted(KINDS))} or a text file without a suffix"
_SPREADSHEETS = {".xls", ".xlsb", ".numbers"}
# Documents that cannot be read: in a folder of documents somebody may count on them, unlike on pictures and programs.
FOREIGN = {".doc", ".rtf", ".pages", ".ppt", ".odp"} | _SPREADSHEETS
_ADDRESS = re.compile(r"(https?|ftp):/+", re.IGNORECASE)
_HTML = re.compile(
    r"\s*+<(?:!doctype html|html|head|body|h[1-6]|details|dl|main|article|section|div|p)\b", re.IGNORECASE
)
_HASHES = re.compile(r"^#{1,6}[ \t]+[^\W_a-z]", re.MULTILINE)  # "# of seats" is no heading
_JSON = re.compile(r"\s*+(?:\{\s*+[\"}]|\[\s*+[{\"])")
_DECODER = json.JSONDecoder()
_SAMPLE = 20  # lines


def suffix(path: Path) -> str:
    """What tells the kind: the suffix, or that before .gz."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def is_document(path: Path) -> bool:
    """Whether it is a page rather than a table, by its name alone."""
    return suffix(path) in PAGES


def save_as(path: Path) -> str:
    """What somebody can do about a document of a kind that cannot be read."""
    return "save it as .xlsx or .csv" if suffix(path) in _SPREADSHEETS else "save it as .docx, .pdf or .txt"


def refuse_foreign(path: Path) -> None:
    if suffix(path) in FOREIGN:
        raise InputError(f"{path} cannot be read: {suffix(path)} is not one of {ALLOWED}; {save_as(path)}")


def refuse_address(path: Path) -> None:
    if found := _ADDRESS.match(str(path)):
        address = f"{found[1]}://{str(path)[found.end() :]}"
        raise InputError(f"{address} is an address, and Anselm reads files only; download it first")


def tell_kind(text: str) -> str:
    """By content; what has no mark of any other kind is plain text."""
    if _is_json(text):
        return "json"
    if _HTML.match(text):
        return "html"
    if len(_HASHES.findall(text)) >= 2:
        return "markdown"
    return "csv" if _is_table(text) else "text"


def _is_json(text: str) -> bool:
    """Whether it begins as objects or texts do; "{name}, hello" and a text behind a list do not."""
    if not _JSON.match(text):
        return False
    try:
        _, end = _DECODER.raw_decode(text.lstrip())
    except (ValueError, RecursionError):  # damaged, which is said where it is read
        return True
    return not text.lstrip()[end:].partition("\n")[0].strip()


def _is_table(text: str) -> bool:
    """Whether the first line names columns, which are names and no sentence, or what separates them."""
    line, _, below = text.partition("\n")
    line = line.strip()
    separator = find_separator(line)
    if separator is None or line.endswith((".", "!", "?")):
        return bool(re.fullmatch(r"(?i)sep=.", line))
    names = [name.strip(' "') for name in line.split(separator)]
    asked = knows_columns(names, "answer", "question") or knows_columns(names, "answer", "id")
    rows = [row for row in below.splitlines()[:_SAMPLE] if row.strip()]
    return asked and sum(separator in row for row in rows) * 2 >= len(rows)


def _plain_pieces(source: str) -> Iterator[Piece]:
    yield Piece(source, 0, len(source))


_MARKUP: dict[str, Callable[[str], Iterator[Piece]]] = {"markdown": markdown_pieces, "html": html_pieces}
_HEADINGS = {"markdown": markdown_headings, "html": html_headings, "text": text_headings}


def pieces_of(text: str, kind: str) -> list[Piece]:
    """The text without its markup."""
    return list(_MARKUP.get(kind, _plain_pieces)(text))


def headings_of(text: str, kind: str, pieces: Sequence[Piece]) -> list[Heading]:
    """The headings that are told by markup, or by their numbers."""
    return _HEADINGS[kind](text, pieces) if kind in _HEADINGS else []
