"""CSV and TSV: one pair per row, in columns named question, answer and label.

`question_id` and `answer_id` are optional columns; without them a question is known by its text. Rows of a question
need not stand together, so the whole file is held while it is grouped; grouped JSONL is the format to stream.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from anselm.data.formats.records import RecordError, as_label, check_candidates, check_question, check_text
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError
from anselm.files import read_lines

COLUMNS = ("question_id", "question", "answer_id", "answer", "label")
NEEDED = ("question", "answer")
FIELD_LIMIT = 100_000_000  # the csv module's own limit of 128 KiB would turn long answers away


def read_csv(path: Path) -> Iterator[Question]:
    return read_delimited(path, ",")


def read_tsv(path: Path) -> Iterator[Question]:
    return read_delimited(path, "\t")


def read_delimited(path: Path, delimiter: str) -> Iterator[Question]:
    texts: dict[str, str] = {}
    groups: dict[str, list[Candidate]] = {}
    for number, row in read_rows(path, delimiter):
        try:
            text = check_question(row["question"])
            key = row.get("question_id") or text
            if texts.setdefault(key, text) != text:
                raise RecordError(f"the question_id {key!r} has another question text further up")
            group = groups.setdefault(key, [])
            group.append(candidate_from_row(row, len(group)))
        except RecordError as error:
            raise FormatError(path, str(error), number) from None
    for position, (key, group) in enumerate(groups.items(), start=1):
        try:
            candidates = check_candidates(group)
        except RecordError as error:
            raise FormatError(path, f"question {key!r}: {error}") from None
        yield Question(key if key != texts[key] else str(position), texts[key], candidates)


def candidate_from_row(row: dict[str, str], position: int) -> Candidate:
    text = check_text(row["answer"], "the answer")
    return Candidate(row.get("answer_id") or str(position), text, as_label(row.get("label"), "the answer"))


def read_rows(path: Path, delimiter: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Stream (line number, row by column name). The header is needed, and every row must have its columns."""
    csv.field_size_limit(FIELD_LIMIT)
    reader = csv.reader((line + "\n" for _, line in read_lines(path)), delimiter=delimiter, strict=True)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        for name in NEEDED:
            if name not in header:
                found = ", ".join(header) or "nothing"
                problem = (
                    f"no column {name!r} in the header ({found}); needed: question, answer and, to evaluate, label"
                )
                raise FormatError(path, problem, 1)
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise FormatError(path, f"{len(row)} columns where the header has {len(header)}", reader.line_num)
            yield reader.line_num, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise FormatError(path, f"not valid CSV: {error}", reader.line_num) from None


def write_csv(questions: Iterable[Question], file: IO[str]) -> int:
    return write_delimited(questions, file, ",")


def write_tsv(questions: Iterable[Question], file: IO[str]) -> int:
    return write_delimited(questions, file, "\t")


def write_delimited(questions: Iterable[Question], file: IO[str], delimiter: str) -> int:
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(COLUMNS)
    count = 0
    for count, question in enumerate(questions, start=1):
        for candidate in question.candidates:
            label = "" if candidate.label is None else f"{candidate.label:g}"
            writer.writerow((question.id, question.text, candidate.id, candidate.text, label))
    return count
