"""Reading and writing text files, gzipped or not: errors name the file and the line, nothing is left half-written."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import os
import re
import shutil
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import IO, Any

from anselm.errors import FormatError, InputError
from anselm.outputs import check_new, is_stream, open_stream, put_in_place, real_place

STDIN = "standard input"
PATIENCE = 10.0  # seconds in which a named pipe must have a writer
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # escaped; two in a row are one character
DEEPEST = 100  # levels of JSON
_HOLDERS = (dict, list, tuple)
LONGEST = 256 * 2**20  # bytes of a line, beyond which nobody has meant one: zeros without end, say
_TOO_DEEP = f"nested more than {DEEPEST} levels deep"


def find_file(path: Path) -> Path:
    """The path; where only its twin is there, that: `name.gz` for `name`, or `name` for `name.gz`."""
    if path.exists() or not path.name:
        return path
    twin = path.with_suffix("") if path.suffix == ".gz" else path.with_name(f"{path.name}.gz")
    return twin if twin.is_file() else path


def open_input(path: Path) -> IO[bytes]:
    """Open for reading, as it is. For a writer of a named pipe it waits only so long: there may never be one."""
    return _open_pipe(path) if stat.S_ISFIFO(path.stat().st_mode) else path.open("rb")


def _open_pipe(path: Path) -> IO[bytes]:
    """The system waits, in a thread: nothing else tells a writer that is silent from none."""
    opening: Future[IO[bytes]] = Future()

    def wait() -> None:
        try:
            opening.set_result(path.open("rb"))
        except OSError as error:
            opening.set_exception(error)

    Thread(target=wait, daemon=True).start()  # which ends with us
    try:
        return opening.result(PATIENCE)
    except TimeoutError:
        with suppress(OSError):
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))  # a writer for the thread, so that it ends
            opening.result(PATIENCE).close()
        problem = f"is a pipe, and nothing opened it for writing within {PATIENCE:g} seconds"
        raise InputError(f"{path} {problem}; start what writes to it, or give a file") from None


def open_binary(path: Path) -> IO[bytes]:
    """Open for reading. A name that ends in .gz is unpacked on the way; `name.gz` stands in for a missing `name`."""
    return _open_binary(path, lambda path: path.suffix == ".gz")


def open_by_content(path: Path) -> IO[bytes]:
    """As `open_binary`, but the first bytes tell what is packed: downloads are not always named for what they are."""
    return _open_binary(path, _begins_packed)


def _begins_packed(path: Path) -> bool:
    with open_input(path) as file:
        return file.read(2) == b"\x1f\x8b"


def _open_binary(path: Path, is_packed: Callable[[Path], bool]) -> IO[bytes]:
    try:
        path = find_file(path)
        packed = is_packed(path)
        file = open_input(path)
        return _Unpacked(file) if packed else file  # type: ignore[return-value]
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; a file is needed here") from None
    except (OSError, ValueError) as error:  # the latter for a name that no system takes
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


class _Unpacked(gzip.GzipFile):
    """Closes what it unpacks, too."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        super().__init__(fileobj=packed, mode="rb")

    def close(self) -> None:
        super().close()
        self._packed.close()


def read_lines(path: Path, skip: Skip | None = None) -> Iterator[tuple[int, str]]:
    """Stream (line number from 1, line without its end). Only LF and CRLF end a line: U+2028 and the like do not."""
    with open_binary(path) as file:
        yield from decode_lines(file, find_file(path), skip)


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
        raise ValueError(_TOO_DEEP) from None
    except UnicodeEncodeError as error:
        half = ord(error.object[error.start])
        raise ValueError(f"\\u{half:04x} is half a character (a lone surrogate), which no text can hold") from None
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python's guard against numbers that take long to convert
        raise ValueError(f"a number has more than {sys.get_int_max_str_digits():,} digits") from None
    check_depth(value)
    return value


