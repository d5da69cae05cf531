"""What commands print: sentences and tables for people, JSON for machines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, TextIO

import typer

if TYPE_CHECKING:
    from rich.console import Console


def patience(label: str) -> AbstractContextManager[None]:
    """As `show.waiting`, without loading the terminal for programs, which want answers fast."""
    if not sys.stderr.isatty():
        return nullcontext()
    from anselm.cli.show import waiting

    return waiting(label)


def console() -> Console:
    from rich.console import Console

    return Console()


def say(sentence: str) -> None:
    from anselm.cli.show import shown

    console().print(shown(sentence))


def print_json(value: object, indent: int | None = 2) -> None:
    """What the encoding of standard output cannot say is escaped: nothing is lost, and it stays JSON."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=indent)
    typer.echo(text)


def print_rows(rows: Sequence[Mapping[str, object]], as_json: bool, columns: Sequence[str] = ()) -> None:
    """All of it for machines; for people the columns that fit a screen."""
    if as_json:
        return print_json(rows)
    from anselm.cli.show import show_table

    return show_table(console(), [{name: row[name] for name in columns or row} for row in rows])


def whisper(line: str) -> None:
    """What is not the result: notes, and how far it is. In one line, whatever is quoted in it."""
    try:
        typer.echo("".join(c if c.isprintable() else " " for c in line), err=True)
    except OSError:  # nobody can be told; what else the command has to say, and its exit code, stay
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """What could not be written is not tried again when Python ends, which would change the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def note(line: str) -> None:
    """What a run says on its way."""
    whisper(f"anselm: {line}")


@contextmanager
def interruptible(advice: str | None) -> Iterator[None]:
    """Ctrl-C says how to go on, where one can, and ends the command."""
    try:
        yield
    except KeyboardInterrupt:
        whisper(f"anselm: stopped; {advice or 'nothing was kept'}")
        raise typer.Exit(130) from None
