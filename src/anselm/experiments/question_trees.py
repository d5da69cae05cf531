"""Questions for a parser to learn, since newspapers ask few: patterns, filled with phrases of the training trees.

`{NP}` stands for a phrase of that category, `{VP:VB}` for one that begins with that tag, and `a|b` for either word.
Half of them are written as people type them: without capitals, without a mark at the end, or both.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from random import Random

from anselm.annotations.trees import Tree, read_brackets, write_brackets

PATTERNS = (
    "(SBARQ (WHNP (WP what|who)) (SQ (VBZ is) {NP}))",
    "(SBARQ (WHNP (WP what|who)) (SQ (VBD was) {NP}))",
    "(SBARQ (WHNP (WP what|who)) (SQ (VBP are) {NP}))",
    "(SBARQ (WHNP (WP what|who)) (SQ (VBZ 's) {NP}))",
    "(SBARQ (WHNP (WP who|what)) (SQ {VP:VBD}))",
    "(SBARQ (WHNP (WP who|what)) (SQ {VP:VBZ}))",
    "(SBARQ (WHNP (WP what)) (SQ (VBZ does) {NP} (VP (VB mean|do|say|eat|cause|produce))))",
    "(SBARQ (WHNP (WP what|who)) (SQ (VBD did) {NP} (VP (VB invent|say|write|discover|do|call) {PP})))",
    "(SBARQ (WHNP (WP what)) (SQ (VBZ is) {NP} (VP (VBN called|known|made|used) {PP})))",
    "(SBARQ (WHADVP (WRB when|where|why|how)) (SQ (VBD did) {NP} {VP:VB}))",
    "(SBARQ (WHADVP (WRB when|where|why|how)) (SQ (VBZ does) {NP} {VP:VB}))",
    "(SBARQ (WHADVP (WRB when|where|why|how)) (SQ (VBP do) {NP} {VP:VB}))",
    "(SBARQ (WHADVP (WRB when|where|why|how)) (SQ (MD can|will|should|would) {NP} {VP:VB}))",
    "(SBARQ (WHADVP (WRB when|where|how)) (SQ (VBD was) {NP} {VP:VBN}))",
    "(SBARQ (WHADVP (WRB when|where|how)) (SQ (VBP are) {NP} {VP:VBN}))",
    "(SBARQ (WHADVP (WRB when|where|how)) (SQ (VBZ is) {NP} {VP:VBN}))",
    "(SBARQ (WHADVP (WRB when|where)) (SQ (VBZ is) {NP}))",
    "(SBARQ (WHADVP (WRB when|where)) (SQ (VBD was) {NP}))",
    "(SBARQ (WHADVP (WRB why)) (SQ (VBZ is) {NP} {ADJP}))",
    "(SBARQ (WHNP (WHADJP (WRB how) (JJ many)) {NNS}) (SQ (VBP do) {NP} (VP (VB have|own|need))))",
    "(SBARQ (WHNP (WHADJP (WRB how) (JJ many)) {NNS}) (SQ (VBP are) (NP (EX there)) {PP}))",
    "(SBARQ (WHNP (WHADJP (WRB how) (JJ many)) {NNS}) (SQ {VP:VBD}))",
    "(SBARQ (WHNP (WHADJP (WRB how) (JJ much)) {NN}) (SQ (VBZ does) {NP} (VP (VB have|need|use))))",
    "(SBARQ (WHNP (WRB how) (JJ much)) (SQ (VBZ does) {NP} (VP (VB cost|weigh|make))))",
    "(SBARQ (WHADJP (WRB how) (JJ old|big|tall|long|large|far|high|deep)) (SQ (VBZ is) {NP}))",
    "(SBARQ (WHADVP (WRB how) (RB long|often|far|fast)) (SQ (VBZ does) {NP} {VP:VB}))",
    "(SBARQ (WHNP (WDT what|which) {NN}) (SQ (VBZ is) {NP} (PP (IN in|on|from))))",
    "(SBARQ (WHNP (WDT what|which) {NN}) (SQ {VP:VBD}))",
    "(SBARQ (WHNP (WDT what|which) {NN}) (SQ {VP:VBZ}))",
    "(SBARQ (WHNP (WDT what|which) {NNS}) (SQ {VP:VBP}))",
    "(SBARQ (WHNP (WDT what) (NN year|day|month)) (SQ (VBD did) {NP} {VP:VB}))",
    "(SBARQ (WHNP (WDT what) (NN year|day|month)) (SQ (VBD was) {NP} {VP:VBN}))",
    "(SBARQ (WHNP (WHNP (WDT what) (NN kind|type|part)) (PP (IN of) (NP {NN}))) (SQ (VBZ is) {NP}))",
    "(SBARQ (WHPP (IN in|on|at) (WHNP (WDT what|which) {NN})) (SQ (VBD did) {NP} {VP:VB}))",
    "(SBARQ (WHPP (IN for|with|by) (WHNP (WP whom|what))) (SQ (VBD was) {NP} {VP:VBN}))",
    "(SBARQ (WHNP (WP$ whose) {NN}) (SQ {VP:VBD}))",
    "(SQ (VBZ is) {NP} {NP})",
    "(SQ (VBZ is) {NP} {ADJP})",
    "(SQ (VBD was) {NP} {VP:VBN})",
    "(SQ (VBD did) {NP} {VP:VB})",
    "(SQ (VBZ does) {NP} {VP:VB})",
    "(SQ (MD can|could|should|will) {NP} {VP:VB})",
    "(SBAR (WHADVP (WRB how)) (S (VP (TO to) {VP:VB})))",
    "(SBAR (WHADVP (WRB how)) (S {NP} {VP:VBD}))",
    "(SBAR (WHNP (WP what)) (S {NP} {VP:VBZ}))",
)
LONGEST = 8  # words of a phrase
_SLOT = re.compile(r"\{([^}]+)\}")
_EITHER = re.compile(r"[^ ()]+(?:\|[^ ()]+)+")


def make_questions(trees: Sequence[Tree], count: int, seed: int) -> list[Tree]:
    """Of phrases of these trees alone."""
    random, phrases = Random(seed), collect_phrases(trees)
    usable = [one for one in PATTERNS if all(name in phrases for name in _SLOT.findall(one))]
    return [_make(random.choice(usable), phrases, random) for _ in range(count)] if usable else []


def collect_phrases(trees: Sequence[Tree]) -> dict[str, list[str]]:
    """In brackets, by category and by the tag they begin with; and words by their tag."""
    found: dict[str, list[str]] = defaultdict(list)
    for tree in trees:
        for phrase in _phrases(tree):
            text, leaves = write_brackets(phrase), phrase.leaves()
            found[phrase.label].append(text)
            found[f"{phrase.label}:{leaves[0].label}"].append(text)
    return found


def _phrases(tree: Tree) -> Iterator[Tree]:
    return (one for one, level in tree.walk() if level and one.label.isalpha() and len(one.words()) <= LONGEST)


def _make(pattern: str, phrases: dict[str, list[str]], random: Random) -> Tree:
    chosen = _EITHER.sub(lambda found: random.choice(found[0].split("|")), pattern)
    filled = _SLOT.sub(lambda found: random.choice(phrases[found[1]]), chosen)
    if random.random() < 0.5:
        filled = f"{filled[:-1]} (. ?))"
    tree = read_brackets(filled)
    return _rewritten(tree, str.lower) if random.random() < 0.5 else _opened(tree)


def plain_question(tree: Tree, random: Random) -> Tree:
    """Half of those that are well written as people type them: without capitals, without a mark at the end, or both."""
    if tree.children and tree.children[-1].word == "?" and len(tree.children) > 1 and random.random() < 0.5:
        tree = Tree(tree.label, tree.children[:-1])
    return _rewritten(tree, str.lower) if random.random() < 0.5 else tree


def _opened(tree: Tree) -> Tree:
    """With a capital at the beginning."""
    first = iter((True,))
    return _rewritten(tree, lambda word: word[:1].upper() + word[1:] if next(first, False) else word)


def _rewritten(tree: Tree, change: Callable[[str], str]) -> Tree:
    if tree.word:
        return Tree(tree.label, (), change(tree.word))
    return Tree(tree.label, tuple(_rewritten(child, change) for child in tree.children))
