"""The tree of a text for models on pairs: an outline of its constituents and the pieces of its words, as a column.

A word without a piece is left out, and so is a constituent that has no other word. Constituents below the level DEEPEST
are dissolved: their words belong to the one above. That bounds the steps that a sentence takes; a parser's trees are
not so deep.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anselm.annotations.alignment import locate_words, pieces_of_words
from anselm.annotations.penn_labels import EMPTY, label_number
from anselm.annotations.syntax import find_parser, parse_texts
from anselm.annotations.trees import Tree
from anselm.encoding.lists import Indices, Lists
from anselm.encoding.tokenizer import PairTokenizer
from anselm.layers.tree_attention import LEVELS
from anselm.layers.tree_schedule import CHILD, Outline

TREES = "trees"  # column of texts
DEEPEST = LEVELS - 1
MOST = 60_000  # texts whose trees are remembered: about 300 MB, where they have fifty words


@dataclass(frozen=True)
class TextTree:
    outline: Outline
    pieces: Indices  # (words, 2) the first piece of each word, and the one behind its last


Key = tuple[str, str, str, str]  # name and version of the parser, the tokenizer, the text


@dataclass(frozen=True)
class ReadTrees:
    """Trees as they were read before: a dev set is read after every stretch of training, and brackets are slow."""

    kept: OrderedDict[Key, TextTree] = field(default_factory=OrderedDict)

    def read(self, texts: Sequence[str], tokenizer: PairTokenizer, parser: str) -> list[TextTree]:
        source = find_parser(parser)
        about = (source.name, source.version, tokenizer.digest)
        found = {text: self.kept[key] for text in texts if (key := (*about, text)) in self.kept}
        absent = [text for text in dict.fromkeys(texts) if text not in found]
        made = zip(parse_texts(absent, parser), absent, tokenizer.offsets(absent), strict=True)
        found |= {one[1]: read_tree(*one) for one in made}
        self.keep({(*about, text): tree for text, tree in found.items()})
        return [found[text] for text in texts]

    def keep(self, found: dict[Key, TextTree]) -> None:
        """The last ones that were asked for."""
        for key, tree in found.items():
            self.kept[key] = tree
            self.kept.move_to_end(key)
        while len(self.kept) > MOST:
            self.kept.popitem(last=False)


READ = ReadTrees()


def add_trees(lists: Lists, tokenizer: PairTokenizer, parser: str) -> Lists:
    column = np.empty(len(lists.texts.starts), dtype=np.object_)
    which = np.union1d(lists.questions, lists.candidates)
    trees = READ.read([lists.texts.strings[text] for text in which], tokenizer, parser)
    for text, tree in zip(which, trees, strict=True):
        column[text] = tree
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
