"""What people said of answers: a question, the passages that were shown, and which was right, as labelled lists."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from anselm.data.formats.jsonl import candidate_to_json
from anselm.data.formats.records import check_question
from anselm.errors import FormatError, InputError
from anselm.files import STDIN, open_stdin, parse_json, read_json
from anselm.outputs import STANDARD, check_apart, hold, is_stream
from anselm.retrieval.item import Item
from anselm.retrieval.pool import Pool
from anselm.retrieval.store import FILE as DATABASE

FILE = "feedback.jsonl"
BEGINNING = b'{"question"'  # of a line that was written here
BLOCK = 65_536  # bytes
TORN = ".torn"
PATIENCE = 10.0  # seconds that others may take to write their lines


def feedback_file(pool: Pool) -> Path:
    """Beside the rest of a pool that is a folder; a server has no place for files."""
    if pool.folder is None:
        raise InputError(f"{pool.place} is no folder: say with --output FILE where the lists are gathered")
    return pool.folder / FILE


def check_beside(pool: Pool, output: Path, gathers: bool = False) -> None:
    """That nothing of a pool that is a folder is written over, by whichever name; who `gathers` may add to its file."""
    folder = pool.folder
    if str(output) == STANDARD:
        return
    own = output.resolve()
    spared = FILE if gathers else None
    if (own.parent / DATABASE).is_file() and own.name != spared:
        raise InputError(f"{output} is within the pool {own.parent}; give a name outside to write to")
    if folder is None:
        return
    if own.is_relative_to(folder.resolve()) and own.name != spared:
        raise InputError(f"{output} is within the pool {folder}; give a name outside to write to")
    check_apart(output, *(one for one in folder.rglob("*") if one.is_file() and one.name != spared))


def read_shown(path: Path) -> tuple[str, list[str]]:
    """The question and the ids of the results, from what `anselm ask --pool --json` printed."""
    try:
        record = parse_json(open_stdin().read().decode()) if str(path) == STANDARD else read_json(path)
        shown = [result["id"] for result in record["results"]]
        question = check_question(record["question"])
    except (ValueError, KeyError, TypeError):
        place = STDIN if str(path) == STANDARD else path
        raise FormatError(
            place, "what `anselm ask --pool --json` prints is needed: a question, and results with ids"
        ) from None
    return question, list(dict.fromkeys(shown))


def record_feedback(path: Path, question: str, shown: Sequence[Item], right: Sequence[str]) -> None:
    """Append a list; it is on disk when this returns. Its id is the number of its line."""
    known = {item.id for item in shown}
    if not known:
        raise InputError("none of the passages that were shown is in the pool any more")
    if unknown := [id for id in right if id not in known]:
        raise InputError(f"the id {unknown[0]!r} was not shown; there is {', '.join(sorted(known))}")
    labelled = [replace(item.candidate, label=float(item.id in right)) for item in shown]
    record = {"question": check_question(question), "candidates": [candidate_to_json(one) for one in labelled]}
    if str(path) == STANDARD or is_stream(path):
        raise InputError(f"{path} is no file; lists are gathered in one")
    if path.suffix == ".gz":
        raise InputError(f"{path}: lines are added to a plain file; give a name without .gz")
    try:
        with hold(path, PATIENCE) as file:
            append_line(file, path, record)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def append_line(file: IO[bytes], path: Path, record: Any) -> None:
    """Half a line, which a kill may have left, is put aside first; what is no list is somebody else's, and stays."""
    start, line = last_line(file)
    torn = not line.endswith(b"\n") and line.startswith(BEGINNING) and not is_list(line)
    if line.strip() and not torn and not is_list(line):
        raise FormatError(path, "its last line is no list with a question; give the name of a new file")
    if torn:
        with path.with_name(path.name + TORN).open("ab") as aside:  # somebody may have edited it by hand
            aside.write(line + b"\n")
        file.truncate(start)
    missing = b"\n" if line and not torn and not line.endswith(b"\n") else b""
    file.write(missing + json.dumps(record, ensure_ascii=False).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())


def last_line(file: IO[bytes]) -> tuple[int, bytes]:
    """Where it begins, and the line, with its end if it has one."""
    end = file.seek(0, os.SEEK_END)
    length = BLOCK
    while True:
        start = max(0, end - length)
        file.seek(start)
        tail = file.read(end - start)
        begins = tail.rfind(b"\n", 0, max(0, len(tail) - 1)) + 1
        if begins or not start:
            return start + begins, tail[begins:]
        length *= 2


def is_list(line: bytes) -> bool:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and "question" in record
