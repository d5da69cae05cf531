"""Words as their dictionary forms: bees and bee, ran and run are one word. English, by simplemma (`anselm[lemmas]`).

Each word is looked up alone, without its part of speech: leaves is leave, also on a tree. What is no inflection stays:
a word with an apostrophe (don't would be do), and us, which U.S. is folded to and which would be we.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from anselm.errors import MissingExtraError
from anselm.text.tokens import words

KEPT = frozenset({"us"})


def lemmas(sentence: Sequence[str]) -> list[str]:
    """The lemmas of words that `words` gave."""
    return [lemma(word) for word in sentence]


def lemmatise(text: str) -> str:
    """A text whose words are the lemmas of the text's words."""
    return " ".join(lemmas(words(text)))


@lru_cache(maxsize=1 << 17)
def lemma(word: str) -> str:
    if "'" in word or word in KEPT:
        return word
    found = find_lemmatiser()(word, lang="en").lower()  # which has Doha for doha
    return found if words(found) == [found] else word


@cache
def find_lemmatiser() -> Callable[..., str]:
    """simplemma's function; where it is missing, the extra is named."""
    try:
        from simplemma import lemmatize
    except ImportError:
        raise MissingExtraError("reading words as lemmas", "lemmas") from None
    found: Callable[..., str] = lemmatize
    return found
