"""anselm rank, ask and models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anselm.cli.options import Json, Model
from anselm.cli.output import console, patience, print_json, print_rows, say
from anselm.cli.skips import Skips
from anselm.errors import InputError

if TYPE_CHECKING:
    from anselm.data.question import Candidate
    from anselm.ranker import GivenCandidate, Ranker

# Heavy modules are imported inside the commands, so that --help and completion answer at once.

app = typer.Typer()

Explain = Annotated[bool, typer.Option("--explain", help="Mark the words that carried the scores.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first item that cannot be read.")]
Fold = Annotated[bool, typer.Option("--fold-duplicates", help="Fold near-duplicates under the best of them.")]


@app.command(epilog='Example: anselm rank "When do you open?" --candidates faq.csv')
def rank(
    question: Annotated[str | None, typer.Argument(help="The question.")] = None,
    candidates: Annotated[
        Path | None,
        typer.Option(
            "--candidates", "-c", help="A FAQ (CSV, TSV, JSON, Markdown, HTML) or one candidate per line; - is stdin."
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--input", help="Rank in bulk: grouped JSONL, one list per line.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", help="Where bulk results go: JSONL (a stopped run goes on) or a TREC .run, also .gz."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an --output that exists.")] = False,
    columns: Annotated[
        str | None, typer.Option(help="What the columns are called: question=Q,answer=A,id=Nr, or some of them.")
    ] = None,
    strict: Strict = False,
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
    from anselm.ranker import Ranker

    if source is not None or output is not None:
        if question is not None or candidates is not None or source is None or output is None:
            raise InputError("bulk ranking takes --input and --output, without a question and --candidates")
        if explain or fold_duplicates or group:
            raise InputError("--explain, --fold-duplicates and --group are for one question, not for ranking in bulk")
        return rank_bulk(Ranker.load(model), source, output, top, overwrite, as_json)
    if question is None or candidates is None:
        raise InputError('a question and --candidates FILE are needed: anselm rank "When do you open?" -c faq.txt')
    from anselm.data.formats.faqs import read_entries
    from anselm.text.faq_columns import parse_columns

    skips = Skips()
    listed = read_entries(candidates, parse_columns(columns) if columns else None, None if strict else skips)
    with patience("ranking"):
        ranking = Ranker.load(model).rank(
            question, map(given, listed), top, explain=explain, fold_duplicates=fold_duplicates, group=group
        )
    if as_json:
        print_json(ranking.to_dict())
    else:
        from anselm.terminal import show_ranking

        show_ranking(console(), ranking)
    return skips.finish()


def given(candidate: Candidate) -> GivenCandidate:
    """As the ranker takes it: one without an id is an object without an id, so that none comes back."""
    if candidate.id:
        return candidate
    return {"text": candidate.text, "question": candidate.question, "meta": candidate.meta}


def rank_bulk(ranker: Ranker, source: Path, output: Path, top: int | None, overwrite: bool, as_json: bool) -> None:
    from anselm.bulk import rank_file
    from anselm.data.datasets import open_dataset
    from anselm.files import count_lines
    from anselm.terminal import progress

    lists = open_dataset(source, form="jsonl")
    count = rank_file(
        ranker, lists, output, top, overwrite, lambda questions: progress(questions, "ranking", count_lines(source))
    )
    if as_json:
        return print_json({"input": str(source), "output": str(output), "model": ranker.name, "lists": count})
    return say(f"{count:,} lists ranked into {output}")


@app.command(epilog='Example: anselm ask "How long is the warranty?" manual.md docs/ --top 3')
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    files: Annotated[
        list[Path], typer.Argument(help="Text, Markdown, HTML, Word or PDF files, folders, or - for standard input.")
    ],
    top: Annotated[int, typer.Option(help="How many sentences to show.")] = 5,
    explain: Explain = False,
    fold_duplicates: Fold = False,
    strict: Strict = False,
    model: Model = "default",
    as_json: Json = False,
) -> None:
    """Find the sentences of documents that answer a question."""
    from anselm.files import read_stdin
    from anselm.ranker import Ranker
    from anselm.text.documents import document_from_text, read_documents

    skips = Skips()
    texts = [document_from_text(read_stdin(), "-")] if Path("-") in files else []
    with patience("asking"):
        paths = [file for file in files if file != Path("-")]
        documents = [*texts, *read_documents(paths, None if strict else skips)]
        ranking = Ranker.load(model).ask(question, documents, top, explain=explain, fold_duplicates=fold_duplicates)
    if as_json:
        print_json(ranking.to_dict())
    else:
        from anselm.terminal import show_answers

        show_answers(console(), ranking)
    return skips.finish()


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
