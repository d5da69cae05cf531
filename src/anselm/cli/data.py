"""anselm data list, stats, check and convert."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from anselm.cli.completion import complete_corpus
from anselm.cli.options import DataDir, Json, Protocol, Split
from anselm.cli.output import print_json, print_rows, say, whisper
from anselm.errors import DataError

app = typer.Typer()


@app.command("list", epilog="Example: anselm data list --data-dir corpora")
def data_list(data_dir: DataDir = None, as_json: Json = False) -> None:
    """List the corpora, and which of them are here."""
    from anselm.data.inventory import list_corpora

    print_rows(list_corpora(data_dir), as_json, ("name", "here", "protocols", "summary"))


@app.command("stats", epilog="Example: anselm data stats wikiqa")
def data_stats(
    name: Annotated[str, typer.Argument(autocompletion=complete_corpus, help="A corpus name, or a file.")],
    split: Split = None,
    protocol: Protocol = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Count questions, pairs, relevant candidates and words."""
    from anselm.cli.show import waiting
    from anselm.data.inventory import statistics

    with waiting("counting"):
        rows = statistics(name, split, protocol, data_dir)
    if not as_json:
        say(rows[0]["data"])
    print_rows(rows, as_json, [key for key in rows[0] if key != "data"])


@app.command("check", epilog="Example: anselm data check wikiqa trecqa")
def data_check(
    names: Annotated[
        list[str] | None,
        typer.Argument(autocompletion=complete_corpus, help="Corpora; all that are here by default."),
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Verify that corpora have their published counts."""
    from anselm.cli.show import progress
    from anselm.data.inventory import check

    rows = list(progress(check(names or [], data_dir), "checking"))
    if as_json:
        print_json(rows)
    else:
        print_rows([short(row) for row in rows], as_json=False)
    if wrong := list(dict.fromkeys(row["problem"] for row in rows if row["status"] == "wrong")):
        more = f" (and {len(wrong) - 1} more: see --json)" if len(wrong) > 1 else ""
        raise DataError(f"{wrong[0]}{more}")


def short(row: Mapping[str, object]) -> dict[str, object]:
    """A row of the check that fits a narrow screen."""
    protocol = "" if row["protocol"] == "-" else f" ({row['protocol']})"
    return {"status": row["status"], "what": f"{row['corpus']} {row['split']}{protocol}", "found": row["found"]}


@app.command("convert", epilog="Example: anselm data convert wikiqa lists.jsonl --split dev")
def data_convert(
    source: Annotated[
        str, typer.Argument(autocompletion=complete_corpus, help="A corpus name, or a file or BEIR folder.")
    ],
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
    from anselm.cli.show import waiting
    from anselm.data.inventory import convert
    from anselm.outputs import is_stream

    with waiting("converting"):
        count = convert(source, target, split, protocol, source_format, target_format, data_dir)
    if is_stream(target):  # standard output may be where the lists are
        return whisper(f"anselm: {count:,} lists written")
    if as_json:
        return print_json({"source": source, "target": str(target), "lists": count})
    return say(f"{count:,} lists written to {target}")
