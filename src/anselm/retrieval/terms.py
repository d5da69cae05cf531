"""BM25 as sparse vectors, the same on every engine: stems as numbers, weights of a passage, weights of a question.

    score(question, passage) = sum over shared stems of
        question weight * idf * tf / (tf + k1 * (1 - b + b * length / MEAN_LENGTH))
    idf = ln(1 + (passages - n + 0.5) / (n + 0.5)), where n passages hold the stem

as in models/lexical.py, but that the mean length is a constant: a weight is kept with its passage, and would otherwise
change with every other one.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from anselm.text.stem import stem
from anselm.text.tokens import STOPWORDS, words

K1, B, MEAN_LENGTH = 0.9, 0.4, 40.0
STOPWORD_WEIGHT = 0.3
TERM = np.dtype([("term", "<u4"), ("count", "<u2")])  # packed: six bytes
Terms = NDArray[np.void]  # of TERM
Numbers = NDArray[np.float32]
FUNCTION_WORDS = STOPWORDS | {stem(word) for word in STOPWORDS}


@lru_cache(maxsize=200_000)
def term_number(word: str) -> int:
    """The number of a word's stem; of a million stems about a hundred share theirs with another."""
    return zlib.crc32(stem(word).encode())


def count_terms(text: str) -> Terms:
    """How often each stem is in a text, by number."""
    counts = sorted(Counter(map(term_number, words(text))).items())
    return np.array([(term, min(count, 65_535)) for term, count in counts], dtype=TERM)


def passage_weights(terms: Terms, sizes: Sequence[int]) -> Numbers:
    """What each stem adds to the score of its passage, before idf; passages of so many stems follow each other."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    count = terms["count"].astype(np.float64)
    length = np.bincount(owner, weights=count, minlength=len(sizes))[owner]  # in words
    return np.asarray(count / (count + K1 * (1 - B + B * length / MEAN_LENGTH)), dtype=np.float32)


def question_weights(question: str) -> dict[int, float]:
    """Stems by number. A function word breaks ties, and no more."""
    counts: Counter[int] = Counter()
    weights: dict[int, float] = {}
    for word in words(question):
        number = term_number(word)
        counts[number] += 1
        common = word in FUNCTION_WORDS or stem(word) in FUNCTION_WORDS
        weights[number] = STOPWORD_WEIGHT if common else 1.0
    return {number: weight * counts[number] for number, weight in weights.items()}


def idf(passages: int, having: int) -> float:
    return float(np.log(1 + (passages - having + 0.5) / (having + 0.5)))
