"""Groups of similar answers in a ranked list: the best one stands first, and those that are like it follow.

Best first, an answer joins the first group whose first answer it is like (a cosine of at least `ALIKE`), or begins one
of its own. So everything in a group is like what stands for it, and groups come in the order of their best answers.

Two texts are compared as the model's own encoder sees them, where it has one, else by their words, weighted by rarity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anselm.models.scorer import Scorer
from anselm.text.stem import stem
from anselm.text.tokens import STOPWORDS, words

Numbers = NDArray[np.float64]

ALIKE = 0.6
ALIKE_WORDS = 0.35  # cosines of words are lower: other words may say the same


def group_answers(scorer: Scorer, texts: Sequence[str]) -> list[int]:
    """The group of each text, best first; group 0 is that of the best."""
    encode = getattr(scorer, "text_vectors", None)
    if encode is not None:
        return join_groups(encode(list(texts)), ALIKE)
    return join_groups(word_vectors(texts), ALIKE_WORDS)


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


def word_vectors(texts: Sequence[str]) -> Numbers:
    """Stems without function words, times how rare they are among the texts; of length one. (texts, stems)"""
    counts = [Counter(stem(word) for word in words(text) if word not in STOPWORDS) for text in texts]
    having = Counter(word for count in counts for word in count)
    numbers = {word: number for number, word in enumerate(having)}
    table = np.zeros((len(texts), max(1, len(numbers))))
    for row, count in enumerate(counts):
        for word, times in count.items():
            table[row, numbers[word]] = (1 + np.log(times)) * np.log(1 + len(texts) / having[word])
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return np.asarray(table / np.where(lengths > 0, lengths, 1.0))
