"""From a trained reader (scripts/train_default.py) to the default model's folder: export, blend, calibrate.

    python scripts/make_default.py READER OUT [--blend A B C D] [--held-out CORPUS/SPLIT=READER ...]

The blend is fitted on dev lists of corpora that the reader has not seen (WikiQA, TrecQA, SemEval 2015 and 2016,
InsuranceQA's text subset in pools of 50), and, for each corpus that it has seen, on lists scored by a reader that was
trained without it (--held-out stackexchange/coffee=FOLDER). Every corpus counts the same. Needs ANSELM_DATA.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from anselm.data.datasets import Dataset, load_dataset
from anselm.data.question import Question
from anselm.models.general import Config
from anselm.recipes.blending import Lists, fit_blend, usable_lists
from anselm.recipes.fitting import calibrate
from anselm.recipes.general import export_general, write_config
from anselm.runtime.general import load_general

SEEN = (("squad", "train-subset"), ("squadshifts", "amazon"), ("stackexchange", "cardano"), ("selqa", "dev"))
UNSEEN = (("wikiqa", "dev"), ("trecqa", "dev"), ("semeval-2016", "dev"), ("semeval-2015", "dev"))
POOL, POOLS = 50, 120
TERMS = (
    "the weights are under Apache-2.0, like the encoder that they were made from (all-MiniLM-L6-v2); they were trained "
    "on SQuAD and Stack Exchange (CC BY-SA), SelQA (Apache-2.0) and SQuADShifts (no terms stated)"
)


def main() -> None:
    options = parse()
    export_general(options.reader, options.out, some_lists(60))
    config = load_general(options.out).config
    weights = options.blend or fit(options.out, options.held_out)
    write_config(options.out, replace(config, blend=tuple(round(float(weight), 3) for weight in weights)), TERMS)
    calibrate(load_general(options.out), answer_lists()).save(options.out / "calibration.json")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reader", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--blend", type=float, nargs=4)
    parser.add_argument("--held-out", action="append", default=[])
    return parser.parse_args()


def some_lists(each: int) -> list[Question]:
    """To see the ranges of the activations on; of what the reader was trained on."""
    rng = random.Random(3)
    return [question for name, split in SEEN for question in rng.sample(load_dataset(name, split).questions, each)]


def fit(folder: Path, held_out: Sequence[str]) -> Sequence[float]:
    corpora = [lists_of(folder, load_dataset(name, split).questions) for name, split in UNSEEN]
    corpora.append(lists_of(folder, small_pools()))
    for option in held_out:
        place, reader = option.split("=")
        name, split = place.split("/")
        with TemporaryDirectory() as scratch:
            other = export_general(Path(reader), Path(scratch) / "other", some_lists(60))
            corpora.append(lists_of(other, load_dataset(name, split).questions))
    return list(fit_blend(corpora))


def lists_of(folder: Path, questions: Sequence[Question]) -> Lists:
    """With each weight alone set to 1, the score is that weight's feature."""
    model = load_general(folder)
    columns = []
    for place in range(4):
        model.config = replace(model.config, blend=Config(blend=tuple(np.eye(4)[place])).blend)
        columns.append(np.concatenate(model.score(questions)))
    return usable_lists(np.stack(columns, axis=1), [question.labels for question in questions])


def small_pools() -> list[Question]:
    rng = random.Random(5)
    found = []
    for question in load_dataset("insuranceqa-text", "dev").questions[:POOLS]:
        right = [candidate for candidate in question.candidates if candidate.label]
        wrong = [candidate for candidate in question.candidates if not candidate.label]
        pool = right + rng.sample(wrong, POOL - len(right))
        found.append(replace(question, candidates=tuple(sorted(pool, key=lambda candidate: candidate.text))))
    return found


def answer_lists() -> Dataset:
    """Questions with and without an answer, of corpora that the reader was not trained on."""
    parts = [load_dataset(name, "dev", "raw").questions for name in ("wikiqa", "trecqa")]
    return Dataset("wikiqa and trecqa", "dev", "raw", tuple(question for part in parts for question in part))


if __name__ == "__main__":
    main()
