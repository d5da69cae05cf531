"""Attentive clustering trained as its record says, and the same weights measured again: with alpha 0, and on train.

    python -m tools.clustering.same_weights insuranceqa-text --seed 1 --out seed-1.json

With alpha 0 nothing is left of the clusters. A model that is better so was hurt by them in the test; one that is as bad
was hurt in training. Figures on training lists are for the thesis's Table 7; of a large set the first lists are taken,
and of long ones the relevant answers and the first of the others. `--epochs` trains for fewer than the record did, and
`--lists` measures fewer test lists, with both alphas the same.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from anselm.data.corpus import has_relevant
from anselm.data.datasets import Dataset
from anselm.evaluation.report import measure
from anselm.experiments.jobs import Context, Job, new_model, run_stage
from anselm.experiments.parts import shorten
from anselm.experiments.recipe_files import find_recipes
from anselm.experiments.results import read_result
from anselm.experiments.schema import of_config
from anselm.metrics.measures import summarise
from anselm.train.devices import device_name, use_matmul_precision

ROW = "attentive-clustering/table-6/attentive-clustering"
RECORDS = {"stackexchange": "stackexchange-genai"}  # under another name than the recipe's
LISTS, CANDIDATES = 1_000, 50  # of training lists


def run(
    corpus: str, seed: int, changes: Mapping[str, Any], data_dir: Path | None = None, lists: int | None = None
) -> dict[str, Any]:
    (recipe,) = find_recipes(ROW)
    stage, context = recipe.corpora[corpus], Context(data_dir, say=lambda line: None)
    job = Job(recipe, (corpus,), seed, changes)
    model = new_model(recipe, seed, stage, context, of_config(changes))
    progress = run_stage(model, stage, job.training(corpus), context)
    dev, test = context.load(stage.dev), context.load(stage.tests[0])
    test = replace(test, questions=test.questions[:lists])
    return {
        "corpus": corpus, "seed": seed, "changes": dict(changes), "best_step": progress.best_step,
        "device": device_name(),
        "train": figures(model, first_lists(context.load(stage.train[0]))),
        "dev": figures(model, dev),
        "test": figures(model, test),
        "dev, alpha 0": figures(model, dev, alpha=0.0),
        "test, alpha 0": figures(model, test, alpha=0.0),
        "test lists": len(test.questions),
    }  # fmt: skip


def first_lists(dataset: Dataset) -> Dataset:
    """Those that have an answer."""
    answered = list(filter(has_relevant, dataset.questions))
    return replace(dataset, questions=tuple(shorten(question, CANDIDATES) for question in answered[:LISTS]))


def figures(model: Any, dataset: Dataset, alpha: float | None = None) -> dict[str, float]:
    """Of the model, or of the same weights with another alpha."""
    config = model.config
    if alpha is not None:
        model.config = replace(config, alpha=alpha)
    found = summarise(measure(dataset, model.score(dataset), ["map", "mrr", "p@1"], "pessimistic"))
    model.config = config
    return {name: round(value, 6) for name, value in found.items()}


def recorded_changes(corpus: str, results: Path) -> dict[str, Any]:
    """The settings that dev chose."""
    return dict(read_result(results / f"{ROW}--{RECORDS.get(corpus, corpus)}.json").chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--matmul", default="highest")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--lists", type=int)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    use_matmul_precision(given.matmul)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    changes = recorded_changes(given.corpus, given.results) | ({"epochs": given.epochs} if given.epochs else {})
    found = run(given.corpus, given.seed, changes, lists=given.lists)
    given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
