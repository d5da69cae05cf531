"""The lists of a part, and ranked lists as a part: grouped JSONL, packed or not, and Parquet. Both are streamed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from anselm.data.formats.jsonl import parse_lines
from anselm.data.formats.records import RecordError, check_rankable, question_from_json
from anselm.data.question import Question
from anselm.errors import FormatError
from anselm.files import Skip, check_mark, decode_lines, pass_over, read_line
from anselm.scale.input_parts import PARQUET, Part
from anselm.scale.parquet_files import RankedRows, read_rows
from anselm.scale.places import open_place, write_whole

STEP = 2**20  # bytes
Write = Callable[[Mapping[str, Any]], None]


def read_lists(part: Part, skip: Skip | None = None) -> Iterator[Question]:
    """`skip` is told of each record that is no list; without it the first one is raised.

    A list without an id has the number of its line or row; in a piece of JSONL, whose lines nobody has counted, the
    byte from which they are counted stands before it.
    """
    if part.is_parquet:
        return read_records(part, skip)
    return read_span(part, skip)


def read_records(part: Part, skip: Skip | None) -> Iterator[Question]:
    seen: dict[str, int] = {}
    for number, record in read_rows(part.place, part.start, part.stop):
        try:
            question = question_from_json(record, str(number), check_rankable)
            if question.id in seen:
                raise RecordError(f"the id {question.id!r} was used in row {seen[question.id]} already")
        except RecordError as error:
            pass_over(FormatError(f"{part.place}, row {number}", str(error)), skip)
        else:
            seen[question.id] = number
            yield question


def read_span(part: Part, skip: Skip | None) -> Iterator[Question]:
    with open_place(part.place) as file:
        if part.is_packed:
            with gzip.open(file) as unpacked:
                yield from parse_lines(decode_lines(unpacked, part.place, skip), part.place, skip, check_rankable)
        elif part.stop is None:
            yield from parse_lines(decode_lines(file, part.place, skip), part.place, skip, check_rankable)
        else:
            check_mark(file.read(2), part.place)
            first = find_line(file, part.start, part.stop)
            place, lines = f"{part.place} from byte {first}", lines_until(file, first, part.stop)
            decoded = decode_lines(lines, place, skip, whole=first == 0)
            yield from parse_lines(decoded, place, skip, check_rankable, prefix=f"{first}:")


def find_line(file: IO[bytes], start: int, stop: int) -> int:
    """Where the first line begins that begins at a byte or behind it; the file is there then.

    In steps, of which none is kept, since a line may be longer than memory; not far beyond `stop`, where others read.
    """
    file.seek(place := max(start - 1, 0))
    while start and place < stop and (read := file.readline(STEP)):
        place += len(read)
        if read.endswith(b"\n"):
            break
    return place


def lines_until(file: IO[bytes], place: int, stop: int) -> Iterator[bytes]:
    """Those that begin before a byte."""
    while place < stop and (line := read_line(file)):
        place += len(line)
        yield line


@contextmanager
def write_lists(place: str) -> Iterator[Write]:
    """Gives what takes ranked lists, one by one; they appear together, at the end."""
    with write_whole(place) as file:
        if not place.endswith(PARQUET):
            yield lambda record: _write_line(file, record)
            return
        rows = RankedRows(file)
        try:
            yield rows.write
            rows.finish()
        finally:
            rows.close()


def _write_line(file: IO[bytes], record: Mapping[str, Any]) -> None:
    file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
