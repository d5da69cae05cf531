"""anselm train parser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from anselm.cli.output import interruptible, note, print_json, say
from anselm.errors import InputError

PARSER = "parser"  # what `anselm train` takes beside recipes


def train_parser(
    out: Path | None,
    base: str | None,
    seed: int,
    given: Mapping[str, Any],
    more: Path | None,
    data_dir: Path | None,
    as_json: bool,
) -> None:
    """Into the user's cache, where `anselm parse` looks for it, or another folder.

    `base` is another encoder than the usual one, `more` a file of other trees.
    """
    from anselm.train.requirements import require_export

    settings = plan_settings(given)
    require_export("training a parser")
    from anselm.annotations.span_parser import parser_folder
    from anselm.annotations.treebank import read_treebank

    target = out or parser_folder()
    if target.exists():
        raise InputError(f"{target} exists already; remove it, or name another folder with --out")
    read_treebank("dev", data_dir)  # before torch, which takes seconds, that it is there
    from anselm.experiments.parser_runs import make_parser
    from anselm.models.frames.parser_network import ParserConfig
    from anselm.models.frames.parser_training import Plan
    from anselm.models.frames.pretrained import MINILM

    plan = Plan(**{"seed": seed, **settings})
    with interruptible(None):
        found = make_parser(target, data_dir, ParserConfig(base=base or MINILM), plan, note, more)
    if as_json:
        return print_json(asdict(found))
    test, asked = found.test, found.questions
    apart = f"labelled F1 {test.f1:.4f}, tags {test.tags:.4f} on {test.sentences} sentences kept apart"
    return say(f"{target}: {apart}; F1 {asked.f1:.4f} on {asked.sentences} questions")


def plan_settings(given: Mapping[str, float]) -> dict[str, Any]:
    """A parser is tested after each epoch, so that a part of one is none; other trainings have them in parts."""
    epochs, rate = given.get("epochs", 1), given.get("learning_rate", 1.0)
    if epochs < 1 or not float(epochs).is_integer():
        raise InputError(f"epochs is {epochs:g}; for a parser it must be a whole number, 1 or more")
    if not 0 < rate < float("inf"):
        raise InputError(f"learning_rate is {rate:g}; it must be above 0")
    return {**given, **({"epochs": int(epochs)} if "epochs" in given else {})}
