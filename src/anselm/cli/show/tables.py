"""Tables that fit the screen, and text that cannot steer it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

PADDINGS = (1, 0)  # between columns: narrow where wide would break words
TITLES = {"share_answered": "share answered", "ece": "ECE", "log_loss": "log loss", "f1": "F1"}
# What steers a terminal instead of being shown: control characters, and marks that turn the direction of writing.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def one_line(text: str) -> str:
    """On one line, and without what would steer the terminal."""
    return " ".join(CONTROLS.sub(" ", text).split())


def shown(text: object) -> str:
    """As rich's markup takes it."""
    return escape(one_line(str(text)))


def plain_table(padding: int = PADDINGS[0]) -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, padding))


def print_fitting(console: Console, tables: Sequence[Table]) -> None:
    """Print the first that breaks no word; or else the last."""
    fits = [table for table in tables if width_of(console, table) <= console.width]
    console.print(fits[0] if fits else tables[-1])


def width_of(console: Console, table: Table) -> int:
    """The least that it takes without breaking a word."""
    return Measurement.get(console, console.options.update_width(10**6), table).minimum


def show_table(console: Console, rows: Sequence[Mapping[str, object]]) -> None:
    """Rows of equal keys; numbers to the right. What is too wide even when narrow stands below each other."""
    tables = [table_of(rows, padding) for padding in PADDINGS]
    if width_of(console, tables[-1]) <= console.width:
        return print_fitting(console, tables)
    for row in rows:
        console.print(*(f"{heading_of(key)}: {cell(value)}" for key, value in row.items()), "", sep="\n")
    return None


def table_of(rows: Sequence[Mapping[str, object]], padding: int) -> Table:
    table = plain_table(padding)
    for key in rows[0]:
        cells = [cell(row[key]) for row in rows]
        heading = textwrap.fill(heading_of(key), max(map(len, cells)), break_long_words=False)
        numeric = all(isinstance(row[key], int | float) for row in rows)
        prose = any(" " in text for text in cells)
        table.add_column(heading, justify="right" if numeric else "left", overflow="fold", no_wrap=not prose)
    for row in rows:
        table.add_row(*map(cell, row.values()))
    return table


def heading_of(key: str) -> str:
    return shown(key).replace("_", " ")


def cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else shown(value)


def show_rows(console: Console, rows: Sequence[Mapping[str, float | str]]) -> None:
    """Fractions under each other, the same names in every row."""
    table = plain_table()
    for name, value in rows[0].items():
        table.add_column(TITLES.get(name, name), justify="left" if isinstance(value, str) else "right")
    for row in rows:
        table.add_row(*(value if isinstance(value, str) else f"{value:.4f}" for value in row.values()))
    console.print(table)
