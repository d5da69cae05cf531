"""Files of which a count is known but which are no split of a corpus: references, raw rows, trees, word vectors.

A corpus names its own; those of no corpus are here. Where one is missing, that is no mistake.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from anselm.errors import FormatError
from anselm.files import read_lines

Numbers = Mapping[str, int]  # how many of what


def spell_numbers(numbers: Numbers) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in numbers.items()) or "no published count"


@dataclass(frozen=True)
class Resource:
    """`files` lie in the corpus's folder, or in the data folder; `count` takes their paths, in that order."""

    name: str
    files: tuple[str, ...]
    count: Callable[..., Numbers]
    expected: Numbers


def count_trees(path: Path) -> Numbers:
    """A tree of the Penn Treebank begins with a bracket at the beginning of a line."""
    try:
        with zipfile.ZipFile(path) as archive:
            texts = [archive.read(name) for name in archive.namelist() if name.endswith(".mrg")]
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise FormatError(path, f"cannot be unpacked: {error}") from None
    return {"trees": sum(len(re.findall(rb"^\(", text, re.MULTILINE)) for text in texts)}


def count_vectors(path: Path, size: int = 100) -> Numbers:
    count = 0
    for count, line in read_lines(path):
        if line.count(" ") != size:
            raise FormatError(path, f"a word and {size} numbers are needed, not {line.count(' ') + 1} fields", count)
    return {"words": count}


WITHOUT_CORPUS = {
    "treebank": Resource("sample", ("nltk_data/corpora/treebank.zip",), count_trees, {"trees": 3_914}),
    "vectors": Resource("glove 6B 100d", ("vectors/glove.6B.100d.subset.txt.gz",), count_vectors, {"words": 107_928}),
}
