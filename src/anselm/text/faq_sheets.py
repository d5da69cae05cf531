"""The entries of a spreadsheet: of each sheet whose header names an answer column, by the numbers of its rows.

The header may stand below titles. Of other sheets is told, unless they are no more than a note or a list. An entry's
meta["section"] is the name of its sheet, where more than one is read; ids that number the rows of each sheet anew are
no ids of the file, and come back in meta.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anselm.errors import FormatError
from anselm.text.faq import Entry, Skip, refuse
from anselm.text.faq_columns import Row, are_numbers, entries_from_rows, find_columns, names_columns, say_columns
from anselm.text.faq_tables import find_header, names_of
from anselm.text.sheets import MOST_CELLS, Sheet

_FIRST_ROWS = 10  # in which a header is looked for
_SHOWN = 5  # sheets and columns that an error names


@dataclass(frozen=True)
class _Table:
    """What stands below the header of a sheet; `names` are those of its columns, by their numbers."""

    sheet: Sheet
    place: object
    names: Mapping[int, str]
    header: int  # how many rows it takes with the titles above

    def rows(self) -> Iterator[Row]:
        for number, cells in self.sheet.rows[self.header :]:
            named = {name: cells.get(column, ("", 0, 0)) for column, name in self.names.items()}
            spans = {self.names[column]: (start, end) for column, (_, start, end) in cells.items()}
            yield Row({name: value for name, (value, _, _) in named.items()}, spans, number)


def sheet_entries(sheets: Sequence[Sheet], columns: Mapping[str, str], place: object, skip: Skip) -> Iterator[Entry]:
    """The entries of all sheets that have the columns; an error where none has."""
    names = [place] if len(sheets) == 1 else [f"{place}, sheet {sheet.name!r:.60}" for sheet in sheets]
    tables = [_table(sheet, columns, name) for sheet, name in zip(sheets, names, strict=True)]
    fitting = [table for table in tables if _fits(table, columns)]
    if not fitting:
        raise _no_answers(tables, columns, place)
    if len(whole := [table for table in fitting if not _is_sparse(table)]) < len(fitting):
        for error in (_too_sparse(table) for table in fitting if _is_sparse(table)):
            (skip if whole else refuse)(error)
    if skip is not refuse:  # a sheet of something else is no error
        for table in tables:
            if len(table.sheet.rows) > 1 and len(table.names) > 1 and (lack := _lack(table, columns)):
                skip(lack)
    read = [(table, entries) for table in whole if (entries := list(_entries(table, columns, skip)))]
    return _sections(read, columns) if len(read) > 1 else iter([entry for _, entries in read for entry in entries])


def _table(sheet: Sheet, columns: Mapping[str, str], place: object) -> _Table:
    header = 0 if are_numbers(columns) else _header(sheet, columns) + 1
    cells = sheet.rows[header - 1][1] if header else {}
    used = sorted({column for _, row in sheet.rows[max(header - 1, 0) :] for column in row})
    names = names_of([cells.get(column, ("",))[0].strip() for column in used], used) if header else map(str, used)
    return _Table(sheet, place, dict(zip(used, names, strict=True)), header)


def _header(sheet: Sheet, columns: Mapping[str, str]) -> int:
    """Which row it is: the first that names questions and answers, or else what it is in any table; in one that has no
    answers, the first of several cells, by which that can be told.
    """
    first = [cells for _, cells in sheet.rows[:_FIRST_ROWS]]
    used = sorted({column for cells in first for column in cells})
    rows = [[cells.get(column, ("",))[0].strip() for column in used] for cells in first]
    both = (place for place, names in enumerate(rows) if names_columns(names, columns, "question", "answer"))
    place = next(both, None) or find_header(rows, columns)
    if names_columns(rows[place], columns, "answer"):
        return place
    return next((place for place, names in enumerate(rows) if sum(map(bool, names)) > 1), 0)


def _fits(table: _Table, columns: Mapping[str, str]) -> bool:
    return names_columns(list(table.names.values()), columns, "answer")


def _is_sparse(table: _Table) -> bool:
    """Whether most of its rows and columns are empty where they meet, and these are more than can be held."""
    return len(table.names) * len(table.sheet.rows) > MOST_CELLS


def _too_sparse(table: _Table) -> FormatError:
    rows, columns = len(table.sheet.rows), len(table.names)
    return FormatError(table.place, f"spans {rows:,} rows and {columns:,} columns, too many for a table")


def _lack(table: _Table, columns: Mapping[str, str]) -> FormatError | None:
    """What keeps a sheet from being read as a FAQ."""
    if not _fits(table, columns):
        try:
            find_columns(list(table.names.values()), columns, table.place)
        except FormatError as error:
            return error
    return None


def _no_answers(tables: Sequence[_Table], columns: Mapping[str, str], place: object) -> FormatError:
    if len(tables) == 1 and (error := _lack(tables[0], columns)):
        return error
    there = "; ".join(
        f"{table.sheet.name!r:.60} has {', '.join(f'{name!r:.60}' for name in list(table.names.values())[:_SHOWN])}"
        for table in tables[:_SHOWN]
    )
    wanted = " and ".join(f"{name!r:.60}" for name in columns.values())
    problem = f"no sheet has the columns {wanted}" if columns else "no sheet has a column of answers"
    return FormatError(place, f"{problem}; {there} ({say_columns('answer')})")


def _entries(table: _Table, columns: Mapping[str, str], skip: Skip) -> Iterator[Entry]:
    names = list(table.names.values())
    found = find_columns(names, columns, table.place)
    needed = [column for column, name in table.names.items() if name in (found.answer, found.question, found.id)]
    rows = []
    for row in table.rows():
        if unsaved := [column for column in needed if (row.line, column) in table.sheet.unsaved]:
            problem = f"the formula in the column {table.names[unsaved[0]]!r:.60} was saved without its value"
            skip(FormatError(table.place, f"{problem}; open the file in Excel and save it", row.line))
        else:
            rows.append(row)
    yield from entries_from_rows(rows, names, columns, table.place, skip)


def _sections(read: Sequence[tuple[_Table, list[Entry]]], columns: Mapping[str, str]) -> Iterator[Entry]:
    """With the names of their sheets; ids remain if no two sheets have the same."""
    ids = [entry.id for _, entries in read for entry in entries if entry.id]
    repeated = len(set(ids)) < len(ids)
    for table, entries in read:
        id = find_columns(list(table.names.values()), columns, table.place).id or "id"
        for entry in entries:
            meta = {"section": table.sheet.name, **entry.meta}
            if repeated and entry.id:
                entry = replace(entry, id="", meta={**meta, id: entry.id})
            else:
                entry = replace(entry, meta=meta)
            yield entry
