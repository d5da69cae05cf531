"""A question about something else: other names, numbers and dates of the same kinds, and opposites of words.

Jia and Liang (2017), the first step of AddSent, by rule: all names and quantities that are found, and all words that
have a known opposite. Where there are none, the longest noun becomes another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from anselm.annotations.entities import find_entities
from anselm.annotations.quantities import find_quantities
from anselm.annotations.tags import entity_types, tag_words
from anselm.annotations.word_classes import is_ordinary
from anselm.evaluation.replacements import MAKERS, NAMES, OPPOSITES, draw_replacement

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_YEAR = re.compile(r"1\d{3}|20\d\d")
NATIONAL = ("ish", "ese", "ian", "ican", "ench", "erman", "reek", "utch")  # British, Chinese, Italian, American, French
ASKING = ("what", "which", "whose", "many", "much")
_DIGIT = re.compile(r"\d")
LEAST = 4  # letters of a name that is looked for in a question without capitals


@dataclass(frozen=True)
class Swap:
    """What takes the place of a stretch of the question."""

    start: int
    end: int
    text: str


def alter(question: str, around: Sequence[str], draw: Random) -> str | None:
    """The question about something else; `around` are the texts of its list, whose names it may have in lower case.

    None where nothing in it can be swapped.
    """
    avoided = " ".join((question, *around)).casefold()
    swaps = [*_names(question, around, avoided, draw), *_quantities(question, avoided, draw), *_opposites(question)]
    chosen = _apart(swaps) or _noun(question, avoided, draw)
    return _apply(question, chosen) if chosen else None


def _names(question: str, around: Sequence[str], avoided: str, draw: Random) -> Iterator[Swap]:
    """Whole names, longer ones first, and then what is left of their words, as of Rashard Quovon Lewis."""
    own, *others = find_entities([question, *around])
    known = {name for names in others for name in names if len(name) >= LEAST} | own
    names = sorted((name for name in known if not _DIGIT.search(name)), key=lambda name: (-len(name), name))
    words = {word for name in names for word in name.split() if len(word) >= LEAST and not is_ordinary(word)}
    for pattern in [*map(_spelled, names), _run_of(words)] if names else []:
        other = ""
        for match in re.finditer(rf"\b{pattern}\b", question, re.IGNORECASE):
            other = other or draw_replacement(_kind(match[0]), draw, avoided)
            avoided += f" {other.casefold()}"
            yield Swap(match.start(), match.end(), other)


def _spelled(name: str) -> str:
    """Names are folded: us may be written U.S."""
    return r"[\s.]+".join(r"\.?".join(map(re.escape, word)) for word in name.split())


def _run_of(words: Iterable[str]) -> str:
    word = "|".join(map(re.escape, sorted(words))) or r"(?!)"
    return rf"(?:{word})(?: (?:{word}))*"


def _kind(name: str) -> str:
    words = name.split()
    if len(words) == 1 and name.casefold().endswith(NATIONAL):
        return "nationality"
    kind = entity_types([word.title() for word in words])[0]
    return kind if kind in NAMES or kind in MAKERS else "name"


def _quantities(question: str, avoided: str, draw: Random) -> Iterator[Swap]:
    for found in find_quantities(question):
        kind = "year" if found.kind == "number" and _YEAR.fullmatch(found.name) else found.kind
        yield Swap(found.start, found.end, draw_replacement(kind, draw, avoided))


def _opposites(question: str) -> Iterator[Swap]:
    before = ""
    for match in _WORD.finditer(question):
        if before != "how" and (other := OPPOSITES.get(match[0])) is not None:  # how old is not how new
            yield Swap(match.start(), match.end(), other)
        before = match[0].casefold()


def _noun(question: str, avoided: str, draw: Random) -> list[Swap]:
    words = list(_WORD.finditer(question))
    tags = tag_words([word[0] for word in words])
    before = ["", *(word[0].casefold() for word in words)]
    nouns = [
        word
        for word, tag, previous in zip(words, tags, before, strict=False)
        if tag in ("NOUN", "PROPN") and previous not in ASKING  # what is asked for stays
    ]
    if not nouns:
        return []
    longest = max(nouns, key=lambda word: len(word[0]))  # which says most
    return [Swap(*longest.span(), draw_replacement("noun", draw, avoided))]


def _apart(swaps: Sequence[Swap]) -> list[Swap]:
    """In the order of the text; of two that overlap, the one that is given first."""
    chosen: list[Swap] = []
    for swap in swaps:
        if all(swap.end <= one.start or swap.start >= one.end for one in chosen):
            chosen.append(swap)
    return sorted(chosen, key=lambda swap: swap.start)


def _apply(text: str, swaps: Sequence[Swap]) -> str:
    parts, end = [], 0
    for swap in swaps:
        parts += [text[end : swap.start], swap.text]
        end = swap.end
    return "".join([*parts, text[end:]])
