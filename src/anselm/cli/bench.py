"""anselm bench."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anselm.cli.completion import complete_corpus, complete_model
from anselm.cli.options import DataDir, Json
from anselm.cli.output import console, patience, print_json, print_rows
from anselm.errors import InputError

if TYPE_CHECKING:
    from anselm.ranking.speed import Bench

app = typer.Typer()


@app.command(epilog="Example: anselm bench default bm25 --candidates 10,30,100 --tokens 64")
def bench(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            autocompletion=complete_model, help="Names from `anselm models`, or checkpoint folders; `default` if none."
        ),
    ] = None,
    candidates: Annotated[
        str, typer.Option(help="How long the lists are, in candidates, with commas between.")
    ] = "10,30,100",
    tokens: Annotated[int, typer.Option(help="About how long each candidate is, in tokens.")] = 64,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            "-d",
            autocompletion=complete_corpus,
            help="A corpus or a file to take texts from; bundled ones by default.",
        ),
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Measure on this machine, in about ten seconds each, how fast models rank."""
    sizes = parse_sizes(candidates)
    if models and len(models) > 1:
        from anselm.checkpoints.catalogue import find_checkpoint

        for model in models:  # a mistyped name should not cost the measuring of the others
            find_checkpoint(model)
        options = ["--candidates", candidates, "--tokens", str(tokens), *(["--data", data] if data else [])]
        rows = [apart(model, [*options, *(["--data-dir", str(data_dir)] if data_dir else [])]) for model in models]
        return print_json(rows) if as_json else print_rows([summary(row) for row in rows], as_json=False)
    model = models[0] if models else "default"
    with patience("measuring"):
        from anselm.data.datasets import load_dataset
        from anselm.ranking.speed import bench as measure

        source = load_dataset(data, data_dir=data_dir).questions if data else ()
        found = measure(model, sizes, tokens, source)
    if as_json:
        return print_json(found.to_dict())
    return show(found)


def apart(model: str, options: list[str]) -> dict[str, Any]:
    """One of several models, in a process of its own: memory and what is loaded already should not be the others'."""
    command = [sys.executable, "-m", "anselm", "bench", model, *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InputError(done.stderr.strip().removeprefix("anselm: ") or f"{model!r} could not be measured")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def summary(found: dict[str, Any]) -> dict[str, object]:
    times = {f"p50@{row['candidates']}": round(row["p50_ms"], 1) for row in found["latencies"]}
    speed = {"pairs/s": round(found["pairs_per_second"]), "loaded": found["load_seconds"], "MB": found["resident_mb"]}
    return {"model": found["model"], "engine": found["engine"], **speed, **times}


def parse_sizes(text: str) -> list[int]:
    """Each once, in the order given."""
    try:
        return list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise InputError(
            f"--candidates must be whole numbers with commas between, such as 10,30,100, not {text!r}"
        ) from None


def show(found: Bench) -> None:
    from anselm.cli.show import shown

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
