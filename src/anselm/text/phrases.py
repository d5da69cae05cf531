"""Phrases: words that come together far more often than by chance, such as new york, read as one word, new_york.

Mikolov et al. (2013): a and b are joined where (count(ab) - min_count) / (count(a) count(b)) times the number of
distinct words exceeds a threshold; a second pass over the joined texts finds phrases of three words. No word of a text
contains an underscore (text/tokens.py), so a vocabulary knows its phrases by it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from anselm.errors import MissingExtraError
from anselm.text.tokens import words

JOINT = "_"
LONGEST = 3  # words


def find_phrases(texts: Iterable[str], min_count: int = 5, threshold: float = 10.0) -> tuple[str, ...]:
    """Phrases of two and three words, in alphabetical order."""
    try:
        from gensim.models.phrases import Phrases
    except ImportError:
        raise MissingExtraError("finding phrases", "vectors") from None
    sentences = [words(text) for text in texts]
    pairs = set(Phrases(sentences, min_count=min_count, threshold=threshold, delimiter=JOINT).export_phrases())
    joined = [join_phrases(sentence, pairs) for sentence in sentences]
    longer = Phrases(joined, min_count=min_count, threshold=threshold, delimiter=JOINT).export_phrases()
    triples = {phrase for phrase in longer if phrase.count(JOINT) < LONGEST}
    return tuple(sorted(pairs | triples))


def known_phrases(vocabulary: Iterable[str]) -> tuple[str, ...]:
    """Those among the words of a file of vectors, in alphabetical order: what words of a text can be joined to.

    >>> known_phrases(["york", "new_york", "New_York", "a_b_c_d", "_"])
    ('new_york',)
    """
    joined = ((word, word.split(JOINT)) for word in vocabulary if JOINT in word)
    return tuple(sorted(word for word, parts in joined if len(parts) <= LONGEST and words(" ".join(parts)) == parts))


def join_phrases(sentence: Sequence[str], phrases: Collection[str]) -> list[str]:
    """From the left, the longest phrase that begins at each word.

    >>> join_phrases("the new york city hall".split(), {"new_york", "new_york_city"})
    ['the', 'new_york_city', 'hall']
    """
    found, place = [], 0
    while place < len(sentence):
        for length in range(LONGEST, 0, -1):
            candidate = JOINT.join(sentence[place : place + length])
            if length == 1 or (place + length <= len(sentence) and candidate in phrases):
                found.append(candidate)
                place += length
                break
    return found
