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

from anselm.data.formats.delimited import table_rows
from anselm.data.formats.faqs import read_entries
from anselm.data.formats.records import RecordError, check_question
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError

QUESTION, RIGHT = "question", "right"
PARTED = ";"


def read_judged_faq(path: Path, faq: Path, columns: Mapping[str, str] | None = None) -> Iterator[Question]:
    """`columns` are those of the FAQ, as in `read_entries`. All entries are candidates of each question."""
    entries = read_entries(faq, columns)
    if not any(entry.question for entry in entries):
        raise FormatError(faq, "a FAQ with questions is needed, which say what its entries are filed under")
    known = places_of(entries)
    for number, text, right in judgements(path):
        try:
            check_question(text)
            places = {place for name in right for place in known[name]}
        except RecordError as error:
            raise FormatError(path, str(error), number) from None
        except KeyError as error:
            problem = f"{faq} has no entry with the id or the question {error.args[0]!r:.80}"
            raise FormatError(path, problem, number) from None
        labelled = (replace(entry, label=float(place in places)) for place, entry in enumerate(named(entries)))
        yield Question(f"{number}", text, tuple(labelled))


def places_of(entries: Sequence[Candidate]) -> dict[str, set[int]]:
    """By id, and by the question that they are filed under, which several may share; an id goes before a question."""
    found: dict[str, set[int]] = {}
    for place, entry in enumerate(entries):
        if entry.question:
            found.setdefault(_key(entry.question), set()).add(place)
    return found | {_key(entry.id): {place} for place, entry in enumerate(entries) if entry.id}


def named(entries: Sequence[Candidate]) -> Iterator[Candidate]:
    """Each with an id, its own or one that no other has."""
    given = {entry.id for entry in entries}
    for place, entry in enumerate(entries, start=1):
        made = f"#{place}"
        while made in given:
            made += "#"
        yield entry if entry.id else replace(entry, id=made)


def judgements(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Line, question, and what is right."""
    rows = table_rows(path)
    _, header = next(rows, (0, []))
    names = [name.strip().lower() for name in header]
    if names.count(QUESTION) != 1 or names.count(RIGHT) != 1:
        found = ", ".join(header) or "nothing"
        raise FormatError(path, f"the columns {QUESTION} and {RIGHT} are needed, once each; there is {found}", 1)
    asked, right = names.index(QUESTION), names.index(RIGHT)
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(names):
            raise FormatError(path, f"{len(row)} cells where the header has {len(names)}", number)
        yield number, row[asked], [_key(one) for one in row[right].split(PARTED) if one.strip()]


def _key(text: str) -> str:
    return " ".join(text.split())
