"""Answers to many questions in one file: a line for each question, as JSONL, CSV or TSV."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from anselm.data.formats.delimited import BREAKS
from anselm.errors import InputError
from anselm.ranking.answers import Answers
from anselm.text.kinds import suffix

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv"}
ASKED = ("id", "question", "answerable", "answerability")
ANSWER = ("answer", "filed_under", "answer_id", "probability", "source", "line")  # of each, with a number behind


@dataclass(frozen=True)
class Answered:
    """A question with the id that it came with, and what was found."""

    id: str
    answers: Answers

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, **self.answers.to_dict()}

    def to_row(self, top: int) -> list[str]:
        """As a table has it, with room for so many answers."""
        found = self.answers
        row = [self.id, found.question, _spelt(found.answerable), _spelt(found.answerability)]
        for one in found.results[:top]:
            row += [
                one.text,
                one.question or "",
                one.id or "",
                _spelt(one.probability),
                one.source,
                f"{one.line or ''}",
            ]
        return row + [""] * (len(ASKED) + top * len(ANSWER) - len(row))


def _spelt(value: bool | float | None) -> str:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return f"{value:.4f}"


def answer_format(path: Path) -> str:
    """By the name of a file; no other is written."""
    if suffix(path) not in FORMATS:
        raise InputError(f"{path} must end in .jsonl, .csv or .tsv, which says how answers are written")
    return FORMATS[suffix(path)]


def write_answers(answered: Iterable[Answered], file: IO[str], form: str, top: int) -> None:
    """One question after the other, as they come."""
    if form == "jsonl":
        for one in answered:
            file.write(json.dumps(one.to_dict(), ensure_ascii=False) + "\n")
        return
    write = _row_writer(file, form)
    write([*ASKED, *(f"{name}_{number}" for number in range(1, top + 1) for name in ANSWER)])
    for one in answered:
        write(one.to_row(top))


def _row_writer(file: IO[str], form: str) -> Callable[[list[str]], object]:
    """TSV has no quotation: breaks and tabs within a text become blanks there."""
    if form == "tsv":
        return lambda row: file.write("\t".join(BREAKS.sub(" ", cell) for cell in row) + "\n")
    writer = csv.writer(file, lineterminator="\n")
    return lambda row: writer.writerow(re.sub(r"\r\n?", "\n", cell) for cell in row)
