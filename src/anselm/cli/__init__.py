"""The command line: thin over the ranker, the evaluation, the recipes and the data."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Annotated, cast

import typer

from anselm import __version__
from anselm.cli import (
    ask,
    bench,
    calibrate,
    data,
    evaluate,
    export,
    fetch,
    mcp,
    model_list,
    parse,
    pools,
    probe,
    rank,
    reproduce,
    serve,
    train,
    vectors,
)
from anselm.cli.options import switch
from anselm.cli.output import discard, whisper
from anselm.errors import AnselmError


def help_by_default(context: typer.Context) -> None:
    """A group that is named alone shows what is in it."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app = typer.Typer(name="anselm", pretty_exceptions_enable=False, rich_markup_mode="rich")
RANK, MEASURE, SERVE, RESEARCH = "Rank and ask", "Measure and train", "Serve", "Research"
PARTS = (
    (RANK, (rank, ask, model_list, fetch)),
    (MEASURE, (evaluate, calibrate, train, export, bench)),
    (SERVE, (serve, mcp)),
    (RESEARCH, (reproduce, vectors, parse, probe)),
)
for panel, parts in PARTS:
    for part in parts:
        for command in part.app.registered_commands:
            command.rich_help_panel = panel
        app.add_typer(part.app)
app.add_typer(
    data.app,
    name="data",
    help="List, check and convert corpora and files.",
    epilog="Example: anselm data list",
    rich_help_panel=MEASURE,
    callback=help_by_default,
    invoke_without_command=True,
)
app.add_typer(
    pools.app,
    name="pool",
    help="Keep passages in a pool, to be asked with `anselm ask --pool`.",
    epilog="Example: anselm pool add faq.pool faq.csv",
    rich_help_panel=RANK,
    callback=help_by_default,
    invoke_without_command=True,
)

UsageError = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])  # click's, wherever typer keeps it


def main() -> None:
    """Run the command; a mistake of the user's is one sentence and exit code 2, never a traceback."""
    check_streams()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that knows fewer characters shows question marks
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code)
    except AnselmError as error:
        problem = str(error)
    except UsageError as error:
        command = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        problem = f"{error.format_message().rstrip('.')}{command}"
    except BrokenPipeError:  # the reader of our output, `head` for one, has gone
        discard(sys.stdout)
        sys.exit(1)
    except OSError as error:  # a name that no system takes, a folder that may not be read, a disk that is full
        discard(sys.stdout)
        place = "standard input or output" if error.filename is None else error.filename
        problem = f"{place} cannot be read or written: {error.strerror or error}"
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    # After the handlers, so that a progress bar that the error's traceback held on to has gone.
    whisper(f"anselm: {problem}")
    sys.exit(2)


def check_streams() -> None:
    """Python has None where a stream was closed (`>&-`), and the next file that is opened gets its number."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  # for as long as we run
    if sys.stdout is None:
        whisper("anselm: standard output is closed, and results go there")
        sys.exit(2)


def version(value: bool) -> None:
    if value:
        typer.echo(f"anselm {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True, epilog='Example: anselm ask "How long is the warranty?" manual.md')
def root(
    context: typer.Context,
    show: Annotated[bool, switch("--version", callback=version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Pick the right answers to a question out of candidates, or out of documents."""
    help_by_default(context)
