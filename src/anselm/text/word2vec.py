"""Word vectors from one's own texts: skip-gram with negative sampling (Mikolov et al. 2013), as gensim trains it."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable

import numpy as np

from anselm.errors import InputError, MissingExtraError
from anselm.text.phrases import join_phrases
from anselm.text.tokens import words
from anselm.text.word_vectors import WordVectors


def train_vectors(
    texts: Iterable[str],
    width: int = 300,
    window: int = 5,
    min_count: int = 1,
    epochs: int = 10,  # gensim's 5 is for corpora far larger than those of answer selection
    seed: int = 1,
    workers: int = 1,
    phrases: Collection[str] = (),
) -> WordVectors:
    """Vectors for the words, and for the phrases, that occur at least `min_count` times, most frequent first.

    The same texts and seed give the same vectors with one worker; several are faster, and differ from run to run. Of a
    text longer than 10,000 words, gensim reads so many.
    """
    require_gensim()
    from gensim.models import Word2Vec

    model = Word2Vec(
        vector_size=width, window=window, min_count=min_count, epochs=epochs, seed=seed, workers=workers,
        sg=1, hashfxn=_checksum,
    )  # fmt: skip
    joined = frozenset(phrases)
    sentences = [join_phrases(words(text), joined) if joined else words(text) for text in texts]
    model.build_vocab(sentences)
    if not model.wv.index_to_key:
        raise InputError(f"no word occurs {min_count} times or more in the texts, so there are no vectors to train")
    model.train(sentences, total_examples=model.corpus_count, epochs=model.epochs)
    return WordVectors(tuple(model.wv.index_to_key), model.wv.vectors.astype(np.float32))


def require_gensim() -> None:
    """Before anything that takes long."""
    try:
        import gensim.models  # noqa: F401
    except ImportError:
        raise MissingExtraError("training word vectors", "vectors") from None


def _checksum(text: str) -> int:
    """In place of Python's hash, which differs from process to process: some versions of gensim draw by it."""
    return zlib.crc32(text.encode())
