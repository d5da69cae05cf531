"""anselm evaluate --robust."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from anselm.cli.options import named_columns

if TYPE_CHECKING:
    from anselm.evaluation.robustness import Robustness
    from anselm.metrics.ties import Ties


def run_robustness(
    model: str,
    data: str,
    split: str | None,
    protocol: str | None,
    metrics: str,
    ties: str,
    judged_only: bool,
    data_dir: Path | None,
    save: Path | None,
    columns: str | None,
) -> Robustness:
    """Of one model on the same lists, without and with distractors."""
    from anselm.cli.show import progress, waiting
    from anselm.data.datasets import load_dataset
    from anselm.evaluation.report import check_metrics
    from anselm.evaluation.robustness import assess_robustness, check_reads, check_rows_target, save_rows
    from anselm.evaluation.systems import open_system
    from anselm.outputs import check_apart

    names = [name.strip() for name in metrics.split(",") if name.strip()]
    check_metrics(names, ties)
    if save:
        check_rows_target(save)
        check_apart(save, data, model)
    system = open_system(model)
    check_reads(system)
    with waiting("reading"):
        dataset = load_dataset(data, split, protocol, data_dir, columns=named_columns(columns))
    scoring = partial(progress, label="scoring")
    found = assess_robustness(system, dataset, names, cast("Ties", ties), scoring, judged_only, data_dir)
    if save:
        save_rows(found, save)
    return found
