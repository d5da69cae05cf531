"""Questions as people ask them beside a FAQ, and which entry answers each: labelled lists of the FAQ's entries.

A log (question_logs.py) with a column of what is right: the id of the entry, or its question or answer as it is
written, of a question case and marks aside; several are parted by `;`, and where there is none the question has no
answer.

    question,right
    what do i pay if i am late,late
    do you sell bicycles,
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from anselm.data.formats.entry_names import EntryNames
from anselm.data.formats.faqs import entries_in, open_entries
from anselm.data.formats.question_logs import Logged, log_columns, read_log
from anselm.data.formats.records import RecordError
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError
from anselm.text.documents import entries_of
from anselm.text.faq_columns import check_columns, split_columns
from anselm.text.kinds import TABLES

SHOWN = 5  # bad lines that an error names
NEEDED = "a FAQ has questions with their answers, or is a table of answers with ids"


def read_judged_faq(path: Path, faq: Path, columns: Mapping[str, str] | None = None) -> list[Question]:
    """All entries are candidates of each question. All lines that cannot be used are told at once.

    `columns` are those of the FAQ, as in `read_entries`, and "asked" and "right" of the log.
    """
    of_faq, of_log = split_columns(columns)
    check_columns(of_faq)
    try:
        entries = read_faq_entries(faq, of_faq)
    except FormatError as error:
        if of_faq.get("question") not in log_columns(path):
            raise
        raise InputError(f"{error}; the questions of {path} are named by asked={of_faq['question']}") from None
    names, listed = EntryNames(entries, faq), list(named(entries))
    bad: list[FormatError] = []
    found = []
    for logged in read_log(path, of_log, bad.append, judged=True):
        try:
            found.append(_labelled(logged, names, listed))
        except RecordError as error:
            bad.append(FormatError(path, str(error), logged.line))
    if bad:
        raise all_of(bad, path)
    return found


def _labelled(logged: Logged, names: EntryNames, listed: Sequence[Candidate]) -> Question:
    right = {place for one in logged.right for place in names.places(one)}
    labelled = (replace(entry, label=float(place in right)) for place, entry in enumerate(listed))
    return Question(f"{logged.line}", logged.question, tuple(labelled))


def read_faq_entries(faq: Path, columns: Mapping[str, str]) -> list[Candidate]:
    """Of what `anselm ask` reads by its entries, too; a document, which it reads by its sentences, is refused."""
    document = open_entries(faq)
    if document.kind not in TABLES.values() and not entries_of(document, skip=lambda error: None):
        raise FormatError(faq, f"is a document or a list, in which no questions are asked; {NEEDED}")
    entries = entries_in(document, columns)
    if not any(entry.question or entry.id for entry in entries):
        raise FormatError(faq, f"its entries have neither questions nor ids to be named by; {NEEDED}")
    return entries


def all_of(bad: Sequence[FormatError], path: Path) -> InputError:
    """One error for all, which names some of the lines."""
    if len(bad) == 1:
        return bad[0]
    shown = "; ".join(str(error).removeprefix(f"{path}, ") for error in bad[:SHOWN])
    more = f"; and {len(bad) - SHOWN:,} more" if len(bad) > SHOWN else ""
    return FormatError(path, f"{len(bad):,} lines cannot be used: {shown}{more}")


def named(entries: Sequence[Candidate]) -> Iterator[Candidate]:
    """Each with an id, its own or one that no other has."""
    given = {entry.id for entry in entries}
    for place, entry in enumerate(entries, start=1):
        made = f"#{place}"
        while made in given:
            made += "#"
        yield entry if entry.id else replace(entry, id=made)
