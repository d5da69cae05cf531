"""anselm export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anselm.cli.completion import complete_corpus
from anselm.cli.options import DataDir, Json, switch
from anselm.cli.output import patience, print_json, say
from anselm.errors import InputError

if TYPE_CHECKING:
    from anselm.data.datasets import Dataset

app = typer.Typer()


@app.command(epilog="Example: anselm export my-ranker --out my-ranker-int8")
def export(
    checkpoint: Annotated[Path, typer.Argument(help="The folder of a trained model.")],
    out: Annotated[
        Path | None, typer.Option(help="A new folder without torch's weights; by default the checkpoint gets an onnx/.")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            "-d",
            autocompletion=complete_corpus,
            help="Texts to set int8's ranges on; the bundled ones by default.",
        ),
    ] = None,
    split: Annotated[str | None, typer.Option(help="Which split of --data; `train` by default.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Which questions of --data; all of them by default.")] = None,
    float32: Annotated[bool, switch("--float32", help="Exact, four times as large and half as fast.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Turn a trained model into one that runs without torch: a cross-encoder with int8 weights, others in float32."""
    from anselm.train.requirements import require_export

    require_export("exporting a model")
    if data is None and (split or protocol):
        raise InputError("--split and --protocol say which part of --data to take, and there is no --data")
    with patience("exporting"):
        lists = read_lists(data, split, protocol, data_dir) if data else None  # before torch, which takes seconds
        from anselm.export.exporter import example_questions
        from anselm.export.exporter import export as run

        path = run(checkpoint, out, lists.questions if lists else example_questions(), int8=not float32)
    size = path.stat().st_size
    if as_json:
        return print_json({"checkpoint": str(out or checkpoint), "file": str(path), "bytes": size})
    return say(f"{path}: {size / 1e6:.1f} MB; anselm rank, ask and evaluate take {out or checkpoint} without torch")


def read_lists(data: str, split: str | None, protocol: str | None, data_dir: Path | None) -> Dataset:
    from anselm.data.datasets import check_texts, load_training_data

    lists = load_training_data(data, split, protocol, data_dir)
    check_texts(lists)
    return lists
