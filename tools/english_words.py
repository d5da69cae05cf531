"""The words by which questions are respelled: python -m tools.english_words SCOWL ENTRIES.jsonl OUT.txt.gz

SCOWL is the folder of word lists that Debian's `scowl` installs, ENTRIES what tools/default_model/collect_entries.py
wrote. First come words that a misspelt one may be read as, the most frequent first: those of SCOWL's small lists, names
other than of days and months left out, that are whole pieces of the default's vocabulary, which begins with the
frequent ones. Behind an empty line stand words that are merely known, and left alone: SCOWL's larger lists, names among
them, the other whole pieces, and what manuals say often.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from calendar import day_name, month_name
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from anselm.checkpoints.catalogue import DEFAULT, SHIPPED
from anselm.checkpoints.checkpoint import TOKENIZER
from anselm.text.spelling import SHORTEST, Words, likeliest, slip

LISTS = re.compile(r"(?:english|american|british|british_z|canadian|special)-(\w[\w-]*)\.(\d+)")
WORDS = "words"  # SCOWL's name of lists without names
DAYS = frozenset(name.lower() for name in (*day_name, *month_name) if name)
SMALL, LARGE = 35, 70  # of SCOWL's sizes
OFTEN = 8  # times in the entries
WORD = re.compile(r"[a-z]+")


def read_scowl(folder: Path, most: int, kind: str = "") -> set[str]:
    files = ((path, LISTS.fullmatch(path.name)) for path in sorted(folder.iterdir()))
    fit = (path for path, match in files if match and kind in ("", match[1]) and int(match[2]) <= most)
    texts = (path.read_text(encoding="latin-1") for path in fit)
    return fitting(word for text in texts for word in text.lower().split())


def read_pieces() -> list[str]:
    """Whole words among the pieces, in their order, which is about that of how frequent they are."""
    numbers = json.loads((SHIPPED / DEFAULT / TOKENIZER).read_text(encoding="utf-8"))["model"]["vocab"]
    return [piece for piece in sorted(numbers, key=numbers.__getitem__) if WORD.fullmatch(piece)]


def frequent_words(entries: Path, common: Words) -> set[str]:
    """But for what is often misspelt there, too."""
    counts: Counter[str] = Counter()
    for line in entries.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for text in (record["question"], *(one["text"] for one in record["candidates"])):
            counts.update(WORD.findall(text.lower()))
    often = fitting(word for word, count in counts.items() if count >= OFTEN)
    return {word for word in often if word in common.known or not is_slip(word, common)}


def is_slip(word: str, words: Words) -> bool:
    read = likeliest(word, (), words)
    return read is not None and slip(word, read) < 2 and read.rstrip("s") != word.rstrip("s")


def fitting(words: Iterable[str]) -> set[str]:
    """Shorter ones are never asked about, nor what one edit makes of a word that is long enough."""
    return {word for word in words if len(word) >= SHORTEST - 1 and WORD.fullmatch(word)}


def main() -> None:
    scowl, entries, out = map(Path, sys.argv[1:])
    small, pieces = read_scowl(scowl, SMALL, WORDS) | DAYS, read_pieces()
    common = [piece for piece in pieces if piece in small]
    known = read_scowl(scowl, LARGE) | fitting(pieces)
    places = {word: place for place, word in enumerate(common, start=1)}
    known |= frequent_words(entries, Words(places, known))
    lines = [*common, "", *sorted(known - set(common))]
    out.write_bytes(gzip.compress("\n".join(lines).encode("ascii"), 9, mtime=0))


if __name__ == "__main__":
    main()
