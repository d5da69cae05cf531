"""anselm bench."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from anselm.cli.options import DataDir, Json
from anselm.cli.output import console, patience, print_json, print_rows
from anselm.errors import InputError

if TYPE_CHECKING:
    from anselm.benching import Bench

app = typer.Typer()


@app.command(epilog="Example: anselm bench default --candidates 10,30,100 --tokens 64")
def bench(
    model: Annotated[str, typer.Argument(help="A name from `anselm models`, or a checkpoint folder.")] = "default",
    candidates: Annotated[
        str, typer.Option(help="How long the lists are, in candidates, with commas between.")
    ] = "10,30,100",
    tokens: Annotated[int, typer.Option(help="About how long each candidate is, in tokens.")] = 64,
    data: Annotated[
        str | None, typer.Option("--data", "-d", help="A corpus or a file to take texts from; bundled ones by default.")
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Measure on this machine, in about ten seconds, how fast a model ranks."""
    sizes = parse_sizes(candidates)
    with patience("measuring"):
        from anselm.benching import bench as measure
        from anselm.data.datasets import load_dataset

        source = load_dataset(data, data_dir=data_dir).questions if data else ()
        found = measure(model, sizes, tokens, source)
    if as_json:
        return print_json(found.to_dict())
    return show(found)


def parse_sizes(text: str) -> list[int]:
    """Each once, in the order given."""
    try:
        return list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise InputError(
            f"--candidates must be whole numbers with commas between, such as 10,30,100, not {text!r}"
        ) from None


def show(found: Bench) -> None:
    from anselm.terminal import shown

    memory = "" if found.resident_mb is None else f", {found.resident_mb:,.0f} MB in memory"
    threads = f"{found.threads} thread{'s' * (found.threads > 1)}"
    console().print(
        f"[bold]{shown(found.model)}[/] on {found.engine}, {threads}: {found.pairs_per_second:,.0f} pairs per second, "
        f"loaded in {found.load_seconds:.2f} s{memory}; candidates of about {found.tokens:,} tokens",
        soft_wrap=False,
    )
    print_rows(
        [
            {"candidates": row.candidates, "p50 ms": round(row.p50_ms, 1), "p99 ms": round(row.p99_ms, 1),
             "calls": row.calls}
            for row in found.latencies
        ],
        as_json=False,
    )  # fmt: skip
