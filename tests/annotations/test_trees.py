"""Trees and their brackets: what is written is what was read, however deep, long or strange."""

from __future__ import annotations

import os
import pickle
import re
import zipfile
from pathlib import Path

import pytest

from anselm.annotations.trees import Span, Tree, read_brackets, read_trees, write_brackets
from anselm.errors import InputError

CAVE = "(S (NP (DT the) (NN cave)) (VP (VBZ is) (ADJP (JJ cold))) (. .))"
STRANGE = (
    "(", ")", "-LRB-", "-LRB(", "f(x)", ":-)", "\\(", "\\", "\\\\-RRB-", "1/2", "\\/", "[", "}", "-LSB-", "-L(RB-",
    "a-RCBx", "😀", "naïve", "\u00a0", "\u3000", "--", "-", "*T*-1", '"', "``",
)  # fmt: skip


def one_line(brackets: str) -> str:
    """With the spaces of write_brackets: the sample has others, even between two brackets none or a line break."""
    apart = " ".join(re.sub(r"([()])", r" \1 ", brackets).split())
    return apart.replace(" )", ")").replace("( ", "(").replace("((", "( (")


def test_a_tree_has_its_words_spans_and_levels() -> None:
    tree = read_brackets(CAVE)
    assert tree.words() == ["the", "cave", "is", "cold", "."]
    assert [leaf.label for leaf in tree.leaves()] == ["DT", "NN", "VBZ", "JJ", "."]
    assert tree.spans() == [Span("S", 0, 5, 0), Span("NP", 0, 2, 1), Span("VP", 2, 4, 1), Span("ADJP", 3, 4, 2)]
    assert tree.depth == 3
    assert tree == Tree(
        "S",
        (
            Tree("NP", (Tree("DT", word="the"), Tree("NN", word="cave"))),
            Tree("VP", (Tree("VBZ", word="is"), Tree("ADJP", (Tree("JJ", word="cold"),)))),
            Tree(".", word="."),
        ),
    )


def test_unary_chains_are_kept() -> None:
    tree = read_brackets("(TOP (S (VP (VB Go))))")
    assert [(span.label, span.start, span.end) for span in tree.spans()] == [("TOP", 0, 1), ("S", 0, 1), ("VP", 0, 1)]


@pytest.mark.parametrize(
    "brackets",
    [CAVE, "( (S (NP (-NONE- *)) (VP (VB Go))))", "(NN dog)", "(TOP)", "()", "(, ,)", "(-LRB- -LRB-)", "(CD 1\\/2)"],
)
def test_brackets_are_written_as_they_were_read(brackets: str) -> None:
    assert write_brackets(read_brackets(brackets)) == brackets


def test_words_are_as_in_the_text() -> None:
    tree = read_brackets("(NP (-LRB- -LRB-) (CD 1\\/2) (: :-RRB-) (-RRB- -RCB-))")
    assert tree.words() == ["(", "1/2", ":)", "}"]


@pytest.mark.parametrize("word", STRANGE)
def test_a_word_may_be_anything_without_spaces(word: str) -> None:
    tree = Tree("NP", (Tree("X", word=word), Tree("NN", word="end")))
    assert read_brackets(write_brackets(tree)) == tree


def test_a_tree_may_be_deep_and_long() -> None:
    deep = Tree("X", word="w")
    for _ in range(5_000):
        deep = Tree("S", (deep, Tree("NN", word="v")))
    flat = Tree("S", tuple(Tree("NN", word=f"w{i}") for i in range(20_000)))
    for tree in (deep, flat):
        again = read_brackets(write_brackets(tree))
        assert again == tree
        assert hash(again) == hash(tree)
        assert pickle.loads(pickle.dumps(tree)) == tree
    assert deep.depth == 5_000
    assert deep.spans()[-1] == Span("S", 0, 2, 4_999)


def test_trees_that_differ_are_not_equal() -> None:
    assert read_brackets("(S (A (B b)) (C c))") != read_brackets("(S (A (B b) (C c)))")
    assert read_brackets("(S (A a))") != read_brackets("(S (A b))")


@pytest.mark.parametrize(
    ("brackets", "says"),
    [
        ("(S (NN a)", "1 brackets that are not closed"),
        ("(S (NN a)) b", "'b' outside of every tree"),
        ("(S (NN a b))", "'b' where a bracket is expected"),
        ("(S (NN a) b)", "'b' where a bracket is expected"),
        ("(S a (NN b))", "a word and children"),
        ("", "0 trees where one is expected"),
        ("(A a) (B b)", "2 trees where one is expected"),
    ],
)
def test_what_is_no_tree_is_said(brackets: str, says: str) -> None:
    with pytest.raises(InputError, match=re.escape(says)):
        read_brackets(brackets)


@pytest.mark.parametrize("tree", [Tree("NN", word="a b"), Tree("N(N", word="a"), Tree("", word="a")])
def test_what_brackets_cannot_say_is_not_written(tree: Tree) -> None:
    with pytest.raises(InputError, match="cannot be written in brackets"):
        write_brackets(tree)


@pytest.mark.skipif("ANSELM_DATA" not in os.environ, reason="needs the treebank sample")
def test_every_tree_of_the_sample_is_written_as_it_was_read() -> None:
    archive = Path(os.environ["ANSELM_DATA"]) / "nltk_data/corpora/treebank.zip"
    if not archive.exists():
        pytest.skip("no treebank sample there")
    count = 0
    with zipfile.ZipFile(archive) as files:
        for name in sorted(files.namelist()):
            if name.endswith(".mrg"):
                source = files.read(name).decode()
                trees = list(read_trees(source))
                assert " ".join(map(write_brackets, trees)) == one_line(source)
                assert [read_brackets(write_brackets(tree)) for tree in trees] == trees
                count += len(trees)
    assert count == 3_914
