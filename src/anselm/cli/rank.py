"""anselm rank."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from anselm.cli.options import AsTyped, Columns, Device, Json, Model, Strict, Threshold, Workers, named_columns, switch
from anselm.cli.output import patience
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

# Heavy modules are imported inside the commands, so that --help and completion answer at once.

app = typer.Typer()

ALONE = "--explain, --spans, --fold-duplicates, --group, --graph, --columns, --threshold and --exit-code"


@dataclass(frozen=True)
class Bulk:
    """Many lists, from a file to a file or in parts."""

    source: str
    output: str
    model: str
    top: int | None
    device: str | None
    strict: bool
    overwrite: bool
    engine: str | None
    workers: int | None
    part_size: int | None  # MiB
    respell: bool
    as_json: bool


@app.command(epilog='Example: anselm rank "When do you open?" --candidates faq.csv')
def rank(
    question: Annotated[str | None, typer.Argument(help="The question.")] = None,
    candidates: Annotated[
        Path | None,
        typer.Option(
            "--candidates",
            "-c",
            help="A FAQ (CSV, TSV, Excel, OpenDocument, JSON, JSONL, Markdown, HTML, Word), or one candidate per line; "
            "- is standard input.",
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
    spans: Annotated[
        bool,
        switch(
            "--spans", help="Mark the best sentence of long candidates in a pipe, too, and give --json the likely ones."
        ),
    ] = False,
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
        if any((explain, spans, fold_duplicates, group, graph, exit_code, columns, threshold is not None)):
            raise InputError(f"{ALONE} are for one question, not for ranking in bulk")
        how = (model, top, device, strict, overwrite, engine, workers, part_size, not as_typed, as_json)
        return rank_in_bulk(Bulk(source, output, *how))
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
        ranker = Ranker.load(model, device=device, threshold=threshold, respell=not as_typed)
        ranking = ranker.rank(
            question,
            listed,
            top,
            explain=explain,
            spans=spans,
            fold_duplicates=fold_duplicates,
            group=group,
            context=graph is not None,
        )
        ranking = glance(ranker, ranking, as_json)
    draw_graph(ranking, graph)
    present(ranking, as_json)
    return finish(ranking, skips, exit_code)


def rank_in_bulk(bulk: Bulk) -> None:
    from anselm.scale.manifest import wants_parts

    if bulk.engine is not None or bulk.workers is not None or wants_parts(bulk.source, bulk.output):
        from anselm.cli.part_ranking import rank_in_parts
        from anselm.scale.bulk_run import PART_BYTES, Order

        if bulk.part_size is not None and bulk.part_size < 0:
            raise InputError(f"--part-size is {bulk.part_size}, and must be at least 0")
        part_bytes = PART_BYTES if bulk.part_size is None else bulk.part_size * 2**20 or None
        order = Order(
            bulk.source, bulk.output, bulk.model, bulk.top, bulk.device, bulk.strict, bulk.overwrite, part_bytes,
            bulk.respell,
        )  # fmt: skip
        return rank_in_parts(order, bulk.engine, bulk.workers, bulk.as_json)
    if bulk.part_size is not None:
        raise InputError("--part-size is for ranking in parts: give a folder as --output, as in ranked/")
    from anselm.cli.bulk_ranking import rank_bulk

    source, output = Path(bulk.source), Path(bulk.output)
    how = (bulk.top, bulk.overwrite, bulk.strict, bulk.as_json, bulk.device, bulk.respell)
    return rank_bulk(bulk.model, source, output, *how)
