"""Bracket scores, counted by hand."""

from __future__ import annotations

import pytest

from anselm.annotations.evalb import score_brackets
from anselm.annotations.trees import Tree, read_brackets
from anselm.errors import InputError

GOLD = "(TOP (S (NP (DT the) (NN cave)) (, ,) (VP (VBZ is) (ADJP (JJ cold))) (. .)))"


def scores(gold: str, parsed: str) -> tuple[float, float, float]:
    found = score_brackets([read_brackets(gold)], [read_brackets(parsed)])
    return found.precision, found.recall, found.f1


def test_the_same_tree_is_right_with_or_without_a_root() -> None:
    assert scores(GOLD, GOLD) == (1, 1, 1)
    assert scores(GOLD, GOLD[5:-1]) == (1, 1, 1)


def test_brackets_are_counted() -> None:
    # gold: S NP VP ADJP; parsed: S NP VP NP (wrong) PP (wrong); 3 of 5 and 3 of 4
    parsed = "(S (NP (DT the) (NN cave)) (, ,) (VP (VBZ is) (PP (NP (JJ cold)))) (. .))"
    precision, recall, f1 = scores(GOLD, parsed)
    assert (precision, recall) == (3 / 5, 3 / 4)
    assert f1 == pytest.approx(2 * 3 / 9)


def test_where_punctuation_hangs_does_not_matter() -> None:
    assert scores(GOLD, "(S (NP (DT the) (NN cave) (, ,)) (VP (VBZ is) (ADJP (JJ cold) (. .))))") == (1, 1, 1)
    assert scores("(S (NP (NN x)) (X (. .)))", "(S (NP (NN x)) (. .))") == (1, 1, 1)


def test_a_particle_is_an_adverb() -> None:
    assert scores("(VP (VB give) (PRT (RP up)))", "(VP (VB give) (ADVP (RP up)))") == (1, 1, 1)


def test_a_label_that_repeats_counts_as_often() -> None:
    assert scores("(NP (NP (NN x)) (PP (IN y)))", "(NP (NP (NP (NN x))) (PP (IN y)))")[:2] == (3 / 4, 1)


def test_tags_and_whole_sentences_are_counted_over_the_corpus() -> None:
    gold = [read_brackets("(NP (DT a) (NN b))"), read_brackets("(VP (VB c) (NP (NN d)))")]
    parsed = [read_brackets("(NP (DT a) (NN b))"), read_brackets("(VP (NN c) (NN d))")]
    found = score_brackets(gold, parsed)
    assert (found.exact, found.tags, found.sentences) == (1 / 2, 3 / 4, 2)
    assert (found.precision, found.recall) == (1, 2 / 3)


def test_other_words_are_refused() -> None:
    with pytest.raises(InputError, match="other words"):
        score_brackets([Tree("NN", (), "a")], [Tree("NN", (), "b")])
