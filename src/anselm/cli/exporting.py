"""anselm export."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from anselm.cli.options import DataDir, Json
from anselm.cli.output import patience, print_json, say
from anselm.errors import MissingExtraError

app = typer.Typer()


@app.command(epilog="Example: anselm export my-ranker --out my-ranker-int8")
def export(
    checkpoint: Annotated[Path, typer.Argument(help="The folder of a trained cross-encoder.")],
    out: Annotated[
        Path | None, typer.Option(help="A new folder without torch's weights; by default the checkpoint gets an onnx/.")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", "-d", help="Texts to set int8's ranges on; the bundled ones by default.")
    ] = None,
    float32: Annotated[bool, typer.Option("--float32", help="Exact, four times as large and half as fast.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Turn a trained cross-encoder into one that runs without torch, with int8 weights."""
    if any(find_spec(library) is None for library in ("torch", "transformers", "onnx", "onnxscript")):
        raise MissingExtraError("exporting a model", "export")
    with patience("exporting"):
        from anselm.recipes.exporting import example_questions
        from anselm.recipes.exporting import export as run
        from anselm.recipes.fitting import load_training_data

        questions = load_training_data(data, data_dir=data_dir).questions if data else example_questions()
        path = run(checkpoint, out, questions, int8=not float32)
    size = path.stat().st_size
    if as_json:
        return print_json({"checkpoint": str(out or checkpoint), "file": str(path), "bytes": size})
    return say(f"{path}: {size / 1e6:.1f} MB; anselm rank, ask and evaluate take {out or checkpoint} without torch")
