"""Probing the models of one corpus: its lists, their trees, the vectors of each model, and how well it ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from anselm.data.datasets import Dataset, check_texts, find_corpus, is_corpus_name, load_dataset
from anselm.data.question import Question
from anselm.errors import InputError, MissingDataError
from anselm.evaluation.probe_network import Fitting, Floats
from anselm.evaluation.probes import (
    GUESSES,
    OF,
    Pairs,
    Probed,
    check_represented,
    describe_pairs,
    find_vectors,
    make_targets,
)
from anselm.evaluation.report import assess
from anselm.evaluation.systems import Model
from anselm.ranking.scorers import load_scorer
from anselm.scorer import Progress, Scorer, silent

METRICS = ("map", "mrr")
ROLES = ("tree", "sequential")  # the order in which models are given
SPLITS = ("train", "trial", "dev")  # what a probe learns from: the first that a corpus has
HELD_OUT = 5  # of a file, which has no splits, every fifth list is tested


@dataclass(frozen=True)
class Plan:
    """How models are probed. `pairs` of each split are taken, in whole lists."""

    parser: str
    of: str = OF[0]
    pairs: int = 2000
    data_dir: Path | None = None
    fitting: Fitting = field(default_factory=Fitting)

    def __post_init__(self) -> None:
        if self.of not in OF:
            raise InputError(f"the tree is of the {' or the '.join(OF)}, not of {self.of!r}")
        for name, number in {"pairs": self.pairs, "epochs": self.fitting.epochs}.items():
            if number < 1:
                raise InputError(f"{name} is {number}, but must be at least 1")


@dataclass(frozen=True)
class Wanted:
    """A corpus and the models that were trained on it."""

    data: str
    models: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Wanted:
        """wikiqa=TREE,SEQUENTIAL or wikiqa=MODEL"""
        data, equals, models = text.partition("=")
        found = tuple(one.strip() for one in models.split(",") if one.strip())
        if not data or not equals or not 1 <= len(found) <= len(ROLES):
            raise InputError(f"{text!r} does not say what to probe: DATA=TREE_MODEL,SEQUENTIAL_MODEL, or DATA=MODEL")
        return cls(data, found)


def probe(wanted: Wanted, plan: Plan, progress: Progress = silent) -> Probed:
    scorers = {role: load_scorer(name) for role, name in zip(ROLES, wanted.models, strict=False)}
    for name, scorer in zip(wanted.models, scorers.values(), strict=True):
        check_represented(scorer, name)  # before anything is read
    train, test = load_lists(wanted.data, plan.data_dir)
    lists = [take(one.questions, plan.pairs, plan.fitting.seed) for one in (train, test)]
    described = [describe_pairs(one, plan.parser, plan.of) for one in lists]
    vectors = {role: [find_vectors(scorer, one, role, progress) for one in lists] for role, scorer in scorers.items()}
    return Probed(
        train.name,
        train.split,
        test.split,
        (len(described[0]), len(described[1])),
        dict(zip(ROLES, wanted.models, strict=False)),
        compare(described, vectors, plan.fitting),
        {role: rank(scorer, test, progress) for role, scorer in scorers.items()},
    )


def compare(
    pairs: Sequence[Pairs], vectors: Mapping[str, Sequence[Floats]], fitting: Fitting
) -> dict[str, dict[str, float]]:
    """Of training and test pairs, task by task: what the vectors of each role get, and what guesses get."""
    return {
        task.name: {role: task.probe(train, test, fitting) for role, (train, test) in vectors.items()}
        | {guess: task.guess(guess, fitting.seed) for guess in GUESSES}
        for task in make_targets(*pairs)
    }


def rank(scorer: Scorer, test: Dataset, progress: Progress) -> dict[str, float]:
    """All of the test lists."""
    return dict(assess(Model(scorer.name, scorer), test, METRICS, "pessimistic", progress).metrics)


def load_lists(data: str, data_dir: Path | None) -> tuple[Dataset, Dataset]:
    """To train probes on, and to test them."""
    if is_corpus_name(data):
        both = load_training_split(data, data_dir), load_dataset(data, data_dir=data_dir)
    else:
        whole = load_dataset(data)
        last = [place % HELD_OUT == HELD_OUT - 1 for place in range(len(whole.questions))]
        both = (
            Dataset(whole.name, "four fifths", whole.protocol, tuple(_where(whole.questions, last, False))),
            Dataset(whole.name, "every fifth", whole.protocol, tuple(_where(whole.questions, last, True))),
        )
    for one in both:
        check_texts(one)
        if not one.questions:
            raise InputError(f"{data} has too few lists: {HELD_OUT} are needed, so that a fifth can be held out")
    return both


def load_training_split(data: str, data_dir: Path | None) -> Dataset:
    """The first of SPLITS that is here; of SemEval 2015 the training file is not to be had everywhere."""
    corpus, absent = find_corpus(data), None
    for split in (split for split in SPLITS if split in corpus.splits):
        try:
            return load_dataset(data, split, data_dir=data_dir)
        except MissingDataError as error:
            absent = absent or error
    raise absent or InputError(f"{data} has no lists to train a probe on; it has {', '.join(corpus.splits)}")


def _where(questions: Sequence[Question], last: Sequence[bool], wanted: bool) -> list[Question]:
    return [question for question, one in zip(questions, last, strict=True) if one == wanted]


def take(questions: Sequence[Question], pairs: int, seed: int) -> list[Question]:
    """Whole lists in an order of their own, until there are so many pairs."""
    found, count = list[Question](), 0
    for place in np.random.default_rng(seed).permutation(len(questions)):
        if count < pairs:
            found.append(questions[place])
            count += len(questions[place].candidates)
    return found
