"""A parser's weights without a graph: python -m tools.tree_rows.learn_parser FOLDER [TREES] [setting=value ...]"""

# ruff: noqa: T201

from __future__ import annotations

import sys
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from anselm.annotations.evalb import score_brackets
from anselm.annotations.treebank import read_treebank
from anselm.checkpoints.checksums import write_checkpoint
from anselm.experiments.parser_runs import learn_parser, read_asked, write_network
from anselm.models.frames.parser_examples import make_examples
from anselm.models.frames.parser_network import ParserConfig
from anselm.models.frames.parser_training import Plan, parse_examples


def chosen(kind: Any, given: dict[str, str]) -> Any:
    return kind(**{one.name: type(one.default)(given[one.name]) for one in fields(kind) if one.name in given})


def main() -> None:
    folder, *rest = sys.argv[1:]
    given = dict(one.split("=", 1) for one in rest if "=" in one)
    more = next((Path(one) for one in rest if "=" not in one), None)
    plan = chosen(Plan, given)
    learned = learn_parser(None, chosen(ParserConfig, given), plan, partial(print, flush=True), more)
    with write_checkpoint(Path(folder)) as place:
        write_network(place, learned, plan)
    for name, gold in (("test", read_treebank("test")), ("questions", read_asked())):
        examples = make_examples(gold, learned.inventory, learned.tokenizer)
        print(name, score_brackets(gold, parse_examples(learned.network, examples, learned.inventory)))


if __name__ == "__main__":
    main()
