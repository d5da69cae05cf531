"""Trees of constituents, and the Penn brackets that they are written in:

    (S (NP (DT the) (NN cave)) (VP (VBZ is) (ADJP (JJ cold))) (. .))

Words are as they stand in the text: `-LRB-` and its like are brackets, and `\\/` is a slash, in brackets alone. What is
written is read as the same tree, whatever its words are. Nothing here recurses, so that no tree is too deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from anselm.errors import FormatError, InputError

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
CODES = {bracket: code for code, bracket in BRACKETS.items()}
WRITTEN = re.compile(r"\\(.)|(-[LR][RCS]B-)", re.DOTALL)
TO_WRITE = re.compile(r"[()\[\]{}]|[\\/]|-(?=[LR][RCS]B)")  # the hyphen of what would be read as a bracket
MARKS = re.compile(r"[()]|[^ \t\r\n\f\v()]+")
UNFIT = re.compile(r"[ \t\r\n\f\v()]")


class Span(NamedTuple):
    """A constituent, by the numbers of its words."""

    label: str
    start: int
    end: int  # behind its last word
    level: int  # how far it is from the root, which has 0


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Tree:
    """A constituent with its children, or a part of speech with its word. Without either it is a text without words."""

    label: str
    children: tuple[Tree, ...] = ()
    word: str = ""

    def leaves(self) -> list[Tree]:
        """Its words with their parts of speech, from left to right."""
        return [tree for tree, _ in self.walk() if tree.word]

    def words(self) -> list[str]:
        return [leaf.word for leaf in self.leaves()]

    def walk(self) -> Iterator[tuple[Tree, int]]:
        """Every tree of it with its level, parents before their children and from left to right."""
        waiting = [(self, 0)]
        while waiting:
            tree, level = waiting.pop()
            yield tree, level
            waiting.extend((child, level + 1) for child in reversed(tree.children))

    def spans(self) -> list[Span]:
        """Its constituents, in the order of `walk`; those of a unary chain have the same words. Words are none."""
        seen = 0
        found: list[tuple[str, int, int]] = []  # label, first word, level
        open_: list[int] = []  # those whose end has not come
        ends: dict[int, int] = {}
        for tree, level in self.walk():
            while open_ and found[open_[-1]][2] >= level:
                ends[open_.pop()] = seen
            if tree.word:
                seen += 1
            else:
                open_.append(len(found))
                found.append((tree.label, seen, level))
        return [Span(label, start, ends.get(i, seen), level) for i, (label, start, level) in enumerate(found)]

    @property
    def depth(self) -> int:
        """How many steps it is from the root to the deepest word."""
        return max(level for _, level in self.walk())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self is other or _outline(self) == _outline(other)

    def __hash__(self) -> int:
        return hash(tuple(_outline(self)))

    def __repr__(self) -> str:
        return f"<Tree {write_brackets(self)}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (_outline(self),)


def _outline(tree: Tree) -> list[tuple[str, str, int]]:
    return [(one.label, one.word, len(one.children)) for one, _ in tree.walk()]


def _restore(outline: list[tuple[str, str, int]]) -> Tree:
    """From the last tree to the root: the children of each are the last ones made."""
    made: list[Tree] = []
    for label, word, count in reversed(outline):
        children = tuple(reversed(made[len(made) - count :]))
        del made[len(made) - count :]
        made.append(Tree(label, children, word))
    return made[0]


def read_brackets(text: str) -> Tree:
    """One tree."""
    trees = list(read_trees(text))
    if len(trees) != 1:
        raise InputError(f"{len(trees)} trees where one is expected: {_shorten(text)}")
    return trees[0]


def read_tree_file(path: Path) -> list[Tree]:
    """All trees of a file, which errors name."""
    try:
        return list(read_trees(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise FormatError(path, f"cannot be read as a file of trees ({error})") from None
    except InputError as error:
        raise FormatError(path, str(error)) from None


def read_trees(text: str) -> Iterator[Tree]:
    """One tree after the other, on as many lines as they like."""
    open_: list[tuple[list[str], list[Tree]]] = []  # of each open bracket its label and word, and its children
    for mark in MARKS.finditer(text):
        token = mark.group()
        if token == "(":
            open_.append(([], []))
        elif not open_:
            raise InputError(f"{token!r:.40} outside of every tree: {_around(text, mark.start())}")
        elif token != ")":
            _add_token(open_[-1], token, text, mark.start())
        else:
            tree = _make(*open_.pop(), text, mark.start())
            if not open_:
                yield tree
            else:
                open_[-1][1].append(tree)
    if open_:
        raise InputError(f"{len(open_)} brackets that are not closed: {_shorten(text)}")


def _add_token(place: tuple[list[str], list[Tree]], token: str, text: str, at: int) -> None:
    tokens, children = place
    if children or len(tokens) == 2:
        raise InputError(f"{token!r:.40} where a bracket is expected: {_around(text, at)}")
    tokens.append(token)


def _make(tokens: list[str], children: list[Tree], text: str, at: int) -> Tree:
    if children and len(tokens) == 2:
        raise InputError(f"a word and children in one bracket: {_around(text, at)}")
    label, word = (*tokens, "", "")[:2]
    return Tree(label, tuple(children), WRITTEN.sub(_read_code, word))


def _read_code(found: re.Match[str]) -> str:
    return str(found[1]) if found[1] else BRACKETS.get(found[2], found[2])


def _around(text: str, at: int) -> str:
    return repr(text[max(0, at - 30) : at + 30])


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")


def write_brackets(tree: Tree) -> str:
    """On one line."""
    parts: list[str] = []
    before = -1
    for one, level in tree.walk():
        parts.append(")" * (before - level + 1) + (" " if parts else ""))
        parts.append(f"({_checked(one.label or ' ' * bool(one.word), 'a label')}")
        if one.word:
            parts.append(f" {_checked(TO_WRITE.sub(_write_code, one.word), 'a word')}")
        before = level
    return "".join(parts) + ")" * (before + 1)


def _write_code(found: re.Match[str]) -> str:
    return CODES.get(found[0]) or "\\" + found[0]


def _checked(name: str, what: str) -> str:
    if UNFIT.search(name):
        raise InputError(f"{name!r:.80} cannot be written in brackets: {what} has no spaces and no brackets")
    return name
