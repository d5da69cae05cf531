"""The words by which questions are respelled: python -m tools.english_words SCOWL ENTRIES.jsonl OUT.txt.gz

SCOWL is the folder of word lists that Debian's `scowl` installs, ENTRIES what tools/default_model/collect_entries.py
wrote; the packages wordfreq and better-profanity are needed. First come words that a misspelt one may be read as, the
most frequent first: those of SCOWL's small lists that are whole pieces of the default's vocabulary, which begins with
the frequent ones; names other than of days and months, and words that nobody wants to read, are left out. Behind an
empty line stand words that are merely known, and left alone: SCOWL's larger lists, names among them, the other whole
pieces, what manuals say often, and wordfreq's words of the web, brands and drugs among them, but for those that are so
much rarer than a word beside them that they are its misspellings.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from calendar import day_name, month_name
from collections import Counter
from collections.abc import Iterable, Mapping
from math import log10
from pathlib import Path

from anselm.checkpoints.catalogue import DEFAULT, SHIPPED
from anselm.checkpoints.checkpoint import TOKENIZER
from anselm.text.spelling import LONGEST, SHORTEST, Words, likeliest, slip

LISTS = re.compile(r"(?:english|american|british|british_z|canadian|special)-(\w[\w-]*)\.(\d+)")
WORDS = "words"  # SCOWL's name of lists without names
DAYS = frozenset(name.lower() for name in (*day_name, *month_name) if name)
SMALL, LARGE = 35, 70  # of SCOWL's sizes
OFTEN = 8  # times in the entries
RAREST = 1.4  # of the web's words: 25 in a thousand million
NEVER = ("slave", "slaves")  # besides what is vulgar: nobody meant it who wrote a name
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


def frequent_words(entries: Path) -> set[str]:
    counts: Counter[str] = Counter()
    for line in entries.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for text in (record["question"], *(one["text"] for one in record["candidates"])):
            counts.update(WORD.findall(text.lower()))
    return fitting(word for word, count in counts.items() if count >= OFTEN)


def web_words() -> dict[str, float]:
    """With the logarithm of how often each occurs in a thousand million words."""
    from wordfreq import get_frequency_dict

    shares = get_frequency_dict("en", wordlist="large")
    found = {word: log10(share) + 9 for word, share in shares.items()}
    return {word: found[word] for word in fitting(found) if found[word] >= RAREST}


def is_misspelling(word: str, web: Mapping[str, float], common: Words, said_often: bool = False) -> bool:
    """So much rarer than the common word that it would be read as: the more, the less the slip is one of spelling.

    A letter too few, and more so one too many, is often another word, a short one above all, or one of manuals.
    """
    read = likeliest(word, (), common)
    if read is None or read.rstrip("s") == word.rstrip("s"):
        return False
    kind, rarer = slip(word, read), web.get(read, 0.0) - web.get(word, 0.0)
    if kind == 0:
        return rarer >= 1.5
    if kind == 1 and len(word) == len(read):
        return rarer >= 1.8 and len(word) > SHORTEST + 1
    return kind == 1 and not said_often and len(word) > SHORTEST and rarer >= (2.5 if len(word) < len(read) else 3.5)


def unwanted() -> set[str]:
    import better_profanity

    listed = Path(better_profanity.__file__).with_name("profanity_wordlist.txt").read_text(encoding="utf-8")
    return {*listed.split(), *NEVER}


def fitting(words: Iterable[str]) -> set[str]:
    """Shorter ones are never asked about, nor what one edit makes of a word that is long enough; longer neither."""
    return {word for word in words if SHORTEST - 1 <= len(word) <= LONGEST + 1 and WORD.fullmatch(word)}


def main() -> None:
    scowl, entries, out = map(Path, sys.argv[1:])
    small, pieces = (read_scowl(scowl, SMALL, WORDS) | DAYS) - unwanted(), read_pieces()
    common = [piece for piece in pieces if piece in small]
    places = {word: place for place, word in enumerate(common, start=1)}
    spelt, web = read_scowl(scowl, LARGE) | fitting(pieces), web_words()
    beside = Words(places, frozenset())
    often = frequent_words(entries)
    heard = {word for word in often | set(web) if not is_misspelling(word, web, beside, word in often)}
    lines = [*common, "", *sorted((spelt | heard) - set(common))]
    out.write_bytes(gzip.compress("\n".join(lines).encode("ascii"), 9, mtime=0))


if __name__ == "__main__":
    main()
