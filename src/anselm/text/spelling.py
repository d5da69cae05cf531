"""Words of a question that nobody spells so, read as its candidates or common English spell them.

A model that was trained on well-spelt text is thrown by a single letter. A word is left alone where it is known, where
a candidate has it, where it is short, a name or a part of something else; otherwise it is read as the likeliest word
that one edit away is said by a candidate or is common: a letter too many, too few, another one, or two in turn.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log
from string import ascii_lowercase

SHORTEST = 5  # letters; one edit makes too many words of a shorter one
LONGEST = 24  # a longer one is no word
RARE = 30_000  # the place, by frequency, of a word that only a candidate has
SAID = 4.0  # what it counts that a candidate says a word
SLIP = 3.0  # what a slip counts beside the logarithm of a word's place
VOWELS = frozenset("aeiouy")
WORDS_FILE = "english_words.txt.gz"  # tools/english_words.py makes it
READ = 2_000  # characters of a question; no model reads more of it
CONTRACTIONS = re.compile(  # without their mark, which are read well enough
    "(are|could|did|does|had|has|have|is|should|was|were|would)nt|(it|they|you)ll|(they|we|you)(re|ve)"
    "|(that|there|what|when|where|who)(d|ll|s)"
)
SUFFIXES = ("d", "js")  # of programs: journald is no journal, and dayjs no days
SURE = frozenset({
    "and", "are", "can", "does", "get", "has", "have", "how", "it", "my", "that", "the", "there", "this", "to", "what",
    "when", "where", "who", "why", "with", "you", "your",
})  # fmt: skip  # small words that other languages hardly have
LIKELY = frozenset({
    "a", "am", "at", "be", "do", "for", "from", "i", "if", "in", "is", "me", "no", "of", "on", "or", "so", "was", "we",
    "will",
})  # fmt: skip  # and that some have, too

_TOKEN = re.compile(r"\S+")
_CORE = re.compile(
    r"[A-Za-z]+(?=[^\w\u0300-\u036f]*$)"
)  # behind opening marks; what holds anything else is no plain word
_OPENING = re.compile(r"^[^\w@#/.\\`:<]*")
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Words:
    """Of a language."""

    common: Mapping[str, int]  # their places by frequency, from 1 on
    known: Collection[str]  # these and all others


@cache
def english_words() -> Words:
    packed = files("anselm.text").joinpath(WORDS_FILE).read_bytes()
    common, others = (part.split() for part in gzip.decompress(packed).decode("ascii").split("\n\n"))
    return Words({word: place for place, word in enumerate(common, start=1)}, frozenset((*common, *others)))


def respell(question: str, texts: Iterable[str], words: Words | None = None) -> str:
    """The question as it is read beside texts; as it was typed where all of its words are known."""
    words = words or english_words()
    head = question if len(question) <= READ else question[:READ].rpartition(" ")[0]
    doubtful = [(start, word) for start, word in plain_words(head) if word.lower() not in words.known]
    if not doubtful:
        return question
    said = {word for text in texts for word in _WORD.findall(text.lower())}
    near = said if not is_english(head, len(doubtful), words) else None
    known: dict[tuple[str, bool], str | None] = {}
    parts, behind = [], 0
    for start, word in doubtful:
        key = (word, is_named(head, start))
        if key not in known:
            known[key] = likeliest(word, said, words, key[1], near)
        if (read := known[key]) is not None:
            parts += [question[behind:start], in_case_of(word, read)]
            behind = start + len(word)
    return "".join([*parts, question[behind:]])


def is_english(question: str, doubtful: int, words: Words) -> bool:
    """As far as its other words tell: of two or three words one is enough."""
    said = _WORD.findall(question.lower())
    told = sum(2 * (word in SURE) + (word in LIKELY or word in words.common) for word in said)
    return told >= 2 or (told == 1 and doubtful == 1 and len(said) <= 3)


def plain_words(question: str) -> Iterator[tuple[int, str]]:
    """Runs of letters between spaces and marks, with their places: no part of an address, a number or a hyphenation."""
    for token in _TOKEN.finditer(question):
        opening = _OPENING.match(token[0])
        begin = opening.end() if opening else 0
        core = _CORE.match(token[0], begin)
        if core and SHORTEST <= len(core[0]) <= LONGEST and not CONTRACTIONS.fullmatch(core[0].lower()):
            yield token.start() + begin, core[0]


def is_named(question: str, start: int) -> bool:
    """With a capital inside a question that is not all in capitals."""
    return start > 0 and question[start].isupper() and not question.isupper()


def likeliest(
    typed: str,
    said: Collection[str],
    words: Words,
    named: bool = False,
    among: Collection[str] | None = None,
) -> str | None:
    """None where nothing is near. What may be a name is only read as a word that a candidate says.

    So is all of a question that may be in another language, whose words are looked for `among` those alone.
    """
    word = typed.lower()
    if word in said:
        return None
    near = {one for one in edits(word) if one[0] == word[0] and is_meant(word, one, said, words, named)}
    near = (
        near if among is None else {one for one in near if one in among and (one in words.common or one in words.known)}
    )
    if not near or any(one.rstrip("s") == word.rstrip("s") for one in near if one in said):
        return None  # one of many is no slip
    return min(near, key=lambda one: (cost(word, one, one in said, words), one))


def is_meant(typed: str, word: str, said: Collection[str], words: Words, named: bool) -> bool:
    """A common word, or one of a candidate: of its names and terms one that ends alike, without another consonant."""
    if any(typed == word + suffix for suffix in SUFFIXES) or (typed.endswith("js") and not word.endswith("js")):
        return False
    if word in words.common or (word in words.known and not named):
        return word in said or (word in words.common and not named)
    return word in said and typed[-1] == word[-1] and slip(typed, word) < 2


def cost(typed: str, word: str, said: bool, words: Words) -> float:
    return SLIP * slip(typed, word) + log(words.common.get(word, RARE)) - SAID * said


def slip(typed: str, word: str) -> int:
    """0: letters changed places, or one is single for double; 1: too many, too few, another vowel; 2: a consonant."""
    if sorted(typed) == sorted(word) or singled(typed) == singled(word):
        return 0
    if len(typed) != len(word):
        return 1
    one, other = next(pair for pair in zip(typed, word, strict=True) if pair[0] != pair[1])
    return 1 if one in VOWELS and other in VOWELS else 2


def singled(word: str) -> str:
    return re.sub(r"(.)\1", r"\1", word)


def edits(word: str) -> set[str]:
    """All that is one edit away."""
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    fewer = {one + two[1:] for one, two in cuts if two}
    turned = {one + two[1] + two[0] + two[2:] for one, two in cuts if len(two) > 1}
    other = {one + letter + two[1:] for one, two in cuts if two for letter in ascii_lowercase}
    more = {one + letter + two for one, two in cuts for letter in ascii_lowercase}
    return (fewer | turned | other | more) - {word}


def in_case_of(typed: str, read: str) -> str:
    if typed.isupper():
        return read.upper()
    return read.capitalize() if typed[0].isupper() else read
