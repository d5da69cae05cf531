"""anselm ask."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anselm.cli.options import AsTyped, Columns, Device, Json, Model, Strict, Threshold, named_columns
from anselm.cli.output import patience, whisper
from anselm.cli.presentation import (
    ExitCode,
    Explain,
    Fold,
    Graph,
    check_graph,
    draw_graph,
    finish,
    glance,
    present,
)
from anselm.cli.skips import Skips
from anselm.errors import InputError

if TYPE_CHECKING:
    from anselm.text.documents import Document

# Heavy modules are imported inside the commands, so that --help and completion answer at once.

app = typer.Typer()


@app.command(epilog='Example: anselm ask "How long is the warranty?" manual.md docs/ --top 3')
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Text, Markdown, HTML, Word, OpenDocument, PowerPoint, EPUB or PDF files, FAQs (also Excel and CSV), "
            "folders, or - for standard input."
        ),
    ] = None,
    pool: Annotated[
        str | None, typer.Option("--pool", help="Ask a pool that `anselm pool add` has made, instead of files.")
    ] = None,
    where: Annotated[list[str] | None, typer.Option(help="Only passages of the pool with NAME=VALUE.")] = None,
    top: Annotated[int, typer.Option(help="How many sentences or entries to show.")] = 5,
    read: Annotated[
        int | None, typer.Option(help="How many of them the model reads; by default 200, of a pool with more 100.")
    ] = None,
    columns: Columns = None,
    strict: Strict = False,
    explain: Explain = False,
    fold_duplicates: Fold = False,
    graph: Graph = None,
    threshold: Threshold = None,
    as_typed: AsTyped = False,
    exit_code: ExitCode = False,
    device: Device = None,
    model: Model = "default",
    as_json: Json = False,
) -> None:
    """Find the sentences of documents, or the entries of FAQs, that answer a question."""
    from anselm.ranking.ranker import Ranker
    from anselm.text.faq import refuse

    check_graph(graph)
    if (pool is not None and (files or columns)) or (pool is None and (where or not files)):
        raise InputError("give files to ask, with --columns where needed, or --pool, with --where, and not both")
    skips = Skips()
    if pool is not None:
        from anselm.cli.pool_questions import Asked, ask_once

        if graph is not None or strict:
            raise InputError("--graph and --strict are for files, not for a pool")
        asked = Asked(question, where or [], top, read, explain, fold_duplicates, threshold, not as_typed)
        return finish(ask_once(asked, pool, model, device, as_json), skips, exit_code)
    documents = [read_stdin_document() if file == Path("-") else file for file in dict.fromkeys(files or [])]
    with patience("asking"):
        ranker = Ranker.load(model, device=device, threshold=threshold, respell=not as_typed)
        ranking = ranker.ask(
            question,
            documents,
            top,
            columns=named_columns(columns),
            skip=refuse if strict else skips,
            explain=explain,
            fold_duplicates=fold_duplicates,
            read=read,
            context=graph is not None,
        )
        ranking = glance(ranker, ranking, as_json)
    draw_graph(ranking, graph)
    present(ranking, as_json)
    if ranking.read < ranking.passages:
        kept = f"of {ranking.passages:,} passages the model read {ranking.read:,}, those nearest by words and meaning"
        whisper(f"anselm: note: {kept}; --read N reads more")
    return finish(ranking, skips, exit_code)


def read_stdin_document() -> Document:
    """Standard input has no name to tell its kind by, so its content does."""
    from anselm.files import STDIN, open_stdin
    from anselm.text.documents import document_from_text
    from anselm.text.encodings import decode
    from anselm.text.kinds import tell_kind

    text = decode(open_stdin().read(), STDIN)
    return document_from_text(text, "-", tell_kind(text))
