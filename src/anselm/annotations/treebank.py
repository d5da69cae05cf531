"""The Penn Treebank sample that NLTK distributes: 3,914 trees of newspaper text, for non-commercial use.

The split is by the last digits of a file's number, so that no article is in two parts, and is never changed.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from anselm.annotations.trees import Tree, read_brackets
from anselm.data.datasets import find_data_dir
from anselm.errors import CountError, FormatError, MissingDataError, UnknownNameError

PLACE = "nltk_data/corpora/treebank.zip"
TERMS = "the Penn Treebank sample, for non-commercial use"
COUNTS = {"train": 3_466, "dev": 124, "test": 324}
SPLITS = tuple(COUNTS)
TRACE = "-NONE-"
_FILE = re.compile(r"combined/wsj_(\d+)\.mrg$")
_NEXT = re.compile(r"^\(", re.MULTILINE)  # a tree begins with a bracket at the beginning of a line
_LABEL = re.compile(r"^[^-=|]+")  # before function tags and indices: NP-SBJ-1, WHNP=2, ADVP|PRT


def read_treebank(split: str, folder: Path | None = None) -> list[Tree]:
    """The trees of a split as parsers learn them: no traces, function tags or empty root."""
    if split not in SPLITS:
        raise UnknownNameError("split of the treebank sample", split, SPLITS)
    path = find_data_dir(folder) / PLACE
    found = [tree for number, tree in read_sample(path) if split_of(number) == split]
    if len(found) != COUNTS[split]:
        raise CountError(f"{path}: {split} has {len(found):,} trees, not {COUNTS[split]:,}")
    return [plain for tree in found if (plain := without_traces(tree)) is not None]


def split_of(number: int) -> str:
    if number % 10 == 3:
        return "test"
    return "dev" if number % 20 == 6 else "train"


def read_sample(path: Path) -> Iterator[tuple[int, Tree]]:
    """(number of the file, tree as it was annotated)"""
    if not path.is_file():
        raise MissingDataError(
            f"the treebank sample is not at {path}: python -m nltk.downloader -d FOLDER/nltk_data treebank gets it "
            f"({TERMS}), and ANSELM_DATA or --data-dir names FOLDER"
        )
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if _FILE.search(name))
            for name in names:
                yield from _trees(int(_FILE.search(name)[1]), archive.read(name).decode("ascii"))  # type: ignore[index]
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, UnicodeDecodeError) as error:
        raise FormatError(path, f"cannot be unpacked: {error}") from None


def _trees(number: int, text: str) -> Iterator[tuple[int, Tree]]:
    starts = [found.start() for found in _NEXT.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield number, read_brackets(text[start:end])


def without_traces(tree: Tree) -> Tree | None:
    """The tree over the words that were written; None where there are none. A root without a label goes, too."""
    if tree.word:
        return None if tree.label == TRACE else tree
    children = tuple(plain for child in tree.children if (plain := without_traces(child)) is not None)
    if not children:
        return None
    if len(children) == 1 and (not tree.label or tree.label == children[0].label == plain_label(tree.label)):
        return children[0]  # X over X is what a trace has left
    return Tree(plain_label(tree.label), children)


def plain_label(label: str) -> str:
    """Without function tags and indices."""
    found = _LABEL.match(label)
    return found[0] if found else label
