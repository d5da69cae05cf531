"""The tree of a text for models on pairs: an outline of its constituents and the pieces of its words, as a column.

A word without a piece is left out, and so is a constituent that has no other word. Constituents below the level DEEPEST
are dissolved: their words belong to the one above. That bounds the steps that a sentence takes; a parser's trees are
not so deep.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anselm.annotations.alignment import locate_words, pieces_of_words
from anselm.annotations.penn_labels import EMPTY, label_number
from anselm.annotations.syntax import parse_texts
from anselm.annotations.trees import Tree
from anselm.encoding.lists import Indices, Lists
from anselm.encoding.tokenizer import PairTokenizer
from anselm.layers.tree_attention import LEVELS
from anselm.layers.tree_schedule import CHILD, Outline

TREES = "trees"  # column of texts
DEEPEST = LEVELS - 1


@dataclass(frozen=True)
class TextTree:
    outline: Outline
    pieces: Indices  # (words, 2) the first piece of each word, and the one behind its last


def add_trees(lists: Lists, tokenizer: PairTokenizer, parser: str) -> Lists:
    column = np.empty(len(lists.texts.starts), dtype=np.object_)
    which = np.union1d(lists.questions, lists.candidates)
    texts = [lists.texts.strings[text] for text in which]
    found = zip(parse_texts(texts, parser), texts, tokenizer.offsets(texts), strict=True)
    for text, one in zip(which, found, strict=True):
        column[text] = read_tree(*one)
    return lists.add(texts={TREES: column})


def read_tree(tree: Tree, text: str, offsets: NDArray[np.int64]) -> TextTree:
    words = ["" if leaf.label == EMPTY else leaf.word for leaf in tree.leaves()]
    pieces = pieces_of_words(locate_words(words, text), offsets)
    kept = pieces[:, 1] > pieces[:, 0]
    return TextTree(make_outline(tree, kept), pieces[kept])


def make_outline(tree: Tree, kept: NDArray[np.bool_]) -> Outline:
    """Of some of its words. A constituent that has none of them begins behind them all, where nobody looks."""
    spans, members, ends = list[list[int]](), list[list[int]](), list[int]()
    above: list[int] = []  # the spans that are open, from the root down
    stays, word = iter(kept.tolist()), 0
    for one, level in (Tree(tree.label, (tree,)) if tree.word else tree).walk():
        while len(above) > level:
            ends[above.pop()] = word
        if one.word and next(stays):
            members.append([above[-1], label_number(one.label), word, word])
            word += 1
        elif not one.word and level <= DEEPEST:
            members.append([above[-1] if above else CHILD, label_number(one.label), CHILD, word])
            above.append(len(spans))
            spans.append([label_number(one.label), level, word])
            ends.append(word)
    for span in above:
        ends[span] = word
    return _without_empty(np.array(spans), np.array(members[1:], dtype=np.int64).reshape(-1, 4), np.array(ends), word)


def _without_empty(spans: Indices, members: Indices, ends: Indices, words: int) -> Outline:
    spans[1:, 2] = np.where(ends == spans[:, 2], words, spans[:, 2])[1:]
    members[members[:, 2] == CHILD, 3] = spans[1:, 2]
    return Outline(spans, members)
