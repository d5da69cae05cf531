"""BM25 neighbours of many queries at once: a product of sparse matrices, since a list at a time would take hours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from tools.default_model.cutting import STOPWORDS

K1, B = 1.2, 0.75
COMMON = 0.2  # share of the texts; a word of more tells none of them apart
CHUNK = 512  # queries


def terms(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOPWORDS]


def nearest(queries: Sequence[str], texts: Sequence[str], count: int) -> NDArray[np.int32]:
    """The numbers of the best texts of each query, best first, and -1 where too few share a word. (queries, count)"""
    counts = [Counter(terms(text)) for text in texts]
    frequency = Counter(word for one in counts for word in one)
    known = [word for word, often in frequency.items() if often <= max(5, COMMON * len(texts))]
    columns = {word: place for place, word in enumerate(known)}
    documents = _weights(counts, columns, frequency)
    found = np.full((len(queries), count), -1, dtype=np.int32)
    for start in range(0, len(queries), CHUNK):
        asked = [{columns[word] for word in terms(text) if word in columns} for text in queries[start : start + CHUNK]]
        bounds = np.concatenate([[0], np.cumsum([len(one) for one in asked])])
        flat = np.fromiter((word for one in asked for word in one), dtype=np.int64, count=bounds[-1])
        rows = csr_matrix((np.ones(len(flat), dtype=np.float32), flat, bounds), shape=(len(asked), len(known)))
        scores = (rows @ documents).tocsr()
        for place in range(len(asked)):
            inside = slice(scores.indptr[place], scores.indptr[place + 1])
            values, numbers = scores.data[inside], scores.indices[inside]
            best = np.argpartition(-values, count)[:count] if len(values) > count else np.arange(len(values))
            best = best[np.argsort(-values[best], kind="stable")]
            found[start + place, : len(best)] = numbers[best]
    return found


def _weights(counts: Sequence[Counter[str]], columns: dict[str, int], frequency: Counter[str]) -> csr_matrix:
    """BM25's weight of each word in each text. (words, texts)"""
    lengths = np.array([sum(one.values()) for one in counts], dtype=np.float32)
    inside = [
        (columns[word], place, often)
        for place, one in enumerate(counts)
        for word, often in one.items()
        if word in columns
    ]
    words, places, often = (np.array(part) for part in zip(*inside, strict=True))
    usual = np.array([frequency[word] for word in columns], dtype=np.float32)
    rarity = np.log1p((len(counts) - usual + 0.5) / (usual + 0.5))
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    weights = rarity[words] * often * (K1 + 1) / (often + norm[places])
    return csr_matrix((weights.astype(np.float32), (words, places)), shape=(len(columns), len(counts)))
