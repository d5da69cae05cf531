"""Training word vectors: the same in every process, and words of the same company are near one another."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from anselm.errors import InputError, MissingExtraError
from anselm.text.word2vec import train_vectors

HIVE = ("bee", "wasp", "honey", "wax", "nectar")
HARBOUR = ("ship", "boat", "anchor", "sail", "mast")


def corpus() -> list[str]:
    """Sentences about a hive or about a harbour, never about both."""
    rng = random.Random(1)
    return [" ".join(rng.choices(topic, k=8)) for _ in range(400) for topic in (HIVE, HARBOUR)]


def test_words_that_share_contexts_are_nearer_than_others() -> None:
    pytest.importorskip("gensim")
    vectors = train_vectors(corpus(), width=20)
    assert sorted(vectors.words) == sorted(HIVE + HARBOUR)
    assert (vectors.table.shape, vectors.table.dtype) == ((10, 20), np.float32)
    units = vectors.table / np.linalg.norm(vectors.table, axis=1, keepdims=True)
    near = units @ units.T  # (words, words) cosines
    hive = np.array([word in HIVE for word in vectors.words])
    same = hive[:, None] == hive[None, :]
    assert near[same].min() > near[~same].max()


def test_it_is_gensims_skip_gram() -> None:
    models = pytest.importorskip("gensim.models")
    sentences = [text.split() for text in corpus()]
    expected = models.Word2Vec(sentences, vector_size=8, window=3, min_count=1, epochs=2, seed=5, workers=1, sg=1).wv
    vectors = train_vectors(corpus(), width=8, window=3, epochs=2, seed=5)
    assert list(vectors.words) == expected.index_to_key
    np.testing.assert_array_equal(vectors.table, expected.vectors)


def test_rare_words_are_left_out_and_texts_are_read_as_elsewhere() -> None:
    pytest.importorskip("gensim")
    texts = ["The bee’s hive.", "the HIVE", "The U.S."]
    assert train_vectors(iter(texts), width=4, min_count=2).words == ("the", "hive")
    with pytest.raises(InputError, match="no word occurs 9 times or more"):
        train_vectors(texts, width=4, min_count=9)


CODE = """
import hashlib
from anselm.text.word2vec import train_vectors
texts = ["the bee finds the hive", "a ship leaves the harbour", "the bee and the ship"] * 50
vectors = train_vectors(texts, width=16, seed={seed})
print(vectors.words, hashlib.sha256(vectors.table.tobytes()).hexdigest())
"""


def test_the_same_seed_gives_the_same_vectors_in_every_process() -> None:
    pytest.importorskip("gensim")

    def run(hash_seed: str, seed: int) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", CODE.format(seed=seed)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    first = run("1", seed=1)
    assert first.startswith("('the', ")
    assert run("2", seed=1) == first
    assert run("1", seed=2) != first


def test_without_gensim_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingExtraError, match=r"anselm\[vectors\]"):
        train_vectors(["a bee"])
