"""anselm ask."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anselm.cli.options import AsTyped, Device, Json, LogColumns, Model, Strict, Threshold, named_columns, switch
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
from anselm.cli.question_lists import Errand, ask_questions
from anselm.cli.skips import Skips
from anselm.errors import InputError
from anselm.outputs import STANDARD

if TYPE_CHECKING:
    from anselm.text.documents import Document

# Heavy modules are imported inside the commands, so that --help and completion answer at once.

app = typer.Typer()


EXAMPLES = """Example: anselm ask "How long is the warranty?" manual.md docs/ --top 3

Example: anselm ask --questions asked.csv faq.csv --output answers.csv"""


@app.command(epilog=EXAMPLES)
def ask(
    question: Annotated[str | None, typer.Argument(help="The question; none with --questions.")] = None,
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
    questions: Annotated[
        Path | None,
        typer.Option(
            help="Ask many: one question a line (.txt, or - for standard input), or a table or JSONL with a column of "
            "questions, and perhaps of ids."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Where the answers to --questions go, a line for each: .jsonl, .csv or .tsv."),
    ] = None,
    overwrite: Annotated[bool, switch("--overwrite", help="Replace an --output that exists.")] = False,
    where: Annotated[list[str] | None, typer.Option(help="Only passages of the pool with NAME=VALUE.")] = None,
    top: Annotated[int, typer.Option(help="How many sentences or entries to show.")] = 5,
    read: Annotated[
        int | None, typer.Option(help="How many of them the model reads; by default 200, of a pool with more 100.")
    ] = None,
    columns: LogColumns = None,
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
    given = list(dict.fromkeys(files or []))
    if questions is not None:
        if explain or graph is not None or exit_code:
            raise InputError("--explain, --graph and --exit-code are for one question, not for --questions")
        given = all_files(question, given)
        check_documents(given, pool, where)
        documents = [] if pool is not None else opened(given, questions)
        how = (top, read, columns, strict, fold_duplicates, as_json)
        errand = Errand(questions, documents, given, pool, where or [], output, overwrite, *how)
        return ask_questions(errand, model, device, threshold, not as_typed)
    if output is not None or overwrite:
        raise InputError("--output and --overwrite are for --questions")
    if question is None:
        raise InputError('a question is needed, or --questions: anselm ask "How long is the warranty?" manual.md')
    from anselm.ranking.ranker import Ranker
    from anselm.text.faq import refuse

    check_graph(graph)
    check_documents(given, pool, where, columns)
    skips = Skips()
    if pool is not None:
        from anselm.cli.pool_questions import Asked, ask_once

        if graph is not None or strict:
            raise InputError("--graph and --strict are for files, not for a pool")
        asked = Asked(question, where or [], top, read, explain, fold_duplicates, threshold, not as_typed)
        return finish(ask_once(asked, pool, model, device, as_json), skips, exit_code)
    documents = opened(given)
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


def all_files(first: str | None, files: list[Path]) -> list[Path]:
    """With --questions, what stands where the question does is a file, too."""
    if first is None:
        return files
    if first != "-" and not os.path.exists(first):  # noqa: PTH110  # takes any string
        raise InputError(f"with --questions every argument is a file to be asked, and there is no {first!r:.80}")
    return list(dict.fromkeys([Path(first), *files]))


def check_documents(files: list[Path], pool: str | None, where: list[str] | None, columns: str | None = None) -> None:
    if (pool is not None and (files or columns)) or (pool is None and (where or not files)):
        raise InputError("give files to ask, with --columns where needed, or --pool, with --where, and not both")


def opened(files: list[Path], questions: Path | None = None) -> list[Path | Document]:
    """Standard input is read; it cannot be the questions besides."""
    if questions in files and str(questions) == STANDARD:
        raise InputError("standard input can be the questions or a document, not both")
    return [read_stdin_document() if str(file) == STANDARD else file for file in files]


def read_stdin_document() -> Document:
    """Standard input has no name to tell its kind by, so its content does."""
    from anselm.files import STDIN, open_stdin
    from anselm.text.documents import document_from_text
    from anselm.text.encodings import decode
    from anselm.text.kinds import tell_kind

    text = decode(open_stdin().read(), STDIN)
    return document_from_text(text, "-", tell_kind(text))
