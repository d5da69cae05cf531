"""From files to sentences, each with its place in the file.

The kind of a document is told by its suffix: .md and .markdown are Markdown, .html and .htm are HTML, .txt, .rst and
no suffix are plain text. All are UTF-8, and packed where a .gz follows (page.html.gz). Offsets count the characters of
the decoded file, without a byte order mark and with its line ends as they are.
"""

from __future__ import annotations

import gzip
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from anselm.errors import FormatError, InputError, UnknownNameError
from anselm.text.html import html_pieces
from anselm.text.markdown import markdown_pieces
from anselm.text.pieces import Cleaned, Piece
from anselm.text.sentences import sentence_spans
from anselm.text.windows import windows

_KINDS = {".txt": "text", ".rst": "text", ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html"}
_ALLOWED = f"{', '.join(sorted(_KINDS))} or a text file without a suffix"
_MAX_WORDS, _OVERLAP = 200, 20  # a "sentence" beyond is a log or a table; models read about this much at once
_HAS_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class Document:
    """A text, what it is called, and its kind: text, markdown or html."""

    source: str
    text: str
    kind: str


@dataclass(frozen=True)
class Sentence:
    """A sentence without markup, and the span of its document's text that it came from.

    In plain text the span is exactly the sentence; in Markdown and HTML it also holds the markup inside.
    """

    text: str
    source: str
    start: int
    end: int


def sentences(document: Document) -> list[Sentence]:
    """The sentences of a document, in order: headings, list items, table rows and blocks of code are some, too.

    What is longer than 200 words comes in overlapping parts; what holds no letter or digit is left out.
    """
    cleaned = Cleaned(_EXTRACTORS[document.kind](document.text))
    return [
        Sentence(cleaned.text[start:end], document.source, *cleaned.source_span(start, end))
        for start, end in _units(cleaned.text)
        if _HAS_WORD.search(cleaned.text, start, end)
    ]


def document_from_text(text: str, source: str, kind: str = "text") -> Document:
    """A document that does not come from a file."""
    if kind not in _EXTRACTORS:
        raise UnknownNameError("kind of document", kind, _EXTRACTORS)
    return Document(source, text, kind)


def read_document(path: Path) -> Document:
    """Read one file."""
    suffix = _suffix(path)
    kind = "text" if not suffix else _KINDS.get(suffix)
    if kind is None:
        raise InputError(f"{path} cannot be read as a document: {suffix} is not one of {_ALLOWED}")
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix.lower() == ".gz" else path.read_bytes()
    except (OSError, ValueError, EOFError, zlib.error) as error:  # ValueError: a name that no system takes
        raise _unreadable(path, error) from None
    return Document(str(path), _decode(raw, path), kind)


def _suffix(path: Path) -> str:
    """What tells the kind: the suffix, or that before .gz."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def is_document(path: Path) -> bool:
    """By its name alone."""
    return _suffix(path) in _KINDS


def find_documents(paths: Iterable[Path]) -> list[Path]:
    """The files among the paths, and those with a known suffix in the folders among them and below, sorted.

    Hidden files and folders are passed over, and so are files without a suffix: those must be named themselves.
    """
    return list(dict.fromkeys(file for path in paths for file in _expand(path)))  # each once


def _expand(path: Path) -> list[Path]:
    try:
        if not stat.S_ISDIR(path.stat().st_mode):
            return [path]
        files = sorted(_walk(path))
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    if not files:
        raise InputError(f"there is no document in the folder {path}: no file ends in {', '.join(sorted(_KINDS))}")
    return files


def _walk(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():  # a link may lead back
            yield from _walk(entry)
        elif _suffix(entry) in _KINDS and entry.is_file():
            yield entry


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}")


def _decode(raw: bytes, path: Path) -> str:
    if b"\0" in raw:
        raise InputError(f"{path} is not UTF-8 text but binary or UTF-16 (it holds NUL bytes); allowed are {_ALLOWED}")
    try:
        return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        byte = error.start - before.rfind(b"\n")
        raise FormatError(path, f"not valid UTF-8 (byte {byte} of the line)", before.count(b"\n") + 1) from None


def _units(text: str) -> Iterator[tuple[int, int]]:
    for start, end in sentence_spans(text):
        if end - start <= _MAX_WORDS:  # so few characters are not more words
            yield start, end
        else:
            for first, last in windows(text[start:end], _MAX_WORDS, _OVERLAP):
                yield start + first, start + last


def _plain_pieces(source: str) -> Iterator[Piece]:
    yield Piece(source, 0, len(source))


_EXTRACTORS: dict[str, Callable[[str], Iterator[Piece]]] = {
    "text": _plain_pieces,
    "markdown": markdown_pieces,
    "html": html_pieces,
}
