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
from anselm.outputs import STANDARD, check_apart, hold
from anselm.retrieval.item import Item
from anselm.retrieval.pool import Pool

FILE = "feedback.jsonl"


def feedback_file(pool: Pool) -> Path:
    """Beside the rest of a pool that is a folder; a server has no place for files."""
    if pool.folder is None:
        raise InputError(f"{pool.place} is no folder: say with --output FILE where the lists are gathered")
    return pool.folder / FILE


def check_beside(pool: Pool, output: Path) -> None:
    """That nothing of a pool that is a folder is written over, by whichever name."""
    folder = pool.folder
    if folder is None or str(output) == STANDARD:
        return
    own = output.resolve()
    if own.is_relative_to(folder.resolve()) and own.name != FILE:
        raise InputError(f"{output} is within the pool {folder}; give a name outside to write to")
    check_apart(output, *(one for one in folder.rglob("*") if one.is_file() and one.name != FILE))


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
    return question, shown


def record_feedback(path: Path, question: str, shown: Sequence[Item], right: Sequence[str]) -> None:
    """Append a list; it is on disk when this returns. Its id is the number of its line."""
    known = {item.id for item in shown}
    if not known:
        raise InputError("none of the passages that were shown is in the pool any more")
    if unknown := [id for id in right if id not in known]:
        raise InputError(f"the id {unknown[0]!r} was not shown; there is {', '.join(sorted(known))}")
    labelled = [replace(item.candidate, label=float(item.id in right)) for item in shown]
    record = {"question": check_question(question), "candidates": [candidate_to_json(one) for one in labelled]}
    try:
        with hold(path) as file:
            append_line(file, record)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def append_line(file: IO[bytes], record: Any) -> None:
    """Half a line, which a kill may have left, is cut off first."""
    whole = file.read()
    file.truncate(whole.rfind(b"\n") + 1)
    file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())
