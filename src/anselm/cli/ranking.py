"""anselm rank, ask and models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anselm.cli.options import Json, Model
from anselm.cli.output import console, interruptible, patience, print_json, print_rows, say, whisper
from anselm.errors import FormatError, InputError

# Heavy modules are imported inside the commands, so that --help and completion answer at once.

app = typer.Typer()

Explain = Annotated[bool, typer.Option("--explain", help="Mark the words that carried the scores.")]
Fold = Annotated[bool, typer.Option("--fold-duplicates", help="Fold near-duplicates under the best of them.")]


@app.command(epilog='Example: anselm rank "When do you open?" --candidates faq.txt')
def rank(
    question: Annotated[str | None, typer.Argument(help="The question.")] = None,
    candidates: Annotated[
        Path | None,
        typer.Option(
            "--candidates", "-c", help="One candidate per line, or JSONL with `id` and `text`; - is standard input."
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--input", help="Rank in bulk: grouped JSONL, one list per line; - is standard input."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            help="Where bulk results go: JSONL (a stopped run goes on) or a TREC .run, also .gz; - is standard output.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an --output that exists.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at a bad line of --input; else it is skipped.")
    ] = False,
    top: Annotated[int | None, typer.Option(help="Show only the best so many.")] = None,
    explain: Explain = False,
    fold_duplicates: Fold = False,
    group: Annotated[
        bool, typer.Option("--group", help="Put similar answers together, the best of them first.")
    ] = False,
    model: Model = "default",
    as_json: Json = False,
) -> None:
    """Order candidate answers, best first."""
    if source is not None or output is not None:
        if question is not None or candidates is not None or source is None or output is None:
            raise InputError("bulk ranking takes --input and --output, without a question and --candidates")
        if explain or fold_duplicates or group:
            raise InputError("--explain, --fold-duplicates and --group are for one question, not for ranking in bulk")
        return rank_bulk(model, source, output, top, overwrite, strict, as_json)
    if overwrite or strict:
        raise InputError("--overwrite and --strict are for ranking in bulk, with --input and --output")
    if question is None or candidates is None:
        raise InputError('a question and --candidates FILE are needed: anselm rank "When do you open?" -c faq.txt')
    from anselm.data.formats.lines import read_candidates
    from anselm.ranker import Ranker

    listed = read_candidates(candidates)
    with patience("ranking"):
        ranking = Ranker.load(model).rank(
            question, listed, top, explain=explain, fold_duplicates=fold_duplicates, group=group
        )
    if as_json:
        return print_json(ranking.to_dict())
    from anselm.terminal import show_ranking

    return show_ranking(console(), ranking)


def rank_bulk(
    model: str, source: Path, output: Path, top: int | None, overwrite: bool, strict: bool, as_json: bool
) -> None:
    from anselm.bulk import is_run, partial_of, rank_file
    from anselm.data.formats.jsonl import read_rankable
    from anselm.files import count_lines, find_file
    from anselm.outputs import check_apart, is_stream
    from anselm.ranker import Ranker
    from anselm.terminal import progress

    given = find_file(source)
    check_apart(output, given)
    check_apart(partial_of(output), given)
    skipped: list[FormatError] = []

    def skip(error: FormatError) -> None:
        skipped.append(error)
        whisper(f"anselm: skipped: {error}")

    ranker = Ranker.load(model)
    lists = read_rankable(source, None if strict else skip)
    with interruptible(None if is_run(output) or is_stream(output) else "the same command goes on where it ended"):
        count = rank_file(
            ranker, lists, output, top, overwrite, lambda lists: progress(lists, "ranking", count_lines(given))
        )
    if is_stream(output):  # standard output may be where the lists are
        whisper(f"anselm: {count:,} lists ranked")
    elif as_json:
        place = {"input": str(source), "output": str(output)}
        print_json({**place, "model": ranker.name, "lists": count, "skipped": len(skipped)})
    else:
        say(f"{count:,} lists ranked into {output}")
    if skipped:
        whisper(f"anselm: {len(skipped):,} {'line was' if len(skipped) == 1 else 'lines were'} skipped, see above")
        raise typer.Exit(3)


@app.command(epilog='Example: anselm ask "How long is the warranty?" manual.md docs/ --top 3')
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    files: Annotated[
        list[Path], typer.Argument(help="Text, Markdown or HTML files, folders, or - for standard input.")
    ],
    top: Annotated[int, typer.Option(help="How many sentences to show.")] = 5,
    explain: Explain = False,
    fold_duplicates: Fold = False,
    model: Model = "default",
    as_json: Json = False,
) -> None:
    """Find the sentences of documents that answer a question."""
    from anselm.files import read_stdin
    from anselm.ranker import Ranker
    from anselm.text.documents import document_from_text

    documents = [document_from_text(read_stdin(), "-") if str(file) == "-" else file for file in dict.fromkeys(files)]
    with patience("asking"):
        ranking = Ranker.load(model).ask(question, documents, top, explain=explain, fold_duplicates=fold_duplicates)
    if as_json:
        return print_json(ranking.to_dict())
    from anselm.terminal import show_answers

    return show_answers(console(), ranking)


@app.command(epilog="Example: anselm models --json")
def models(as_json: Json = False) -> None:
    """List the models that can be named."""
    from anselm.models.registry import all_models

    entries = all_models().values()
    print_rows(
        [{"name": one.name, "kind": one.kind, "summary": one.summary, "terms": one.terms} for one in entries],
        as_json,
        columns=("name", "kind", "summary"),
    )
    if not as_json:
        for one in entries:
            if one.terms:
                say(f"{one.name}: {one.terms}")
