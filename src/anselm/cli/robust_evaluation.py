"""anselm evaluate --robust."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from anselm.cli.measurement import Measurement

if TYPE_CHECKING:
    from anselm.evaluation.robustness import Robustness


def run_robustness(model: str, asked: Measurement) -> Robustness:
    """Of one model on the same lists, without and with distractors."""
    from anselm.cli.show import progress
    from anselm.evaluation.robustness import assess_robustness, check_reads, check_rows_target, save_rows
    from anselm.evaluation.systems import open_system
    from anselm.outputs import check_apart

    asked.check()
    if asked.save:
        check_rows_target(asked.save)
        check_apart(asked.save, asked.data, model)
    system = open_system(model)
    check_reads(system)
    scoring = partial(progress, label="scoring")
    found = assess_robustness(
        system, asked.read(), asked.names, asked.tie_rule, scoring, asked.judged_only, asked.data_dir
    )
    if asked.save:
        save_rows(found, asked.save)
    return found
