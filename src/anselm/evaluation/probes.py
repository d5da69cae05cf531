"""What the vectors of a model know of syntax: section 4.7 of "Recursive Tree-Structured Self-Attention for Answer
Sentence Selection" (Mrini et al., 2021), after Conneau et al. (2018). A small network (probe_network.py) is trained on
the vectors that a model reads its scores off, which stay as they are, to tell:

    top constituents    which categories stand below the root, in their order: the 19 most frequent sequences of the
                        training pairs, and all others as one class
    tree depth          steps from the root to the deepest word, each number a class
    input length        words of question and candidate together, a number

What the paper leaves open: the tree is the candidate's, or, if it is asked for, the question's, and of several
sentences the first one's. F1 is the mean over classes, each counting alike (macro), over those that occur in the test
pairs or are predicted. Lengths are standardised by the training pairs, so that the mean as a guess has an error of 1.
Beside the network's, the same measure of two guesses: the class that is most frequent in training (the mean length),
and classes (lengths) drawn as they are distributed there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.abilities import Represents
from anselm.annotations.penn_labels import EMPTY, bare_label
from anselm.annotations.syntax import ROOT, parse_texts
from anselm.annotations.trees import Tree
from anselm.data.question import Question
from anselm.errors import InputError
from anselm.evaluation.probe_network import Fitting, Floats, fit_network
from anselm.scorer import BATCH, Progress, Scorer, batched, silent

TOP, DEPTH, LENGTH = TASKS = ("top constituents", "tree depth", "input length")
SEQUENCES = 19  # that are classes of their own
OF = ("candidate", "question")
MAJORITY, RANDOM = GUESSES = ("majority", "random")

Classes = NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """What is asked about some pairs."""

    sequences: tuple[str, ...]  # "WHNP SQ ."
    depths: tuple[int, ...]
    lengths: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.depths)


def describe_pairs(questions: Sequence[Question], parser: str, of: str = OF[0]) -> Pairs:
    """In the order of lists and candidates."""
    texts = dict.fromkeys(text for question in questions for text in texts_of(question))
    trees = dict(zip(texts, parse_texts(list(texts), parser), strict=True))
    pairs = [(trees[question.text], trees[one.text]) for question in questions for one in question.candidates]
    return describe_trees(pairs, of)


def texts_of(question: Question) -> list[str]:
    return [question.text, *(one.text for one in question.candidates)]


def describe_trees(pairs: Sequence[tuple[Tree, Tree]], of: str = OF[0]) -> Pairs:
    if of not in OF:
        raise InputError(f"the tree is of the {' or the '.join(OF)}, not of {of!r}")
    chosen = [first_sentence(pair[of == OF[0]]) for pair in pairs]
    lengths = [sum(leaf.label != EMPTY for tree in pair for leaf in tree.leaves()) for pair in pairs]
    return Pairs(tuple(map(top_constituents, chosen)), tuple(tree.depth for tree in chosen), tuple(lengths))


def first_sentence(tree: Tree) -> Tree:
    """Of a text of several, which stand below one root."""
    return tree.children[0] if tree.label == ROOT and tree.children else tree


def top_constituents(tree: Tree) -> str:
    return " ".join(bare_label(child.label) for child in tree.children if child.label != EMPTY)


def check_represented(scorer: Scorer, name: str) -> Represents:
    if not isinstance(scorer, Represents):
        raise InputError(f"{name} has no vectors of pairs that could be probed: transformers that were trained have")
    return scorer


def find_vectors(scorer: Scorer, questions: Sequence[Question], name: str, progress: Progress = silent) -> Floats:
    """What a model reads its scores off. (pairs, width)"""
    model = check_represented(scorer, name)
    rows = (row for batch in batched(progress(questions), BATCH) for row in model.representations(batch))
    return np.concatenate(list(rows))


@dataclass(frozen=True)
class Target:
    """A task on training and test pairs, as numbers: classes, or standardised lengths."""

    name: str
    train: NDArray[Any]  # (pairs,)
    test: NDArray[Any]  # (pairs,)

    @property
    def classes(self) -> bool:
        return self.train.dtype.kind == "i"

    def assess(self, found: NDArray[Any]) -> float:
        return macro_f1(self.test, found) if self.classes else float(np.mean((found - self.test) ** 2))

    def guess(self, name: str, seed: int) -> float:
        """What it gets who has not seen the vectors."""
        if name == RANDOM:
            return self.assess(np.random.default_rng(seed).choice(self.train, len(self.test)))
        best = np.bincount(self.train).argmax() if self.classes else self.train.mean()
        return self.assess(np.full(len(self.test), best))

    def probe(self, train: Floats, test: Floats, fitting: Fitting) -> float:
        """What the network gets on vectors of the same pairs."""
        if not self.classes:
            network = fit_network(train, self.train[:, None].astype(np.float32), fitting, classes=False)
            return self.assess(network(test)[:, 0])
        known = np.unique(self.train)
        hot = (self.train[:, None] == known).astype(np.float32)
        return self.assess(known[fit_network(train, hot, fitting, classes=True)(test).argmax(axis=1)])


def make_targets(train: Pairs, test: Pairs) -> tuple[Target, ...]:
    if not len(train) or not len(test):
        raise InputError(f"{len(train)} pairs to train a probe on and {len(test)} to test it: it needs some of both")
    frequent = [name for name, _ in Counter(train.sequences).most_common(SEQUENCES)]
    numbers = {name: number for number, name in enumerate(frequent)}
    sequences = ([numbers.get(name, len(frequent)) for name in one.sequences] for one in (train, test))
    lengths = [np.array(one.lengths, dtype=np.float64) for one in (train, test)]
    mean, spread = lengths[0].mean(), lengths[0].std() or 1.0
    return (
        Target(TOP, *(np.array(one, dtype=np.int64) for one in sequences)),
        Target(DEPTH, *(np.array(one.depths, dtype=np.int64) for one in (train, test))),
        Target(LENGTH, *((one - mean) / spread for one in lengths)),
    )


def macro_f1(gold: Classes, found: Classes) -> float:
    """The mean over classes of 2 right / (gold + found), over classes that one of them has."""
    f1 = [
        2 * np.sum((gold == one) & (found == one)) / (np.sum(gold == one) + np.sum(found == one))
        for one in np.union1d(gold, found)
    ]
    return float(np.mean(f1))


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """The correlation of ranks, ties sharing theirs; None where there is none."""
    ranks = [_ranks(np.asarray(values)) for values in (one, other)]
    if len(one) < 3 or not all(np.ptp(row) for row in ranks):
        return None
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    below = (values[:, None] > values).sum(axis=1)
    same = (values[:, None] == values).sum(axis=1)
    found: NDArray[np.float64] = below + (same + 1) / 2
    return found


@dataclass(frozen=True)
class Probed:
    """One corpus: what each kind of vectors, and each guess, gets in each task; and how well its model ranks."""

    data: str
    train: str
    test: str
    pairs: tuple[int, int]
    models: Mapping[str, str]  # "tree" -> where it came from
    values: Mapping[str, Mapping[str, float]]  # task -> "tree", "sequential", "majority", "random" -> measure
    metrics: Mapping[str, Mapping[str, float]]  # "tree" -> map, mrr on the test lists

    def gain(self, task: str) -> float:
        """How much better the first kind of vectors is than the second; of an error, how much less."""
        first, second = (self.values[task][name] for name in self.models)
        return second - first if task == LENGTH else first - second

    def ranking_gain(self, metric: str) -> float:
        first, second = (self.metrics[name][metric] for name in self.models)
        return first - second


def correlations(found: Sequence[Probed], metric: str) -> dict[str, float | None]:
    """Over corpora, of the gain in each task with the gain in ranking."""
    gains = [one.ranking_gain(metric) for one in found if len(one.models) == 2]
    return {task: spearman([one.gain(task) for one in found if len(one.models) == 2], gains) for task in TASKS}
