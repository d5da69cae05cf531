"""Names by rule: runs of words with a capital, of English and of what else is written so.

    Henry Cavill, Jean-Luc Picard, O'Brien, AT&T, iPhone, UNHCR     as they stand
    University of California, Alexander the Great, Otto von Bismarck   small words inside a name belong to it
    J. K. Rowling, U.S., St. Louis                                  dots of initials and abbreviations go
    Obama's Cabinet                                                 a possessive ends a name: obama, cabinet
    The Beatles, In France, Mr. Smith                               function words and titles at the edge go

A capital at the beginning of a sentence says nothing of a word that is ordinary otherwise. Such a word alone is no
name; before another name both readings are kept (Wealthy Rome: wealthy rome, rome), since a wrong one is seldom shared
by another sentence. Where every word has a capital, ordinary ones are no names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from anselm.annotations.word_classes import FUNCTION, is_ordinary, listed

CONNECTORS = listed("of the de du des del della da di do dos von van der den la le les el al bin ibn y")
TITLES = listed("mr mrs ms mx dr prof sir dame")
EDGE = FUNCTION | TITLES | CONNECTORS  # words at which no name begins or ends
FEW = 4  # words; a shorter text with capitals throughout is a name

_TOKEN = re.compile(r"(\W*)(\w+(?:[.&'’‐-]\w+)*)")
_ENDS = re.compile(r"[.!?…]")
_SHORTENED = re.compile(r"[A-Z]|(?:\w\.)+\w|[A-Z][a-z]{1,2}|Prof|Capt|Sgt|Messrs")  # what may stand before ". Name"
_POSSESSIVE = re.compile(r"['’][sS]$")


def proper_names(text: str) -> Iterator[str]:
    """Names as `fold_name` spells them; some more than once."""
    tokens = _TOKEN.findall(text)
    titled = len(tokens) >= FEW and all(word != word.lower() or not word[0].isalpha() for _, word in tokens)
    for run, opens in _runs(tokens, titled):
        yield from _readings(run, opens)


def fold_name(name: str) -> str:
    """One spelling: case folded, spaces joined, without dots, a leading article and a possessive."""
    folded = unicodedata.normalize("NFKC", name).casefold().replace("’", "'").replace(".", "")
    words = _POSSESSIVE.sub("", " ".join(folded.split())).strip(" ,;:\"'()[]").split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("the", "a", "an") else words)


def _runs(tokens: Sequence[tuple[str, str]], titled: bool) -> Iterator[tuple[list[str], bool]]:
    """Words that stand together as a name, and whether the first of them begins a sentence."""
    run: list[str] = []
    links: list[str] = []  # small words that belong to the run if another name follows
    opens, before = True, ""
    for number, (gap, word) in enumerate(tokens):
        shortened = _SHORTENED.fullmatch(before) is not None
        if gap not in (" ", " & ") and not (gap == ". " and shortened):
            yield run, opens
            run, links = [], []
        if word != word.lower() and not (titled and is_ordinary(word.casefold())):
            if not run:
                opens = number == 0 or (not shortened and _ENDS.search(gap) is not None)
            run, links = [*run, *links, _POSSESSIVE.sub("", word)], []
            if run[-1] != word:
                yield run, opens
                run = []
        elif run and word in CONNECTORS and len(links) < 2:
            links.append(word)
        else:
            yield run, opens
            run, links = [], []
        before = word
    yield run, opens


def _readings(run: list[str], opens: bool) -> Iterator[str]:
    """What a run may be the name of."""
    words = _trimmed([word.casefold() for word in run])
    opens = opens and len(words) == len(run)
    if opens and words and is_ordinary(words[0]):
        if rest := _trimmed(words[1:]):
            yield from (fold_name(" ".join(words)), fold_name(" ".join(rest)))
    elif words and words != [words[0][:1]]:  # a letter alone is no name
        yield fold_name(" ".join(words))


def _trimmed(words: list[str]) -> list[str]:
    """Without function words and titles at the edges."""
    kept = [place for place, word in enumerate(words) if word.replace("’", "'") not in EDGE]
    return words[kept[0] : kept[-1] + 1] if kept else []
