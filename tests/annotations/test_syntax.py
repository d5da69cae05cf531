"""The trees of texts: without syntax, and of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.annotations.penn_labels import COUNT, NUMBERS, OTHER, label_number
from anselm.annotations.syntax import check_parser, find_parser, join_sentences, parse_texts
from anselm.annotations.trees import read_brackets, write_brackets
from anselm.errors import InputError

CAVE = "(ROOT (S (NP (DT the) (NN cave)) (VP (VBZ is) (ADJP (JJ cold))) (. .)))"
GO = "( (S (`` ``) (NP-SBJ (-NONE- *)) (VP (VB Go)) ('' '')))"


@pytest.mark.parametrize(
    ("parser", "text", "brackets"),
    [
        ("right-branching", "The cave is cold.", "(X (X The) (X (X cave) (X (X is) (X (X cold) (X .)))))"),
        ("right-branching", "Go!", "(X (X Go) (X !))"),
        ("right-branching", "Go", "(X (X Go))"),
        ("right-branching", "", "(TOP)"),
        ("right-branching", "日本", "(X (X 日) (X 本))"),
        ("flat", "The cave (is) cold.", "(X (X The) (X cave) (X -LRB-) (X is) (X -RRB-) (X cold) (X .))"),
        ("flat", "It is cold. Go home.", "(TOP (X (X It) (X is) (X cold) (X .)) (X (X Go) (X home) (X .)))"),
    ],
)
def test_trees_without_syntax(parser: str, text: str, brackets: str) -> None:
    assert write_brackets(parse_texts([text], parser)[0]) == brackets


def test_a_sentence_may_have_thousands_of_words() -> None:
    words = [f"w{i}" for i in range(3_000)]
    for parser in ("right-branching", "flat"):
        assert parse_texts([" ".join(words)], parser)[0].words() == words


def test_what_stands_above_a_sentence_goes() -> None:
    tree = join_sentences([read_brackets(CAVE)])
    assert tree.label == "S"
    assert [child.label for child in join_sentences(map(read_brackets, (CAVE, GO))).children] == ["S", "S"]


def test_a_file_has_the_trees_of_the_texts_with_their_words(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text(f"{CAVE}\n\n{GO.replace('(VP', '(VP' + chr(10))}")
    parser = f"file:{path}"
    cave, go, both, none = parse_texts(["the cave  is cold.", '"Go"', 'the cave is cold . "Go"', ""], parser)
    assert cave.words() == ["the", "cave", "is", "cold", "."]
    assert go == read_brackets(GO).children[0]
    assert both.children == (cave, go)
    assert write_brackets(none) == "(TOP)"
    with pytest.raises(InputError, match=r"trees.mrg has no tree for 'the cave is cold. Stop', from 'Stop' on"):
        parse_texts(["the cave is cold. Stop"], parser)


def test_a_file_that_has_no_trees_is_named(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg"
    with pytest.raises(InputError, match=r"trees\.mrg: cannot be read"):
        find_parser(f"file:{path}")
    path.write_text("(S (NN a)")
    with pytest.raises(InputError, match=r"trees\.mrg: 1 brackets that are not closed"):
        find_parser(f"file:{path}")


@pytest.mark.parametrize("name", ["rules", "file", "file:", "flat:x", "right_branching", ""])
def test_an_unknown_parser_is_named(name: str) -> None:
    with pytest.raises(InputError, match=r"unknown parser .*; there is .*file:PATH, flat, .*right-branching"):
        check_parser(name)


def test_labels_are_told_apart_without_their_functions() -> None:
    assert label_number("NP-SBJ-1") == label_number("NP=2") == label_number("NP") != label_number("VP")
    assert label_number("ADVP|PRT") == label_number("ADVP")
    assert label_number("-LRB-") != label_number("-RRB-") != OTHER
    assert label_number("PRP$") != label_number("PRP")
    assert label_number("ROOT") == label_number("") == label_number("TOP")
    assert label_number("NOUN") == OTHER
    assert sorted(NUMBERS.values()) == list(range(2, COUNT))
