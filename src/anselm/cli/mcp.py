"""anselm mcp."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anselm.cli.options import Model
from anselm.cli.output import whisper

app = typer.Typer()


@app.command(epilog="Example: anselm mcp manual.md faq.csv")
def mcp(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="What the tool `ask` searches: files that `anselm ask` reads, folders of them."),
    ] = None,
    model: Model = "default",
) -> None:
    """Give agents the tools `ask` and `rank`, over standard input and output (Model Context Protocol)."""
    from anselm.integrations.mcp_server import create_server
    from anselm.ranking.ranker import Ranker
    from anselm.text.documents import read_documents

    def skip(error: Exception) -> None:
        whisper(f"anselm: skipped: {error}")

    documents = list(read_documents(files or (), skip))
    create_server(Ranker.load(model), documents).run("stdio")
