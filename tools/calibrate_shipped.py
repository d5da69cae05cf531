"""Fit the probabilities and thresholds of the lexical models that ship with the package. Needs ANSELM_DATA.

Half of the lists are WikiQA's training questions, two thirds of which have no answer; the other half are as many of
SQuAD's, which all have one. WikiQA alone makes a ranker that hardly dares to answer on any other corpus.
"""

from __future__ import annotations

from anselm.checkpoints.catalogue import DEFAULT, SHIPPED, load_model
from anselm.checkpoints.checkpoint import CALIBRATION
from anselm.checkpoints.checksums import renew_checksums
from anselm.data.datasets import Dataset, load_dataset
from anselm.experiments.recalibration import calibrate


def mixture() -> Dataset:
    wiki = load_dataset("wikiqa", "train", "raw").questions
    squad = load_dataset("squad", "train-subset").questions
    step = len(squad) // len(wiki)  # spread over all articles
    return Dataset("wikiqa train and squad train-subset", "half each", "raw", wiki + squad[::step][: len(wiki)])


if __name__ == "__main__":
    lists = mixture()
    for folder in sorted(SHIPPED.iterdir()):
        if folder.name != DEFAULT:  # see make_default.py
            with renew_checksums(folder, CALIBRATION):
                calibrate(load_model(folder.name), lists).save(folder / CALIBRATION)
