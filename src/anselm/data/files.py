"""Opening text files, gzipped or not, with errors that name the file and the line."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from anselm.errors import FormatError, InputError


def open_binary(path: Path) -> IO[bytes]:
    """Open for reading; a name that ends in .gz is unpacked on the way."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; a file is needed here")
    if not path.exists():
        raise InputError(f"{path} does not exist")
    try:
        return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Stream (line number from 1, line without its end). Only LF and CRLF end a line: U+2028 and the like do not."""
    with open_binary(path) as file:
        yield from decode_lines(file, path)


def decode_lines(file: IO[bytes], place: object) -> Iterator[tuple[int, str]]:
    """As `read_lines`, from an open binary file; `place` names it in errors."""
    number = 0
    try:
        for number, raw in enumerate(file, start=1):
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            yield number, raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(place, f"not valid UTF-8 (byte {error.start + 1} of the line)", number) from None
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        raise FormatError(place, f"cannot be unpacked or read after line {number}: {error}") from None
