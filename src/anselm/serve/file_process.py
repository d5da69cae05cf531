"""A file process: it makes documents of the files that requests bring.

What strangers send may take long to read, unpack to more than there is memory, or end the process that reads it, so
that it is not read where HTTP is spoken: a process of this kind can be killed at any moment.
"""

from __future__ import annotations

import signal
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from anselm.errors import AnselmError, FormatError, InputError
from anselm.text.documents import Document, document_from_bytes

MEMORY = 2 * 2**30  # bytes of such a process
MOST_CELLS = 200_000  # of tables in a request: as many as its JSON may have values
_GZIP = 16 + zlib.MAX_WBITS


@dataclass(frozen=True)
class SentFile:
    """Bytes, what they are called, and one of the kinds that files have; they may be packed, as in faq.csv.gz."""

    raw: bytes
    source: str
    kind: str


@dataclass(frozen=True)
class Order:
    """The files of a request, and what they may come to."""

    files: tuple[SentFile, ...]
    most_chars: int
    most_bytes: int  # of each, unpacked


@dataclass(frozen=True)
class Failure:
    """The kind of an error that is ours; its message may hold texts."""

    error: str


def run(link: Connection) -> None:
    """The life of a file process. It ends when the HTTP process does; signals are for that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    bound_memory(MEMORY)
    with suppress(EOFError, OSError):  # the link is closed
        while True:
            link.send(read(link.recv()))


def bound_memory(most: int) -> None:
    """Where the system can: an allocation beyond fails, and the process goes on."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def read(order: Order) -> tuple[Document, ...] | AnselmError | Failure:
    try:
        return tuple(_documents(order))
    except AnselmError as error:
        return error
    except MemoryError:
        return InputError("the files need too much memory when they are unpacked; send what is asked about by itself")
    except Exception as error:  # whatever a library raises: the process goes on with the next
        return Failure(type(error).__name__)


def _documents(order: Order) -> Iterator[Document]:
    chars = cells = 0
    for file in order.files:
        raw = _unpacked(file, order.most_bytes) if file.source.lower().endswith(".gz") else file.raw
        document = document_from_bytes(raw, file.source, file.kind)
        chars, cells = chars + len(document.text), cells + _cells(document)
        if chars > order.most_chars:
            raise FormatError(file.source, f"too many characters; with what is beside it, {chars:,} or more")
        if cells > MOST_CELLS:
            raise FormatError(file.source, f"too many cells; the tables of a request may have {MOST_CELLS:,}")
        yield document


def _unpacked(file: SentFile, most: int) -> bytes:
    unpacking = zlib.decompressobj(_GZIP)
    try:
        raw = unpacking.decompress(file.raw, most + 1)
    except zlib.error:
        raise FormatError(file.source, "is not packed by gzip, or damaged") from None
    if len(raw) > most:
        raise FormatError(file.source, f"unpacks to more than {most:,} bytes")
    if not unpacking.eof:
        raise FormatError(file.source, "ends before its end, as after a broken download")
    return raw


def _cells(document: Document) -> int:
    sheets = sum(len(cells) for sheet in document.sheets for _, cells in sheet.rows)
    return sheets + sum(len(row) for grid in document.grids for row in grid)
