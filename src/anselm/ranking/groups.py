"""Groups of similar answers in a ranked list: the best one stands first, and those that are like it follow.

Best first, an answer joins the first group whose first answer it is like (a cosine of at least `ALIKE`), or begins one
of its own. So everything in a group is like what stands for it, and groups come in the order of their best answers.

Two texts are compared as the model's own encoder sees them, where it has one, else by their words, weighted by rarity.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anselm.abilities import Encodes
from anselm.scorer import Scorer
from anselm.text.stem import stem
from anselm.text.tokens import STOPWORDS, words

Numbers = NDArray[np.float64]

ALIKE = 0.6  # of sentence vectors
ALIKE_WORDS = 0.35  # of words: lower, since other words may say the same
# Both were set by looking at the bundled FAQ and a few forum threads, not measured.


def group_answers(scorer: Scorer, texts: Sequence[str]) -> list[int]:
    """The group of each text, best first; group 0 is that of the best."""
    if isinstance(scorer, Encodes):
        return join_groups(scorer.text_vectors(list(texts)), ALIKE)
    return join_by_words(texts, ALIKE_WORDS)


def join_groups(vectors: Numbers, alike: float) -> list[int]:
    """Vectors of length one, best first. (texts, width)

    >>> join_groups(np.array([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]]), 0.7)
    [0, 1, 0]
    """
    heads: list[int] = []
    groups = []
    for place, vector in enumerate(vectors):
        near = np.flatnonzero(vectors[heads] @ vector >= alike)
        groups.append(int(near[0]) if len(near) else len(heads))
        if groups[-1] == len(heads):
            heads.append(place)
    return groups


def join_by_words(texts: Sequence[str], alike: float) -> list[int]:
    """The same by words. What a text shares with the first of each group is looked up, so that lists may be long."""
    having: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)  # groups whose first text has a word
    groups: list[int] = []
    count = 0
    for weights in word_weights(texts):
        cosines: defaultdict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            for group, other in having[word]:
                cosines[group] += weight * other
        groups.append(min((group for group, cosine in cosines.items() if cosine >= alike), default=count))
        if groups[-1] == count:
            count += 1
            for word, weight in weights.items():
                having[word].append((groups[-1], weight))
    return groups


def word_weights(texts: Sequence[str]) -> list[dict[str, float]]:
    """Of each text its stems without function words, times how rare they are among the texts, of length one."""
    counts = [Counter(stem(word) for word in words(text) if word not in STOPWORDS) for text in texts]
    having = Counter(word for count in counts for word in count)
    rows = [
        {word: (1 + math.log(times)) * math.log(1 + len(texts) / having[word]) for word, times in count.items()}
        for count in counts
    ]
    lengths = [math.sqrt(sum(weight**2 for weight in row.values())) for row in rows]
    return [{word: weight / length for word, weight in row.items()} for row, length in zip(rows, lengths, strict=True)]
