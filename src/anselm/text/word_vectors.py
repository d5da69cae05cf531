"""Word vectors: read from and written to files, and laid out as the table of a vocabulary."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from anselm.errors import FormatError, InputError
from anselm.files import open_by_content, write_bytes_atomically
from anselm.text.vector_rows import Row, Rows, binary_rows, is_binary, text_rows
from anselm.text.vocabulary import PAD, Vocabulary

_BLOCK = 4096  # rows that are parsed at once
_SEPARATOR = re.compile(r"[ \n\r]|^$")


@dataclass(frozen=True, eq=False)
class WordVectors:
    """One vector for each of some words."""

    words: tuple[str, ...]
    table: NDArray[np.float32]  # (words, width)

    def __post_init__(self) -> None:
        if self.table.ndim != 2 or len(self.words) != len(self.table):
            raise InputError(f"a table of shape {self.table.shape} does not fit {len(self.words):,} words")


def read_vectors(path: Path) -> WordVectors:
    """Read GloVe text, word2vec text or word2vec binary, gzipped or not, whatever the name.

    Where a word is there more than once, the first counts.
    """
    try:
        with open_by_content(path) as opened, BufferedReader(opened, 1 << 20) as file:  # type: ignore[type-var]
            binary = is_binary(file.peek(), path)
            return _collect(binary_rows(file, path) if binary else text_rows(file, path))
    except (EOFError, OSError, zlib.error) as error:
        raise FormatError(path, f"cannot be unpacked or read: {error}") from None


def _collect(rows: Rows) -> WordVectors:
    words: dict[str, None] = {}
    tables = [np.empty((0, rows.width), dtype=np.float32)]
    block: list[Row] = []
    for row in rows.stream:
        if row.word in words:
            continue
        words[row.word] = None
        block.append(row)
        if len(block) == _BLOCK:
            tables.append(rows.parse(block))
            block = []
    if block:
        tables.append(rows.parse(block))
    return WordVectors(tuple(words), np.concatenate(tables))


def write_vectors(vectors: WordVectors, path: Path) -> None:
    """Write word2vec text or, where the name ends in .bin, binary; gzipped where it ends in .gz. Exact in both."""
    for number, word in enumerate(vectors.words, start=1):
        if _SEPARATOR.search(word):
            raise InputError(f"word {number}, {word!r}, is empty or holds a space, which {path} could not keep apart")
    count, width = vectors.table.shape
    row_format = " %.9g" * width  # nine digits are enough to get any float32 back
    with write_bytes_atomically(path) as file:
        file.write(f"{count} {width}\n".encode())
        for word, row in zip(vectors.words, vectors.table, strict=True):
            if ".bin" in path.suffixes[-2:]:
                file.write(f"{word} ".encode() + row.astype("<f4").tobytes() + b"\n")
            else:
                file.write(f"{word}{row_format % tuple(row.tolist())}\n".encode())


def table_for(
    vocabulary: Vocabulary, vectors: WordVectors, rng: np.random.Generator
) -> tuple[NDArray[np.float32], int]:
    """The vectors in the order of a vocabulary's numbers, and how many of its words have one.

    PAD is zero. UNKNOWN and the words without a vector are drawn from a normal distribution as wide as the vectors', so
    that they are neither louder nor quieter than the others. A draw does not depend on which words have vectors.
    """
    if not vectors.words:
        raise InputError("there are no word vectors to fill the table with")
    width = vectors.table.shape[1]  # table: (numbers, width)
    table = rng.standard_normal((len(vocabulary), width), dtype=np.float32) * vectors.table.std()
    table[PAD] = 0
    number = vocabulary.numbers.get
    places = np.array([number(word, -1) for word in vectors.words])
    known = places >= 0
    table[places[known]] = vectors.table[known]
    return cast("NDArray[np.float32]", table), int(known.sum())
