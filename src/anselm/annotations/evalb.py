"""Labelled bracket scores of parses, by the rules of evalb's COLLINS.prm.

- a bracket is a label with the words it spans; tags are none, and each counts as often as it occurs
- TOP, ROOT and S1 are no brackets, nor is an empty label
- the words with the tags , : `` '' . are taken out first, by the gold tree's tags, and brackets left empty with them
- ADVP and PRT are the same label
- a parse of other words than the gold tree's is an error of the caller's
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from anselm.annotations.trees import Tree
from anselm.errors import InputError

ROOTS = frozenset(("", "TOP", "ROOT", "S1"))
PUNCTUATION = frozenset((",", ":", "``", "''", "."))
SAME = {"PRT": "ADVP"}
Bracket = tuple[str, int, int]


@dataclass(frozen=True)
class BracketScores:
    """Over all brackets of all sentences; the accuracy of tags over all words."""

    precision: float
    recall: float
    f1: float
    exact: float  # share of sentences with no wrong or missing bracket
    tags: float
    sentences: int


def score_brackets(gold: Sequence[Tree], parsed: Sequence[Tree]) -> BracketScores:
    matched = found = wanted = exact = right = words = 0
    for one, other in zip(gold, parsed, strict=True):
        if one.words() != other.words():
            raise InputError(f"a parse of {' '.join(one.words())!r} has other words: {' '.join(other.words())!r}")
        leaves = list(zip(one.leaves(), other.leaves(), strict=True))
        kept = [leaf.label not in PUNCTUATION for leaf, _ in leaves]
        truth, guess = brackets(one, kept), brackets(other, kept)
        common = (truth & guess).total()
        matched, found, wanted = matched + common, found + guess.total(), wanted + truth.total()
        exact += common == guess.total() == truth.total()
        right += sum(leaf.label == own.label for leaf, own in leaves)
        words += len(leaves)
    return BracketScores(
        _share(matched, found), _share(matched, wanted), _share(2 * matched, found + wanted),
        _share(exact, len(gold)), _share(right, words), len(gold),
    )  # fmt: skip


def brackets(tree: Tree, kept: Sequence[bool]) -> Counter[Bracket]:
    """Those of a tree over the words that are kept, numbered without the others."""
    places = [0, *accumulate(kept)]
    return Counter(
        (SAME.get(span.label, span.label), places[span.start], places[span.end])
        for span in tree.spans()
        if span.label not in ROOTS and places[span.start] < places[span.end]
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
