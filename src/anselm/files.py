"""Reading and writing text files, gzipped or not: errors name the file and the line, nothing is left half-written."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from anselm.errors import FormatError, InputError

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # escaped; two in a row are one character


def find_file(path: Path) -> Path:
    """The path; where only its twin is there, that: `name.gz` for `name`, or `name` for `name.gz`."""
    if path.exists() or not path.name:
        return path
    twin = path.with_suffix("") if path.suffix == ".gz" else path.with_name(f"{path.name}.gz")
    return twin if twin.is_file() else path


def open_binary(path: Path) -> IO[bytes]:
    """Open for reading. A name that ends in .gz is unpacked on the way; `name.gz` stands in for a missing `name`."""
    return _open_binary(path, lambda path: path.suffix == ".gz")


def open_by_content(path: Path) -> IO[bytes]:
    """As `open_binary`, but the first bytes tell what is packed: downloads are not always named for what they are."""
    return _open_binary(path, _begins_packed)


def _begins_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _open_binary(path: Path, is_packed: Callable[[Path], bool]) -> IO[bytes]:
    try:
        path = find_file(path)
        return gzip.open(path, "rb") if is_packed(path) else path.open("rb")  # type: ignore[return-value]
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; a file is needed here") from None
    except (OSError, ValueError) as error:  # the latter for a name that no system takes
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Stream (line number from 1, line without its end). Only LF and CRLF end a line: U+2028 and the like do not."""
    with open_binary(path) as file:
        yield from decode_lines(file, find_file(path))


def read_json(path: Path) -> Any:
    """A whole JSON document."""
    with open_binary(path) as file:
        try:
            return parse_json(file.read().decode("utf-8-sig"))
        except json.JSONDecodeError as error:
            raise FormatError(path, f"not whole JSON: {error.msg} (column {error.colno})", error.lineno) from None
        except (ValueError, OSError, EOFError, zlib.error) as error:
            raise FormatError(path, f"cannot be read: {error}") from None


def parse_json(text: str) -> Any:
    """A JSON value. All that can be wrong is a ValueError, also what Python would take or trip over later."""
    try:
        value = json.loads(text)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeEncodeError as error:
        half = ord(error.object[error.start])
        raise ValueError(f"\\u{half:04x} is half a character (a lone surrogate), which no text can hold") from None
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python's guard against numbers that take long to convert
        raise ValueError(f"a number has more than {sys.get_int_max_str_digits():,} digits") from None
    return value


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
    except (EOFError, OSError, zlib.error) as error:
        raise FormatError(place, f"cannot be unpacked or read after line {number}: {error}") from None


def count_lines(path: Path) -> int | None:
    """How many lines a plain file has, for a progress bar; None where counting would cost an unpacking."""
    if path.suffix == ".gz" or not path.is_file():
        return None
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


@contextmanager
def write_atomically(path: Path) -> Iterator[IO[str]]:
    """Write text beside `path` and move it there at the end, so that a failure leaves the old file as it was."""
    with write_bytes_atomically(path) as binary, io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as file:
        yield file


@contextmanager
def write_bytes_atomically(path: Path) -> Iterator[IO[bytes]]:
    """As `write_atomically`, for what is no text."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; a file name is needed to write to")
    partial = _beside(path)
    try:
        with gzip.open(partial, "wb") if path.suffix == ".gz" else partial.open("wb") as file:
            yield file  # type: ignore[misc]
        partial.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes) -> None:
    """Write beside `path` and move it there, so that a failure leaves the old file as it was and nothing beside it."""
    partial = _beside(path)
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def write_folder_atomically(path: Path) -> Iterator[Path]:
    """A new folder that is filled beside its place and moved there when it is whole."""
    if path.exists():
        raise InputError(f"{path} exists already; give the name of a new folder")
    partial = _beside(path)
    try:
        partial.mkdir(parents=True)
        yield partial
        partial.rename(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.partial")


def read_stdin() -> str:
    """All of standard input, as text."""
    return "\n".join(line for _, line in decode_lines(sys.stdin.buffer, "standard input"))
