"""The treebank sample: cleaning by hand, and the counts of the real one."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from anselm.annotations.spans import build_tree, labelled_spans
from anselm.annotations.treebank import COUNTS, PLACE, read_sample, read_treebank, split_of, without_traces
from anselm.annotations.trees import read_brackets
from anselm.errors import CountError, MissingDataError, UnknownNameError


@pytest.mark.parametrize(
    ("annotated", "plain"),
    [
        ("( (S (NP-SBJ-1 (PRP it)) (VP (VBZ is))) )", "(S (NP (PRP it)) (VP (VBZ is)))"),
        ("( (S (NP-SBJ (-NONE- *)) (VP (VB go))) )", "(S (VP (VB go)))"),
        ("(NP (NP (NN x)) (SBAR (-NONE- 0)))", "(NP (NN x))"),
        ("(ADVP|PRT (RB up))", "(ADVP (RB up))"),
        ("(PRN (-LRB- -LRB-) (NP=2 (NN x)))", "(PRN (-LRB- -LRB-) (NP (NN x)))"),
    ],
)
def test_what_parsers_learn(annotated: str, plain: str) -> None:
    assert without_traces(read_brackets(annotated)) == read_brackets(plain)


def test_nothing_but_traces_is_no_tree() -> None:
    assert without_traces(read_brackets("(S (NP (-NONE- *)))")) is None


def test_an_article_is_in_one_part() -> None:
    assert [split_of(number) for number in (1, 3, 6, 13, 16, 26)] == ["train", "test", "dev", "test", "train", "dev"]


def test_what_is_not_there_or_not_whole_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"nltk.*non-commercial"):
        read_treebank("test", tmp_path)
    with pytest.raises(UnknownNameError, match="dev, test, train"):
        read_treebank("tests", tmp_path)
    path = tmp_path / PLACE
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("treebank/combined/wsj_0003.mrg", "( (NP (NN x)) )\n")
    with pytest.raises(CountError, match="1 trees, not 324"):
        read_treebank("test", tmp_path)


def test_the_sample_has_its_counts_and_its_spans_give_its_trees(real_data: Path) -> None:
    numbers = [number for number, _ in read_sample(real_data / PLACE)]
    assert len(numbers) == sum(COUNTS.values()) == 3_914
    for split in COUNTS:
        for tree in read_treebank(split, real_data):
            tags = [leaf.label for leaf in tree.leaves()]
            assert build_tree(tree.words(), tags, labelled_spans(tree), "") == tree
