"""anselm rank and ask."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anselm.cli.options import Columns, Device, Json, Model, Strict, Threshold, Workers, named_columns, switch
from anselm.cli.output import console, patience, print_json, whisper
from anselm.cli.skips import Skips
from anselm.errors import InputError

if TYPE_CHECKING:
    from anselm.ranking.answers import Ranking
    from anselm.text.documents import Document

# Heavy modules are imported inside the commands, so that --help and completion answer at once.

app = typer.Typer()

NO_ANSWER = 1  # the exit code, where it is asked for

Explain = Annotated[
    bool,
    switch("--explain", help="Mark the words that carried the scores; with trees, what drew attention in them."),
]
Fold = Annotated[bool, switch("--fold-duplicates", help="Fold near-duplicates under the best of them.")]
Graph = Annotated[
    Path | None,
    typer.Option(help="Draw what the model sees, graphs over the candidates or trees of the best: .svg or .html."),
]
AsTyped = Annotated[bool, switch("--as-typed", help="Read the question as it is, also where a word is misspelt.")]
ExitCode = Annotated[bool, switch("--exit-code", help="Leave with exit code 1 where no answer was found.")]


@app.command(epilog='Example: anselm rank "When do you open?" --candidates faq.csv')
def rank(
    question: Annotated[str | None, typer.Argument(help="The question.")] = None,
    candidates: Annotated[
        Path | None,
        typer.Option(
            "--candidates",
            "-c",
            help="A FAQ (CSV, TSV, JSON, JSONL, Markdown, HTML, Word), or one candidate per line; - is standard input.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--input",
            help="Rank in bulk: grouped JSONL, a list per line; - is standard input. For parts: a file, a folder or a "
            "pattern, also of an address as s3://bucket/in/*.parquet.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            help="Where bulk results go: JSONL (a stopped run goes on) or a TREC .run, also .gz; - is standard output. "
            "For parts: a folder, as out/ or s3://bucket/out/.",
        ),
    ] = None,
    overwrite: Annotated[bool, switch("--overwrite", help="Replace an --output that exists.")] = False,
    engine: Annotated[
        str | None, typer.Option(help="Rank in parts: on processes of this machine (local) or on a cluster (ray).")
    ] = None,
    workers: Workers = None,
    part_size: Annotated[
        int | None,
        typer.Option(help="MiB (16) from which a file is cut into pieces, written as numbered parts; 0: never."),
    ] = None,
    device: Device = None,
    columns: Columns = None,
    strict: Strict = False,
    top: Annotated[int | None, typer.Option(help="Show only the best so many.")] = None,
    explain: Explain = False,
    fold_duplicates: Fold = False,
    group: Annotated[bool, switch("--group", help="Put similar answers together, the best of them first.")] = False,
    graph: Graph = None,
    threshold: Threshold = None,
    as_typed: AsTyped = False,
    exit_code: ExitCode = False,
    model: Model = "default",
    as_json: Json = False,
) -> None:
    """Order candidate answers, best first."""
    if source is not None or output is not None:
        if question is not None or candidates is not None or source is None or output is None:
            raise InputError("bulk ranking takes --input and --output, without a question and --candidates")
        if explain or fold_duplicates or group or graph or exit_code or columns or as_typed or threshold is not None:
            alone = "--explain, --fold-duplicates, --group, --graph, --columns, --threshold, --as-typed and --exit-code"
            raise InputError(f"{alone} are for one question, not for ranking in bulk")
        from anselm.scale.manifest import wants_parts

        if engine is not None or workers is not None or wants_parts(source, output):
            from anselm.cli.part_ranking import rank_in_parts
            from anselm.scale.bulk_run import PART_BYTES, Order

            if part_size is not None and part_size < 0:
                raise InputError(f"--part-size is {part_size}, and must be at least 0")
            part_bytes = PART_BYTES if part_size is None else part_size * 2**20 or None
            order = Order(source, output, model, top, device, strict, overwrite, part_bytes)
            return rank_in_parts(order, engine, workers, as_json)
        if part_size is not None:
            raise InputError("--part-size is for ranking in parts: give a folder as --output, as in ranked/")
        from anselm.cli.bulk_ranking import rank_bulk

        return rank_bulk(model, Path(source), Path(output), top, overwrite, strict, as_json, device)
    if overwrite or engine is not None or workers is not None or part_size is not None:
        bulk = "--overwrite, --engine, --workers and --part-size"
        raise InputError(f"{bulk} are for ranking in bulk, with --input and --output")
    if question is None or candidates is None:
        raise InputError('a question and --candidates FILE are needed: anselm rank "When do you open?" -c faq.csv')
    from anselm.data.formats.faqs import read_entries
    from anselm.ranking.ranker import Ranker

    check_graph(graph)
    skips = Skips()
    listed = read_entries(candidates, named_columns(columns), None if strict else skips)
    with patience("ranking"):
        ranking = Ranker.load(model, device=device, threshold=threshold, respell=not as_typed).rank(
            question,
            listed,
            top,
            explain=explain,
            fold_duplicates=fold_duplicates,
            group=group,
            context=graph is not None,
        )
    draw_graph(ranking, graph)
    if as_json:
        print_json(ranking.to_dict())
    else:
        from anselm.cli.show import show_ranking

        show_ranking(console(), ranking)
    return finish(ranking, skips, exit_code)


@app.command(epilog='Example: anselm ask "How long is the warranty?" manual.md docs/ --top 3')
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Text, Markdown, HTML, Word or PDF files, FAQs, folders of them, or - for standard input."),
    ] = None,
    pool: Annotated[
        str | None, typer.Option("--pool", help="Ask a pool that `anselm pool add` has made, instead of files.")
    ] = None,
    where: Annotated[list[str] | None, typer.Option(help="Only passages of the pool with NAME=VALUE.")] = None,
    top: Annotated[int, typer.Option(help="How many sentences to show.")] = 5,
    read: Annotated[
        int | None, typer.Option(help="How many sentences the model reads; by default 200, of a pool with more 100.")
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
        ranking = Ranker.load(model, device=device, threshold=threshold, respell=not as_typed).ask(
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
    draw_graph(ranking, graph)
    if as_json:
        print_json(ranking.to_dict())
    else:
        from anselm.cli.show import show_answers

        show_answers(console(), ranking)
    if ranking.read < ranking.passages:
        kept = f"of {ranking.passages:,} passages the model read {ranking.read:,}, those nearest by words and meaning"
        whisper(f"anselm: note: {kept}; --read N reads more")
    return finish(ranking, skips, exit_code)


def check_graph(graph: Path | None) -> None:
    """A mistyped name should not cost the ranking."""
    if graph is not None:
        from anselm.ranking.context_pictures import check_picture

        check_picture(graph)


def draw_graph(ranking: Ranking[Any], graph: Path | None) -> None:
    """The graphs over the candidates, or the trees of the question and its best answer."""
    if graph is not None and ranking.context is not None:
        from anselm.ranking.context_pictures import save_picture

        save_picture(ranking.context, graph)
    elif graph is not None and ranking.best.trees is not None:
        from anselm.annotations.attended_pictures import attended_page, attended_svg
        from anselm.files import replace_file

        draw = attended_page if graph.suffix.lower() == ".html" else attended_svg
        replace_file(graph, draw(ranking.best.trees, ranking.question).encode())


def read_stdin_document() -> Document:
    """Standard input has no name to tell its kind by, so its content does."""
    from anselm.files import STDIN, open_stdin
    from anselm.text.documents import document_from_text
    from anselm.text.encodings import decode
    from anselm.text.kinds import tell_kind

    text = decode(open_stdin().read(), STDIN)
    return document_from_text(text, "-", tell_kind(text))


def finish(ranking: Ranking[Any], skips: Skips, exit_code: bool) -> None:
    """Notes on standard error, and the exit code."""
    for warning in ranking.warnings:
        whisper(f"anselm: warning: {warning}")
    if ranking.question_cut is not None:
        read = f"candidates are read beside its first {ranking.question_cut:,} characters"
        whisper(f"anselm: note: the question is longer than the model reads: {read}, where what is asked should stand")
    if ranking.empty:
        whisper(f"anselm: note: {ranking.empty:,} empty candidate{'s' * (ranking.empty > 1)} came last")
    if unread := sum(result.read is False for result in ranking):
        whisper(f"anselm: note: the last {unread:,} of these were read by the default model alone")
    skips.finish()
    if exit_code and ranking.answerable is False:
        raise typer.Exit(NO_ANSWER)
