"""From a trained reader to the default model's folder: export, blend, calibrate.

    python -m tools.default_model.make_default READER ENTRIES OUT [--blend A B] [--held-out CORPUS/SPLIT=READER ...]

The blend is fitted on dev lists of corpora that the reader has not seen (WikiQA, TrecQA, SemEval 2015 and 2016,
InsuranceQA's text subset in lists of 50), on pools made of the same dev lists (pools.py), and, for each
corpus that it has seen, on lists scored by a reader that was trained without it (--held-out
stackexchange/coffee=FOLDER). Every family of corpora counts the same. Needs ANSELM_DATA.

What was shipped was fitted to the signals of the int8 reader, with pools of the same recipe drawn
otherwise, nine sources of entries that were held back, and all three corpora held out (Stack Exchange's three sites,
SelQA, the first 1,500 lists of both SQuADShifts; those in float32). Its encoder.onnx is that of the versions before,
whose weights were rounded plainly.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from anselm.checkpoints.checkpoint import Checkpoint
from anselm.checkpoints.checksums import copy_checkpoint, write_checkpoint
from anselm.data.datasets import Dataset, load_dataset
from anselm.data.question import Question
from anselm.encoding.lists import encode_lists
from anselm.errors import AnselmError
from anselm.experiments.recalibration import calibrate
from anselm.outputs import check_new
from anselm.runtime import blended
from tools.default_model.blending import Lists, fit_blend, usable_lists
from tools.default_model.general import export_general, write_config
from tools.default_model.mixture import load_lists, mixture
from tools.default_model.pools import make_pools

SEEN = 240  # lists
UNSEEN = {"wikiqa": ("wikiqa",), "trecqa": ("trecqa",), "semeval": ("semeval-2016", "semeval-2015")}  # by family
TITLED = "semeval-2016"  # its pools also with the title alone as question
POOLS, POOLS_SEED = 150, 3
INSURANCE, INSURANCE_SIZE = 120, 50
HELD_OUT = 1500  # lists of a split
TERMS = (
    "the weights are under Apache-2.0, like the encoder that they were made from (all-MiniLM-L6-v2) and the one that "
    "taught it (all-mpnet-base-v2); they were trained on SQuAD and Stack Exchange (CC BY-SA), SelQA (Apache-2.0), "
    "SQuADShifts (no terms stated), and FAQs and manuals of Debian packages (free licences, most of them GPL, GFDL and "
    "CC BY-SA)"
)


def main() -> None:
    options = parse()
    check_new(options.out)  # before all the work, not after it
    entries = load_dataset(options.entries).questions
    with TemporaryDirectory() as scratch:
        made = export_general(options.reader, Path(scratch) / "made", some_lists(mixture(load_lists, entries=entries)))
        a, b = (round(float(weight), 3) for weight in options.blend or fit(made, options.held_out, entries))
        write_config(made, replace(blended.load(Checkpoint.read(made)).config, blend=(a, b)), TERMS)
        calibrate(blended.load(Checkpoint.read(made)), answer_lists()).save(made / "calibration.json")
        with write_checkpoint(options.out) as folder:
            copy_checkpoint(made, folder)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reader", type=Path)
    parser.add_argument("entries", type=Path, help="what tools/default_model/collect_entries.py wrote")
    parser.add_argument("out", type=Path)
    parser.add_argument("--blend", type=float, nargs=2)
    parser.add_argument("--held-out", action="append", default=[], type=held_out, metavar="CORPUS/SPLIT=READER")
    return parser.parse_args()


def held_out(given: str) -> tuple[str, str, Path]:
    place, _, reader = given.partition("=")
    name, _, split = place.partition("/")
    if not (split and reader):
        raise argparse.ArgumentTypeError(f"{given!r} is not like stackexchange/coffee=FOLDER")
    return name, split, Path(reader)


def some_lists(lists: Sequence[Question]) -> list[Question]:
    """To see the ranges of the activations on: some of every kind that the reader was trained on."""
    return list(lists[:: max(1, len(lists) // SEEN)])


def fit(folder: Path, others: Sequence[tuple[str, str, Path]], entries: Sequence[Question]) -> Sequence[float]:
    """`others` are the corpora that were held out, each a name, a split and the reader trained without it."""
    families: defaultdict[str, list[Lists]] = defaultdict(list)
    for family, parts in unseen_lists().items():
        families[family] = [lists_of(folder, questions) for questions in parts]
    for name, split, reader in others:
        with TemporaryDirectory() as scratch:
            seen = some_lists(mixture(load_lists, (name,), entries))
            other = export_general(reader, Path(scratch) / "other", seen)
            families[name].append(lists_of(other, load_dataset(name, split).questions[:HELD_OUT]))
    return list(fit_blend(families))


def unseen_lists() -> Mapping[str, Sequence[Sequence[Question]]]:
    """Dev lists and pools by family, of corpora that the reader was not trained on."""
    found: dict[str, list[Sequence[Question]]] = {"insuranceqa": [insurance_lists()]}
    for family, names in UNSEEN.items():
        dev = {name: load_lists(name, "dev") for name in names}
        found[family] = [*dev.values(), *(make_pools(questions, POOLS, POOLS_SEED) for questions in dev.values())]
        if TITLED in dev:
            found[family].append(make_pools(titles(dev[TITLED]), POOLS, POOLS_SEED))
    return found


def titles(questions: Sequence[Question]) -> list[Question]:
    return [replace(question, text=question.meta["subject"]) for question in questions if question.meta["subject"]]


def lists_of(folder: Path, questions: Sequence[Question]) -> Lists:
    model = blended.load(Checkpoint.read(folder))
    features = model.features(encode_lists(questions, model.tokenizer))
    return usable_lists(features, [question.labels for question in questions])


def insurance_lists() -> list[Question]:
    """Of each list of 500 its right answers and some of the others."""
    rng = random.Random(5)
    found = []
    for question in load_dataset("insuranceqa-text", "dev").questions[:INSURANCE]:
        right = [candidate for candidate in question.candidates if candidate.label]
        wrong = [candidate for candidate in question.candidates if not candidate.label]
        pool = right + rng.sample(wrong, INSURANCE_SIZE - len(right))
        found.append(replace(question, candidates=tuple(sorted(pool, key=lambda candidate: candidate.text))))
    return found


def answer_lists() -> Dataset:
    """Questions with and without an answer, of corpora that the reader was not trained on."""
    parts = [load_dataset(name, "dev", "raw").questions for name in ("wikiqa", "trecqa")]
    return Dataset("wikiqa and trecqa", "dev", "raw", tuple(question for part in parts for question in part))


if __name__ == "__main__":
    try:
        main()
    except AnselmError as error:
        sys.exit(str(error))