def check_depth(value: object) -> None:
    """Raise ValueError for what later steps, each with a limit of its own, would trip over; also what holds itself."""
    level: list[Any] = [[value]]
    for _ in range(DEEPEST + 1):
        inner = (one for outer in level for one in (outer.values() if isinstance(outer, dict) else outer))
        level = list({id(one): one for one in inner if isinstance(one, _HOLDERS)}.values())
        if not level:
            return
    raise ValueError(_TOO_DEEP)


Skip = Callable[[FormatError], object]  # told of a line or an entry that cannot be used, and is passed over


def decode_lines(
    file: Iterable[bytes], place: object, skip: Skip | None = None, *, whole: bool = True
) -> Iterator[tuple[int, str]]:
    """As `read_lines`, from an open binary file or its lines; `place` names it in errors.

    Without `skip` a bad line is raised. What is not the `whole` of a file has no mark of an encoding.
    """
    number = 0
    try:
        for number, raw in enumerate(_lines(file), start=1):
            if len(raw) > LONGEST:
                raise FormatError(place, f"longer than {LONGEST:,} bytes, the most that is read as one line", number)
            if whole and number == 1:
                check_mark(raw, place)
                raw = raw.removeprefix(codecs.BOM_UTF8)
            try:
                line = raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
            except UnicodeDecodeError as error:
                pass_over(FormatError(place, f"not valid UTF-8 (byte {error.start + 1} of the line)", number), skip)
            else:
                yield number, line
    except (EOFError, OSError, zlib.error) as error:
        raise FormatError(place, f"cannot be unpacked or read after line {number}: {error}") from None


def _lines(file: Iterable[bytes]) -> Iterator[bytes]:
    return iter(lambda: read_line(file), b"") if isinstance(file, io.IOBase) else iter(file)


def read_line(file: IO[bytes] | io.IOBase) -> bytes:
    """As far as a line may go and one byte more, by which `decode_lines` knows that it is longer."""
    return file.readline(LONGEST + 1)


def check_mark(start: bytes, place: object) -> None:
    """That a file of lines does not begin as UTF-16 does: all its lines would be bad."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FormatError(place, "begins as UTF-16 does, and lines are read as UTF-8; save it as UTF-8", 1)


def pass_over(error: FormatError, skip: Skip | None) -> None:
    if skip is None:
        raise error from None
    skip(error)


def count_lines(path: Path) -> int | None:
    """How many lines a plain file has, for a progress bar; None where counting would cost an unpacking."""
    if path.suffix == ".gz" or not path.is_file():
        return None
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


@contextmanager
def write_atomically(path: Path) -> Iterator[IO[str]]:
    """Write text beside `path` and move it there at the end, so that a failure leaves the old file as it was.

    A link stays, and what it leads to is replaced; permissions stay, too. What is no file, such as a device or a pipe,
    is written to as it comes.
    """
    with write_bytes_atomically(path) as binary, io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as file:
        yield file


@contextmanager
def write_bytes_atomically(path: Path) -> Iterator[IO[bytes]]:
    """As `write_atomically`, for what is no text."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; a file name is needed to write to")
    try:
        with open_stream(path) if is_stream(path) else _write_beside(real_place(path)) as plain:
            if path.suffix != ".gz":
                yield plain
            else:
                with gzip.GzipFile(fileobj=plain, mode="wb") as packed:
                    yield packed  # type: ignore[misc]
    except BrokenPipeError:  # whoever reads our output has seen enough
        raise
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


@contextmanager
def _write_beside(place: Path) -> Iterator[IO[bytes]]:
    partial = _beside(place)
    try:
        with partial.open("wb") as file:
            yield file
        put_in_place(partial, place)
    finally:
        partial.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes) -> None:
    """Write it atomically."""
    with write_bytes_atomically(path) as file:
        file.write(content)


@contextmanager
def write_folder_atomically(path: Path) -> Iterator[Path]:
    """A new folder that is filled beside its place and moved there when it is whole."""
    partial = _beside(check_new(path))
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


def open_stdin() -> IO[bytes]:
    if sys.stdin is None:  # as `<&-` leaves it
        raise InputError(f"{STDIN} is closed, and it was to be read")
    return sys.stdin.buffer
