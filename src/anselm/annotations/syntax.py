"""The trees of texts. Parsers, by what names them:

    own                 our span parser, once `anselm train parser` has made it; own:FOLDER, if it is elsewhere
    benepar, stanza, stanford   where the user has them; a model, language or folder behind a colon
    file:PATH           trees in Penn brackets, found by their words
    right-branching     no parser: (X the (X cave (X is cold))), a tree without syntax; what a real one is compared with
    flat                nor is this: every sentence is one constituent

The last two need nothing and read every language. A text of several sentences has them under one root.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from anselm.annotations.annotation_cache import SHARED
from anselm.annotations.annotator import Annotation
from anselm.annotations.installed_parsers import Benepar, Stanford, Stanza
from anselm.annotations.penn_labels import EMPTY, ROOTS
from anselm.annotations.span_parser import load_span_parser
from anselm.annotations.trees import Tree, read_brackets, read_tree_file, write_brackets
from anselm.checkpoints.checksums import hash_file
from anselm.errors import MissingTreeError, UnknownNameError
from anselm.text.sentences import sentence_spans
from anselm.text.tokens import UNSPACED

ROOT = "TOP"
WORD = re.compile(rf"[^\W{UNSPACED}](?:[^\s{UNSPACED}]*[^\W{UNSPACED}])?|\S")
QUOTES = re.compile("``|''|[“”]")


class Parser(Protocol):
    """A tree depends on its text alone. Name and version are what it is kept under."""

    name: str
    version: str
    costly: bool  # whether a tree is kept on disk, too

    def parse(self, texts: Sequence[str]) -> list[tuple[Tree, ...]]:
        """One tree for each sentence of each text."""
        ...


class _Annotator:
    """A parser as the cache wants it: trees in brackets."""

    def __init__(self, parser: Parser) -> None:
        self.parser, self.name, self.version, self.costly = parser, parser.name, parser.version, parser.costly

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        return [tuple(map(write_brackets, trees)) for trees in self.parser.parse(texts)]


def parse_texts(texts: Sequence[str], parser: str) -> list[Tree]:
    """One tree for each text, made before or now."""
    found = SHARED.annotate(_Annotator(find_parser(parser)), texts)
    return [join_sentences(map(read_brackets, sentences)) for sentences in found]


def join_sentences(trees: Iterable[Tree]) -> Tree:
    """Under one root, where there are several; what merely stands above a sentence goes."""
    sentences = tuple(_sentence(tree) for tree in trees)
    return sentences[0] if len(sentences) == 1 else Tree(ROOT, sentences)


def _sentence(tree: Tree) -> Tree:
    while tree.label in ROOTS and len(tree.children) == 1:
        tree = tree.children[0]
    return tree


class Unparsed:
    """Trees that no grammar made."""

    version = "1"
    costly = False

    def __init__(self, name: str, make: Callable[[Sequence[Tree]], Tree]) -> None:
        self.name, self.make = name, make

    def parse(self, texts: Sequence[str]) -> list[tuple[Tree, ...]]:
        return [tuple(self._read(text[start:end]) for start, end in sentence_spans(text)) for text in texts]

    def _read(self, sentence: str) -> Tree:
        return self.make([Tree("X", word=word) for word in WORD.findall(sentence)])


def _right_branching(leaves: Sequence[Tree]) -> Tree:
    tree = Tree("X", tuple(leaves[-2:]))
    for leaf in reversed(leaves[:-2]):
        tree = Tree("X", (leaf, tree))
    return tree


def _flat(leaves: Sequence[Tree]) -> Tree:
    return Tree("X", tuple(leaves))


class BracketFile:
    """The trees of a file, for texts whose words they have, one after the other, whatever their spaces and quotes."""

    costly = False

    def __init__(self, path: str) -> None:
        self.trees = {_content(tree): tree for tree in read_tree_file(Path(path))}
        self.path, self.name, self.version = path, f"file:{path}", hash_file(Path(path))
        self.lengths = sorted({len(content) for content in self.trees if content}, reverse=True)

    def parse(self, texts: Sequence[str]) -> list[tuple[Tree, ...]]:
        return [self._find(text) for text in texts]

    def _find(self, text: str) -> tuple[Tree, ...]:
        """The longest tree that fits comes first."""
        rest, found = _fold(text), []
        while rest:
            length = next((length for length in self.lengths if rest[:length] in self.trees), None)
            if length is None:
                raise MissingTreeError(f"{self.path} has no tree for {text!r:.200}, from {rest!r:.40} on")
            found.append(self.trees[rest[:length]])
            rest = rest[length:]
        return tuple(found)


def _content(tree: Tree) -> str:
    return _fold("".join(leaf.word for leaf in tree.leaves() if leaf.label != EMPTY))


def _fold(text: str) -> str:
    return QUOTES.sub('"', "".join(text.split()))


PARSERS: Mapping[str, Callable[[str], Parser]] = {
    "own": lambda folder: load_span_parser(Path(folder) if folder else None),
    "benepar": Benepar,
    "stanza": Stanza,
    "stanford": Stanford,
    "file": BracketFile,
    "right-branching": lambda _: Unparsed("right-branching", _right_branching),
    "flat": lambda _: Unparsed("flat", _flat),
}
NAMED = {"own": "[:FOLDER]", "benepar": "[:MODEL]", "stanza": "[:LANGUAGE]", "stanford": "[:FOLDER]", "file": ":PATH"}


def check_parser(name: str) -> None:
    """That there is such a kind; its files are looked for when it is used."""
    kind, colon, which = name.partition(":")
    if kind not in PARSERS or (kind == "file" and not which) or (kind not in NAMED and colon):
        raise UnknownNameError("parser", name, [f"{known}{NAMED.get(known, '')}" for known in PARSERS])


@lru_cache(maxsize=4)
def find_parser(name: str) -> Parser:
    check_parser(name)
    kind, _, which = name.partition(":")
    return PARSERS[kind](which)
