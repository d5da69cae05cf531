"""Porter's suffix stripper: "An algorithm for suffix stripping", M. F. Porter, Program 14(3), 1980.

The paper writes a word as [C](VC)^m[V], where C and V are runs of consonants and vowels; m is the word's measure.
Each step removes or replaces the longest suffix of its list if the stem before it meets the step's condition:

    (m > 0)   the stem has a measure above 0
    (*v*)     the stem contains a vowel
    (*d)      the stem ends in a double consonant
    (*o)      the stem ends consonant-vowel-consonant, the last not being w, x or y

The one departure is Porter's own, from the program he published: words of one or two letters stay as they are, so
that `is` does not become `i`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "abli": "able", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}


def _longest(suffixes: Iterable[str]) -> re.Pattern[str]:
    # A search takes the leftmost start that reaches the end of the word, which is the longest suffix.
    return re.compile(f"(?:{'|'.join(suffixes)})$")


_LONGEST_WORD = 64  # beyond it is no English word but a hash, a path, a megabyte without spaces
_ENDS_2, _ENDS_3 = _longest(_STEP_2), _longest(_STEP_3)
_ENDS_4 = re.compile("(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ion|ou|ism|ate|iti|ous|ive|ize)$")


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """The stem of a lower-case English word."""
    if not 2 < len(word) <= _LONGEST_WORD:
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _replace(word, _ENDS_2, _STEP_2)
    word = _replace(word, _ENDS_3, _STEP_3)
    return _step_5(_step_4(word))


def _shape(word: str) -> str:
    """The word as a string of c (consonant) and v (vowel); y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _double_consonant(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_cvc(word: str) -> bool:
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _step_1a(word: str) -> str:
    """Plurals: caresses -> caress, ponies -> poni, cats -> cat."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    """Past and participle: agreed -> agree, hopping -> hop, filing -> file."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    base = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not _has_vowel(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if _double_consonant(base) and base[-1] not in "lsz":
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _ends_cvc(base) else base


def _step_1c(word: str) -> str:
    """happy -> happi, but sky stays."""
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _replace(word: str, ends: re.Pattern[str], replacement: dict[str, str]) -> str:
    """Steps 2 and 3: double suffixes become single ones when the stem has a measure."""
    match = ends.search(word)
    if match is None or _measure(word[: match.start()]) == 0:
        return word
    return word[: match.start()] + replacement[match[0]]


def _step_4(word: str) -> str:
    """Single suffixes go when the stem's measure is above 1; -ion only after s or t."""
    match = _ENDS_4.search(word)
    if match is None:
        return word
    base = word[: match.start()]
    if _measure(base) < 2 or (match[0] == "ion" and not base.endswith(("s", "t"))):
        return word
    return base


def _step_5(word: str) -> str:
    """A final e goes (probate -> probat, but rate stays), then one of a final ll (controll -> control)."""
    if word.endswith("e"):
        base = word[:-1]
        measure = _measure(base)
        if measure > 1 or (measure == 1 and not _ends_cvc(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
