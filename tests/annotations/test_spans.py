"""Trees as labelled spans, and the chart against every tree there is."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from anselm.annotations.chart import best_spans
from anselm.annotations.spans import build_tree, labelled_spans
from anselm.annotations.trees import read_brackets

TREE = "(S (NP (NP (DT the) (NN cave)) (PP (IN of) (NP (NNP Zeus)))) (VP (VBZ is) (ADJP (JJ cold))) (. .))"


def test_a_unary_chain_is_one_label() -> None:
    tree = read_brackets("(S (VP (VP (VB go))) (NP (NN home)))")
    assert labelled_spans(tree) == {(0, 2): "S", (0, 1): "VP+VP", (1, 2): "NP"}


@pytest.mark.parametrize(
    "text", [TREE, "(S (VP (VB go)))", "(NP (NN home))", "(FRAG (NP (S (VP (VB go)))) (. !))", "(X (A a) (B b) (C c))"]
)
def test_spans_give_the_same_tree_back(text: str) -> None:
    tree = read_brackets(text)
    tags = [leaf.label for leaf in tree.leaves()]
    assert build_tree(tree.words(), tags, labelled_spans(tree)) == tree


def test_a_whole_without_a_label_gets_one() -> None:
    assert build_tree(["a", "b"], ["X", "Y"], {}) == read_brackets("(S (X a) (Y b))")
    assert build_tree(["a", "b"], ["X", "Y"], {(0, 1): "NP"}) == read_brackets("(S (NP (X a)) (Y b))")
    assert build_tree(["a"], ["X"], {}) == read_brackets("(S (X a))")


@cache
def binary_trees(start: int, end: int) -> list[frozenset[tuple[int, int]]]:
    """All of them, as their spans."""
    if end - start == 1:
        return [frozenset({(start, end)})]
    return [
        left | right | {(start, end)}
        for split in range(start + 1, end)
        for left in binary_trees(start, split)
        for right in binary_trees(split, end)
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("seed", range(5))
def test_no_tree_is_better_than_the_charts(count: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(count + 1, count + 1))
    found = best_spans(scores)
    best = max(sum(scores[span] for span in tree) for tree in binary_trees(0, count))
    assert frozenset(found) in binary_trees(0, count)
    assert sum(scores[span] for span in found) == pytest.approx(best)


def test_no_words_no_spans() -> None:
    assert best_spans(np.zeros((1, 1))) == []
