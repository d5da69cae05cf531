"""anselm fetch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anselm.cli.completion import complete_fetchable
from anselm.cli.options import Json
from anselm.cli.output import print_json, say

app = typer.Typer()


@app.command(epilog="Example: anselm fetch accurate --from models/all-mpnet-base-v2")
def fetch(
    tier: Annotated[str, typer.Argument(autocompletion=complete_fetchable, help="The model: accurate.")],
    folder: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="A folder with the encoder, or with archives of it; the Hugging Face hub if not given.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Get the encoder of a model that does not come whole with the package, once, and keep the model in a cache."""
    from anselm.fetch.fetched_models import fetch as run
    from anselm.fetch.progress_line import ProgressLine

    made = run(tier, folder, ProgressLine())
    size = sum(path.stat().st_size for path in made.rglob("*") if path.is_file())
    if as_json:
        return print_json({"model": tier, "folder": str(made), "bytes": size})
    return say(f"{tier}: {size / 1e6:.0f} MB in {made}; every command takes it by its name")
