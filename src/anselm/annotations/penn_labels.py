"""The labels of the Penn Treebank that models tell apart: parts of speech and categories, without functions."""

from __future__ import annotations

TAGS = """
    CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ
    WDT WP WP$ WRB # $ '' `` , . : -LRB- -RRB- HYPH NFP AFX ADD
"""
CATEGORIES = """
    TOP S SBAR SBARQ SINV SQ ADJP ADVP CONJP FRAG INTJ LST NAC NP NX PP PRN PRT QP RRC UCP VP WHADJP WHADVP WHNP WHPP X
"""
ROOTS = ("", "TOP", "ROOT", "VROOT")  # what treebanks and parsers write above a sentence
EMPTY = "-NONE-"  # of what is no word: a trace

OTHER, END = 0, 1  # a label that is not listed; the end of a span, where that has a label of its own
NUMBERS = {label: number for number, label in enumerate((TAGS + CATEGORIES).split(), start=2)}
COUNT = len(NUMBERS) + 2


def label_number(label: str) -> int:
    label = bare_label(label)
    return NUMBERS.get("TOP" if label in ROOTS else label, OTHER)


def bare_label(label: str) -> str:
    """NP-SBJ-1 and NP=2 are NP, ADVP|PRT is ADVP; those that are listed, like -LRB-, are whole."""
    if label not in NUMBERS:
        for sign in "-=|":
            label = label[:1] + label[1:].partition(sign)[0]
    return label


NAMES = {number: label for label, number in NUMBERS.items()} | {OTHER: "?", END: ""}
