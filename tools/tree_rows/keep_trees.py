"""The trees of all texts that the tree rows read, into $ANSELM_CACHE: python -m tools.tree_rows.keep_trees FOLDER"""

# ruff: noqa: T201

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from anselm.annotations.annotation_cache import SHARED
from anselm.experiments.parts import load_part
from anselm.experiments.recipe_files import find_recipes
from anselm.experiments.schema import Part
from tools.tree_rows.batch_parser import BatchParser

PAPER = "tree-aggregation-transformer"


def tree_parts() -> list[Part]:
    """Of the rows that name our parser; what comes before, in a transfer, has no trees."""
    rows = [recipe for recipe in find_recipes(PAPER) if recipe.config.get("parser") == "own"]
    return list(dict.fromkeys(part for row in rows for stage in row.corpora.values() for part in stage.parts))


def main() -> None:
    parser, began = BatchParser(Path(sys.argv[1]), max(1, (os.cpu_count() or 2) - 2)), time.monotonic()
    for part in tree_parts():
        questions = load_part(part).questions
        texts = [text for one in questions for text in (one.text, *(candidate.text for candidate in one.candidates))]
        SHARED.annotate(parser, list(dict.fromkeys(texts)))
        print(f"{part.data} {part.split} ({part.protocol}): {time.monotonic() - began:.0f} s in all", flush=True)


if __name__ == "__main__":
    main()
