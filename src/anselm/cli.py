"""The command line: thin over the ranker, the evaluation and the data."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anselm import __version__
from anselm.errors import AnselmError, DataError, InputError

if TYPE_CHECKING:
    from rich.console import Console

    from anselm.evaluation.report import Report

# Heavy modules are imported inside the commands, so that --help and completion answer at once.

app = typer.Typer(
    name="anselm",
    help="Pick the right answers to a question out of candidates, or out of documents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
data_app = typer.Typer(help="List, check and convert corpora and files.", no_args_is_help=True)
app.add_typer(data_app, name="data")

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Model = Annotated[str, typer.Option("--model", "-m", help="A name from `anselm models`, or a checkpoint folder.")]
Split = Annotated[str | None, typer.Option(help="Which split; `test` where there is one.")]
Protocol = Annotated[str | None, typer.Option(help="Which questions count; `clean` where the corpus has it.")]
DataDir = Annotated[Path | None, typer.Option(help="The folder of the corpora; ANSELM_DATA by default.")]
Metrics = Annotated[str, typer.Option(help="Metrics, with commas between: map, mrr, p@K, ndcg@K, recall@K, success@K.")]
Ties = Annotated[str, typer.Option(help="The order of equal scores: pessimistic, source or trec.")]
DataSource = Annotated[
    str, typer.Option("--data", "-d", help="A corpus name, or a JSONL, CSV, TSV, qrels or BEIR path.")
]

METRICS = "map,mrr,p@1,p@5,ndcg@10,recall@5"


def main() -> None:
    """Run the command; a mistake of the user's is one sentence and exit code 2, never a traceback."""
    try:
        app(standalone_mode=True)
    except AnselmError as error:
        typer.echo(f"anselm: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output, `head` for one, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def version(value: bool) -> None:
    if value:
        typer.echo(f"anselm {__version__}")
        raise typer.Exit


@app.callback()
def root(
    show: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


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
        Path | None, typer.Option("--input", help="Rank in bulk: grouped JSONL, one list per line.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="Where bulk results go; a stopped run goes on.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an --output that exists.")] = False,
    top: Annotated[int | None, typer.Option(help="Show only the best so many.")] = None,
    model: Model = "default",
    as_json: Json = False,
) -> None:
    """Order candidate answers, best first."""
    from anselm.ranker import Ranker

    if source is not None or output is not None:
        if question is not None or candidates is not None or source is None or output is None:
            raise InputError("bulk ranking takes --input and --output, without a question and --candidates")
        return rank_bulk(Ranker.load(model), source, output, top, overwrite, as_json)
    if question is None or candidates is None:
        raise InputError('a question and --candidates FILE are needed: anselm rank "When do you open?" -c faq.txt')
    from anselm.data.formats.lines import read_candidates

    ranking = Ranker.load(model).rank(question, read_candidates(candidates), top)
    if as_json:
        return print_json(ranking.to_dict())
    from anselm.terminal import show_ranking

    return show_ranking(console(), ranking)


def rank_bulk(ranker: Any, source: Path, output: Path, top: int | None, overwrite: bool, as_json: bool) -> None:
    from anselm.bulk import rank_file
    from anselm.data.datasets import open_dataset
    from anselm.files import count_lines
    from anselm.terminal import progress

    lists = open_dataset(source, form="jsonl")
    count = rank_file(
        ranker, lists, output, top, overwrite, lambda questions: progress(questions, "ranking", count_lines(source))
    )
    if as_json:
        return print_json({"input": str(source), "output": str(output), "model": ranker.scorer.name, "lists": count})
    return console().print(f"{count:,} lists ranked into {output}")


@app.command(epilog='Example: anselm ask "How long is the warranty?" manual.md docs/ --top 3')
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    files: Annotated[
        list[Path], typer.Argument(help="Text, Markdown or HTML files, folders, or - for standard input.")
    ],
    top: Annotated[int, typer.Option(help="How many sentences to show.")] = 5,
    model: Model = "default",
    as_json: Json = False,
) -> None:
    """Find the sentences of documents that answer a question."""
    from anselm.files import read_stdin
    from anselm.ranker import Ranker
    from anselm.text.documents import document_from_text

    documents = [document_from_text(read_stdin(), "-") if str(file) == "-" else file for file in files]
    ranking = Ranker.load(model).ask(question, documents, top)
    if as_json:
        return print_json(ranking.to_dict())
    from anselm.terminal import show_answers

    return show_answers(console(), ranking)


@app.command(epilog="Example: anselm evaluate bm25 --data wikiqa --split test --protocol clean")
def evaluate(
    model: Annotated[str, typer.Argument(help="A model name, a checkpoint folder, or a TREC run file.")],
    data: DataSource,
    split: Split = None,
    protocol: Protocol = None,
    metrics: Metrics = METRICS,
    ties: Ties = "pessimistic",
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Measure a model on labelled lists."""
    report = run_evaluation(model, data, split, protocol, metrics, ties, data_dir)
    if as_json:
        return print_json(report.to_dict())
    from anselm.terminal import show_report

    return show_report(console(), report)


@app.command(epilog="Example: anselm compare bm25 tfidf --data trecqa")
def compare(
    model_a: Annotated[str, typer.Argument(help="A model name, a checkpoint folder, or a TREC run file.")],
    model_b: Annotated[str, typer.Argument(help="The model to compare it with.")],
    data: DataSource,
    split: Split = None,
    protocol: Protocol = None,
    metrics: Metrics = METRICS,
    ties: Ties = "pessimistic",
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Compare two models question by question, with paired significance tests."""
    from anselm.evaluation.report import compare as compare_reports

    first, second = (
        run_evaluation(name, data, split, protocol, metrics, ties, data_dir) for name in (model_a, model_b)
    )
    rows = compare_reports(first, second)
    if as_json:
        described = {key: value for key, value in first.to_dict().items() if key not in ("model", "metrics")}
        comparisons = {name: vars(row) for name, row in rows.items()}
        return print_json({"models": [first.model, second.model]} | described | {"comparisons": comparisons})
    from anselm.terminal import show_comparison

    return show_comparison(console(), first, second, rows)


def run_evaluation(
    model: str, data: str, split: str | None, protocol: str | None, metrics: str, ties: str, data_dir: Path | None
) -> Report:
    from anselm.evaluation.report import evaluate as run

    names = [name.strip() for name in metrics.split(",") if name.strip()]
    return run(model, data, split, protocol, names, ties, data_dir)  # type: ignore[arg-type]


@app.command(epilog="Example: anselm train --base bm25 --data faq.jsonl --out my-ranker")
def train(
    data: DataSource,
    out: Annotated[Path, typer.Option(help="The checkpoint folder to write; it must not exist.")],
    base: Annotated[str, typer.Option(help="The model to start from: a lexical one.")] = "default",
    split: Annotated[str | None, typer.Option(help="Which split; `train` where there is one.")] = None,
    protocol: Protocol = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Fit a model to your data: word statistics, probabilities, and the threshold for "no answer"."""
    from anselm.data.datasets import load_dataset
    from anselm.recipes import train as run

    dataset = load_dataset(data, split, protocol, data_dir)
    calibration = run(base, dataset, out)
    threshold = calibration.threshold if calibration else None
    if as_json:
        return print_json(
            {"checkpoint": str(out), "lists": len(dataset), "pairs": dataset.pairs, "threshold": threshold}
        )
    said = f"threshold {threshold:.2f}" if calibration else "not calibrated: the data has no labels"
    return console().print(f"{out}: fitted on {len(dataset):,} lists, {dataset.pairs:,} pairs; {said}")


@app.command()
def models(as_json: Json = False) -> None:
    """List the models that can be named."""
    from anselm.models.registry import all_models

    rows = [{"name": entry.name, "kind": entry.kind, "summary": entry.summary} for entry in all_models().values()]
    print_rows(rows, as_json)


@data_app.command("list")
def data_list(data_dir: DataDir = None, as_json: Json = False) -> None:
    """List the corpora, and which of them are here."""
    from anselm.data.inventory import list_corpora

    print_rows(list_corpora(data_dir), as_json, ("name", "here", "protocols", "summary"))


@data_app.command("stats", epilog="Example: anselm data stats wikiqa")
def data_stats(
    name: Annotated[str, typer.Argument(help="A corpus name, or a file.")],
    split: Split = None,
    protocol: Protocol = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Count questions, pairs, relevant candidates and words."""
    from anselm.data.inventory import statistics

    print_rows(statistics(name, split, protocol, data_dir), as_json)


@data_app.command("check", epilog="Example: anselm data check wikiqa trecqa")
def data_check(
    names: Annotated[list[str] | None, typer.Argument(help="Corpora; all that are here by default.")] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Verify that corpora have their published counts."""
    from anselm.data.inventory import check
    from anselm.terminal import progress

    rows = list(progress(check(names or [], data_dir), "checking"))
    print_rows(rows, as_json, ("corpus", "split", "protocol", "status", "found"))
    if wrong := list(dict.fromkeys(row["problem"] for row in rows if row["status"] == "wrong")):
        more = f" (and {len(wrong) - 1} more: see --json)" if len(wrong) > 1 else ""
        raise DataError(f"{wrong[0]}{more}")


@data_app.command("convert", epilog="Example: anselm data convert wikiqa lists.jsonl --split dev")
def data_convert(
    source: Annotated[str, typer.Argument(help="A corpus name, or a file or BEIR folder.")],
    target: Annotated[Path, typer.Argument(help="Where to write: .jsonl, .csv, .tsv, .qrels (also .gz), or a folder.")],
    split: Split = None,
    protocol: Protocol = None,
    source_format: Annotated[
        str | None, typer.Option("--from", help="The source's format, if its name does not tell.")
    ] = None,
    target_format: Annotated[
        str | None, typer.Option("--to", help="The target's format, if its name does not tell.")
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Convert a corpus or file to another format."""
    from anselm.data.inventory import convert

    count = convert(source, target, split, protocol, source_format, target_format, data_dir)
    if as_json:
        return print_json({"source": source, "target": str(target), "lists": count})
    return console().print(f"{count:,} lists written to {target}")


def console() -> Console:
    from rich.console import Console

    return Console()


def print_json(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_rows(rows: list[dict[str, Any]], as_json: bool, columns: tuple[str, ...] = ()) -> None:
    """All of it for machines; for people the columns that fit a screen."""
    if as_json:
        return print_json(rows)
    from anselm.terminal import show_table

    return show_table(console(), [{name: row[name] for name in columns or row} for row in rows])
