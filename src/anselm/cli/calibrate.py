"""anselm calibrate."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anselm.cli.completion import complete_model
from anselm.cli.options import DataDir, DataSource, Faq, Json, LogColumns, judged_columns
from anselm.cli.output import console, print_json

if TYPE_CHECKING:
    from anselm.data.datasets import Dataset
    from anselm.experiments.recalibration import Refit

app = typer.Typer()


@app.command(epilog="Example: anselm calibrate my-ranker --data dev.jsonl --threshold precision=0.9")
def calibrate(
    checkpoint: Annotated[
        str,
        typer.Argument(
            autocompletion=complete_model, help="A checkpoint folder; with --out also a name of `anselm models`."
        ),
    ],
    data: DataSource,
    split: Annotated[str | None, typer.Option(help="Which split; `dev` by default.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Which questions count; all of them by default.")] = None,
    threshold: Annotated[
        str, typer.Option(help="How sure to be of an answer to give one: 0.5, best-f1, precision=0.9, recall=0.8.")
    ] = "0.5",
    out: Annotated[Path | None, typer.Option(help="Write a copy here and leave the checkpoint as it is.")] = None,
    faq: Faq = None,
    columns: LogColumns = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Fit probabilities, and the threshold for "no answer", to your labelled lists."""
    from anselm.cli.show import progress, show_refit, waiting
    from anselm.data.datasets import DEV, load_training_data
    from anselm.experiments.recalibration import find_writable, recalibrate
    from anselm.metrics.thresholds import parse_rule

    rule = parse_rule(threshold)
    find_writable(checkpoint, out)  # a name that cannot be written to should not cost the reading of the data
    with waiting("reading"):
        dataset = load_training_data(data, split, protocol, data_dir, DEV, judged_columns(columns, faq), faq)
    refit = recalibrate(checkpoint, dataset, rule, out, partial(progress, label="scoring"))
    if as_json:
        return print_json(describe(refit, dataset, threshold))
    return show_refit(console(), refit, threshold)


def describe(refit: Refit, dataset: Dataset, threshold: str) -> dict[str, Any]:
    from anselm.data.question import TEXTS
    from anselm.metrics.calibration import OTHERS
    from anselm.metrics.thresholds import outline
    from anselm.metrics.trust import numbers

    fitted = refit.calibration
    beliefs = {**dict.fromkeys((TEXTS, *OTHERS)), **fitted.beliefs}
    return {
        "checkpoint": str(refit.checkpoint),
        "data": dataset.name,
        "split": dataset.split,
        "protocol": dataset.protocol,
        "questions": len(dataset),
        "pairs": dataset.pairs,
        "fitted_for": list(refit.kinds),
        "weights": {kind: one and one.to_dict() for kind, one in beliefs.items()},
        "threshold": refit.calibration.threshold,
        "chosen_by": threshold,
        "fitted_on": refit.calibration.fitted_on,
        "before": refit.before and refit.before.to_dict(),
        "after": refit.after.to_dict(),
        "tradeoff": [numbers(row) for row in outline(refit.after.tradeoff, refit.after.triggering)],
    }
