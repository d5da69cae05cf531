"""Questions as people ask them beside a FAQ, and which entry answers each: labelled lists of the FAQ's entries.

A table with the columns `question` and `right`: the id of the right entry, or the question that it is filed under;
several are parted by `;`, and where there is none the question has no answer.

    question,right
    what do i pay if i am late,late
    do you sell bicycles,
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from anselm.data.formats.delimited import Rows, csv_rows, tsv_rows
from anselm.data.formats.faqs import read_entries
from anselm.data.formats.records import RecordError, check_question
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError
from anselm.text.kinds import suffix

QUESTION, RIGHT = "question", "right"
PARTED = ";"


def read_judged_faq(path: Path, faq: Path, columns: Mapping[str, str] | None = None) -> Iterator[Question]:
    """`columns` are those of the FAQ, as in `read_entries`. All entries are candidates of each question."""
    entries = named(read_entries(faq, columns))
    known = {name: place for place, entry in enumerate(entries) for name in (_key(entry.question), entry.id) if name}
    for number, text, right in judgements(path):
        try:
            check_question(text)
            places = {known[name] for name in right}
        except RecordError as error:
            raise FormatError(path, str(error), number) from None
        except KeyError as error:
            problem = f"{faq} has no entry with the id or the question {error.args[0]!r:.80}"
            raise FormatError(path, problem, number) from None
        labelled = (replace(entry, label=float(place in places)) for place, entry in enumerate(entries))
        yield Question(f"{number}", text, tuple(labelled))


def named(entries: Sequence[Candidate]) -> list[Candidate]:
    """Each with an id, its own or that of its place."""
    if not any(entry.question for entry in entries):
        raise InputError("a FAQ with questions is needed, which say what its entries are filed under")
    return [replace(entry, id=entry.id or f"entry {place}") for place, entry in enumerate(entries, start=1)]


def judgements(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Line, question, and what is right."""
    rows: Rows = tsv_rows(path) if suffix(path) == ".tsv" else csv_rows(path)
    _, header = next(rows, (0, []))
    names = [name.strip().lower() for name in header]
    if not {QUESTION, RIGHT} <= set(names):
        found = ", ".join(header) or "nothing"
        raise FormatError(path, f"the columns {QUESTION} and {RIGHT} are needed; there is {found}", 1)
    asked, right = names.index(QUESTION), names.index(RIGHT)
    for number, row in rows:
        if any(cell.strip() for cell in row):
            cells = [*row, *[""] * (len(names) - len(row))]
            yield number, cells[asked], [_key(one) for one in cells[right].split(PARTED) if one.strip()]


def _key(text: str) -> str:
    return " ".join(text.split())
