"""Probes: what is asked of trees, measures against scikit-learn and scipy, guesses, and models from end to end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anselm.annotations.trees import Tree, read_brackets
from anselm.data.question import Candidate, Question
from anselm.errors import InputError, MissingDataError
from anselm.evaluation import probe_runs
from anselm.evaluation.probe_network import Fitting
from anselm.evaluation.probe_runs import Plan, Wanted, load_lists, take
from anselm.evaluation.probes import (
    DEPTH,
    LENGTH,
    RANDOM,
    TOP,
    Pairs,
    Probed,
    correlations,
    describe_trees,
    find_vectors,
    macro_f1,
    make_targets,
    spearman,
)

ASKED = read_brackets("(SBARQ (WHNP-1 (WP Who)) (SQ (VBD made) (NP (PRP it))) (. ?))")
SAID = read_brackets("(TOP (S (NP-SBJ (NNS Bees)) (-NONE- *) (VP (VBD did))) (S (NP (PRP They)) (VP (VBP fly))))")


def test_what_is_asked_of_a_pair() -> None:
    """A trace is no word, functions are cut off, and of two sentences the first counts; lengths are of all words."""
    found = describe_trees([(ASKED, SAID)])
    assert found == Pairs(("NP VP",), (2,), (8,))
    assert describe_trees([(ASKED, SAID)], "question") == Pairs(("WHNP SQ .",), (3,), (8,))
    assert describe_trees([(Tree("TOP"), read_brackets("(NN bee)"))]) == Pairs(("",), (0,), (1,))
    with pytest.raises(InputError, match="not of 'both'"):
        describe_trees([(ASKED, SAID)], "both")


def test_the_nineteen_most_frequent_sequences_are_classes_and_all_others_one() -> None:
    names = [str(i) for i in range(25) for _ in range(30 - i)]
    train = Pairs(tuple(names), (1,) * len(names), tuple(range(len(names))))
    test = Pairs(("0", "18", "19", "24", "new"), (1, 2, 3, 1, 1), (0, 1, 2, 3, 4))
    top, depth, length = make_targets(train, test)
    assert (top.name, depth.name, length.name) == (TOP, DEPTH, LENGTH)
    assert top.test.tolist() == [0, 18, 19, 19, 19]
    assert depth.test.tolist() == [1, 2, 3, 1, 1]
    assert length.train.mean() == pytest.approx(0)
    assert length.train.std() == pytest.approx(1)
    assert length.test[1] - length.test[0] == pytest.approx(1 / np.std(np.arange(len(names))))


def test_guesses_by_hand() -> None:
    train = Pairs(("a", "a", "a", "b"), (1, 1, 1, 1), (2, 4, 6, 8))
    test = Pairs(("a", "b"), (1, 1), (5, 5))
    top, depth, length = make_targets(train, test)
    assert top.guess("majority", 1) == pytest.approx((2 / 3 + 0) / 2)  # all a: F1 of a is 2/3, of b 0
    assert depth.guess("majority", 1) == 1
    assert length.guess("majority", 1) == pytest.approx(0)  # 5 is the mean
    drawn = np.random.default_rng(7).choice(length.train, 2)
    assert length.guess(RANDOM, 7) == pytest.approx(np.mean(drawn**2))


def test_macro_f1_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    chance = np.random.default_rng(1)
    for _ in range(20):
        gold, found = chance.integers(0, 9, 30), chance.integers(3, 12, 30)
        assert macro_f1(gold, found) == pytest.approx(metrics.f1_score(gold, found, average="macro", zero_division=0))


def test_rank_correlation_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    chance = np.random.default_rng(1)
    for count in (3, 4, 6, 20):
        one, other = chance.integers(0, 6, count) + np.eye(count)[0] * 0.5, chance.normal(size=count)
        assert spearman(one.tolist(), other.tolist()) == pytest.approx(stats.spearmanr(one, other).statistic)
    assert spearman([1, 2], [1, 2]) is None
    assert spearman([1, 1, 1], [1, 2, 3]) is None


def probed(tree: float, sequential: float, better: float) -> Probed:
    values = {name: {"tree": tree, "sequential": sequential} for name in (TOP, DEPTH, LENGTH)}
    metrics = {"tree": {"map": 0.5 + better}, "sequential": {"map": 0.5}}
    return Probed("d", "train", "test", (1, 1), {"tree": "a", "sequential": "b"}, values, metrics)


def test_gains_are_correlated_and_a_smaller_error_is_one() -> None:
    found = [probed(0.1, 0.1, 0.0), probed(0.3, 0.1, 0.2), probed(0.2, 0.1, 0.1)]
    assert correlations(found, "map") == pytest.approx({TOP: 1.0, DEPTH: 1.0, LENGTH: -1.0})


def test_a_network_finds_what_is_in_the_vectors_and_nothing_in_noise() -> None:
    chance = np.random.default_rng(3)
    depths = chance.integers(1, 6, 700)
    pairs = [
        Pairs(("a",) * len(part), tuple(part.tolist()), tuple(part.tolist())) for part in (depths[:500], depths[500:])
    ]
    _, depth, length = make_targets(*pairs)
    told = np.eye(8)[depths].astype(np.float32) + chance.normal(0, 0.1, (700, 8)).astype(np.float32)
    noise = chance.normal(size=(700, 8)).astype(np.float32)
    fitting = Fitting(epochs=150)  # eight numbers are few, and steps small
    assert depth.probe(told[:500], told[500:], fitting) > 0.95
    assert depth.probe(noise[:500], noise[500:], fitting) < 0.35
    assert length.probe(told[:500], told[500:], fitting) < 0.1
    assert length.probe(noise[:500], noise[500:], fitting) > 0.8


def question(number: int, candidates: int) -> Question:
    return Question(str(number), f"why {number}", tuple(Candidate(str(i), "so", 0.0) for i in range(candidates)))


def test_whole_lists_are_taken() -> None:
    questions = [question(i, 3) for i in range(10)]
    taken = take(questions, 7, 1)
    assert sum(len(one.candidates) for one in taken) == 9
    assert taken == take(questions, 7, 1) != take(questions, 7, 2)
    assert len(take(questions, 10**6, 1)) == 10


def test_a_probe_learns_from_the_first_split_that_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """SemEval 2015 has a training split, whose file not everybody has."""

    def load(data: str, split: str | None = None, data_dir: Any = None) -> str:
        if split == "train":
            raise MissingDataError("CQA-QL-train.xml does not exist")
        return f"{data} {split}"

    monkeypatch.setattr(probe_runs, "load_dataset", load)
    assert probe_runs.load_training_split("semeval-2015", None) == "semeval-2015 trial"
    monkeypatch.setattr(probe_runs, "SPLITS", ("train",))
    with pytest.raises(MissingDataError, match="CQA-QL-train"):
        probe_runs.load_training_split("semeval-2015", None)
    monkeypatch.setattr(probe_runs, "SPLITS", ("nothing",))
    with pytest.raises(InputError, match="no lists to train a probe on"):
        probe_runs.load_training_split("semeval-2015", None)


@pytest.mark.parametrize("text", ["wikiqa", "=runs/a", "wikiqa=", "wikiqa=a,b,c", "wikiqa=,"])
def test_what_does_not_say_what_to_probe(text: str) -> None:
    with pytest.raises(InputError, match="does not say what to probe"):
        Wanted.parse(text)
    assert Wanted.parse("wikiqa=runs/a, runs/b") == Wanted("wikiqa", ("runs/a", "runs/b"))


def test_what_cannot_be_probed(tmp_path: Any) -> None:
    class Lines:
        name = "lines"

    with pytest.raises(InputError, match="bm25 has no vectors of pairs"):
        find_vectors(Lines(), (), "bm25")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="pairs is 0"):
        Plan("flat", pairs=0)
    with pytest.raises(InputError, match="not of 'pair'"):
        Plan("flat", of="pair")
    few = tmp_path / "few.jsonl"
    few.write_text('{"id": "a", "question": "why", "candidates": [{"id": "1", "text": "so", "label": 1}]}\n')
    with pytest.raises(InputError, match="too few lists"):
        load_lists(str(few), None)
    with pytest.raises(InputError, match="0 pairs to train a probe on"):
        make_targets(Pairs((), (), ()), Pairs(("a",), (1,), (1,)))
