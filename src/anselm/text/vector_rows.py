"""The rows of a file of word vectors, one word each, in the formats in which such files are published.

    GloVe text       the 0.1 -0.2 0.3       the first row says how wide all are
    word2vec text    2 3                    words and width, then rows as above
    word2vec binary  2 3                    the same header, then for each word its letters, a space, and its numbers
                                            as little-endian float32; the C program puts a line end after them

A field ends at a plain space and nowhere else, and a row's numbers are its last `width` fields: the published files
hold words with other spaces inside ("1\u00a0000"), and a few with plain ones (". . .").
"""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anselm.errors import FormatError
from anselm.files import decode_lines

Table = NDArray[np.float32]
_HEADER = re.compile(r"([0-9]{1,12}) ([0-9]{1,12}) *\r?\n?")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_CHUNK = 1 << 20
_LARGEST = float(np.finfo(np.float32).max)


class Row(NamedTuple):
    number: int  # of the line or, in a binary file, of the word; from 1
    word: str
    values: Any  # str in a text file, bytes in a binary one


@dataclass(frozen=True)
class Rows:
    """All rows of a file, still to be read, and how the values of some of them become a table."""

    width: int
    stream: Iterator[Row]
    parse: Callable[[list[Row]], Table]


def is_binary(begin: bytes, path: Path) -> bool:
    """By the name or by how the file begins: numbers as bytes are no text. Only a file with a header has them."""
    header = _HEADER.match(begin[:64].decode("latin-1"))
    sample = begin[header.end() :] if header else b""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # incremental, since the end may cut a character
    except UnicodeDecodeError:
        return True
    return ".bin" in path.suffixes[-2:] or _CONTROL.search(sample) is not None


def text_rows(file: IO[bytes], path: Path) -> Rows:
    lines = decode_lines(file, path)
    first = next(lines, None)
    if first is None:
        raise FormatError(path, "is empty; word vectors are needed")
    if _HEADER.fullmatch(first[1]):
        count, width = _read_header(first[1], path)
        stream = _count(_split_lines(lines, width, path), count, path)
    else:
        width = first[1].rstrip(" ").count(" ")
        stream = _split_lines(itertools.chain([first], lines), width, path)
    if not width:
        raise FormatError(path, "a word and its numbers are needed, with single spaces between them", 1)
    return Rows(width, stream, lambda rows: _parse_text(rows, path))


def binary_rows(file: IO[bytes], path: Path) -> Rows:
    begin = file.readline(64)
    if not begin:
        raise FormatError(path, "is empty; word vectors are needed")
    count, width = _read_header(begin.decode("latin-1"), path)
    stream = _count(_cut_chunks(file, width, path), count, path)
    return Rows(width, stream, lambda rows: _parse_binary(rows, path))


def _read_header(line: str, path: Path) -> tuple[int, int]:
    header = _HEADER.fullmatch(line)
    if header is None or not int(header[1]) or not int(header[2]):
        problem = f"the number of words and the width are needed, such as '3000000 300', not {line.rstrip()[:40]!r}"
        raise FormatError(path, problem, 1)
    return int(header[1]), int(header[2])


def _count(rows: Iterable[Row], count: int, path: Path) -> Iterator[Row]:
    """The rows, which must be as many as the header says."""
    found = 0
    for found, row in enumerate(rows, start=1):
        if found > count:
            raise FormatError(path, f"the header says {count:,} words, but there are more")
        yield row
    if found < count:
        raise FormatError(path, f"the file is cut off: the header says {count:,} words, but there are {found:,}")


def _split_lines(lines: Iterable[tuple[int, str]], width: int, path: Path) -> Iterator[Row]:
    for number, line in lines:
        line = line.rstrip(" ")  # word2vec's C program ends a row with a space
        if line.count(" ") == width:
            word, _, values = line.partition(" ")
        else:
            word, values = _split_odd_line(line, width, path, number)
        yield Row(number, word, values)


def _split_odd_line(line: str, width: int, path: Path, number: int) -> tuple[str, str]:
    """A row with spaces in its word; where all that follows the first field is numbers, it is one of another width."""
    first, *others = line.split(" ")
    if len(others) < width or all(map(_is_number, others)):
        raise FormatError(path, f"the word {first!r} has {len(others)} numbers, but {width} are needed", number)
    return " ".join([first, *others[:-width]]), " ".join(others[-width:])


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) <= _LARGEST
    except ValueError:
        return False


def _parse_text(rows: list[Row], path: Path) -> Table:
    # loadtxt on many rows at once is the fastest way to parse, but does not say which value of which row is wrong.
    try:
        table: Table = np.loadtxt([row.values for row in rows], np.float32, comments=None, delimiter=" ", ndmin=2)
        if np.isfinite(table).all():
            return table
    except ValueError:
        pass
    for row in rows:
        for value in row.values.split(" "):
            if not _is_number(value):
                raise FormatError(path, f"{value!r} of the word {row.word!r} is no finite number", row.number)
    return np.array([[float(value) for value in row.values.split(" ")] for row in rows], dtype=np.float32)


def _cut_chunks(file: IO[bytes], width: int, path: Path) -> Iterator[Row]:
    size, buffer, start = 4 * width, b"", 0
    for number in itertools.count(1):
        while (end := buffer.find(b" ", start)) < 0 or end + 1 + size > len(buffer):
            more = file.read(max(_CHUNK, size))
            buffer, start = buffer[start:] + more, 0
            if not more and not buffer.strip(b"\n"):
                return
            if not more:
                raise FormatError(f"{path}, word {number}", f"the file is cut off; {width} numbers are needed")
        try:
            word = buffer[start:end].lstrip(b"\n").decode("utf-8")
        except UnicodeDecodeError:
            raise FormatError(f"{path}, word {number}", "not valid UTF-8") from None
        yield Row(number, word, buffer[end + 1 : end + 1 + size])
        start = end + 1 + size


def _parse_binary(rows: list[Row], path: Path) -> Table:
    table = np.frombuffer(b"".join(row.values for row in rows), dtype="<f4").reshape(len(rows), -1)
    finite = np.isfinite(table)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        problem = f"{table[row, column]} of the word {rows[row].word!r} is no finite number"
        raise FormatError(f"{path}, word {rows[row].number}", problem)
    return table.astype(np.float32)
