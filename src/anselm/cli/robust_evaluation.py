"""anselm evaluate --robust."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from anselm.cli.measurement import Measurement

if TYPE_CHECKING:
    from anselm.evaluation.robustness import Robustness


def run_robustness(model: str, asked: Measurement) -> Robustness:
    """Of one model on the same lists, without and with distractors."""
    from anselm.cli.show import progress
    from anselm.evaluation.robustness import RULES, assess_robustness, check_reads, check_rows_target, save_rows
    from anselm.evaluation.systems import open_system
    from anselm.outputs import check_apart

    asked.check()
    if asked.save:
        check_rows_target(asked.save)
        check_apart(asked.save, *asked.files, model)
    system = open_system(model, respell=not asked.as_typed)
    check_reads(system)
    scoring = partial(progress, label="scoring")
    found = assess_robustness(
        system, asked.read(), asked.names, asked.tie_rule, scoring, asked.judged_only, asked.data_dir
    )
    if asked.save:
        save_rows(found, asked.save)
    if found.source == RULES and found.hard.ranked:
        warn_of_language([question.text for question in found.hard.ranked.lists])
    return found


def warn_of_language(questions: Sequence[str]) -> None:
    from anselm.cli.output import note
    from anselm.evaluation.distractors import looks_english

    english = sum(map(looks_english, questions))
    if english < len(questions) / 2:
        note(f"only {english} of {len(questions)} questions look English, which the rules of distractors are for")
