"""A million passages of real sentences, with vectors, for measuring how pools grow.

The sentences of SQuAD dev, WikiQA, SelQA, TrecQA and SQuADShifts, each once, are embedded by the default's encoder
(kept in a pool, so that a run that was stopped goes on). Where more passages are wanted than there are sentences, the
others are two sentences drawn at random, one after the other, and their vector is that of the sum of both vectors:
embedding a million texts takes hours on two cores, and how long a search takes does not depend on it. Their words are
those of some 40,000 sentences, so that a word has more passages than it would have among a million of one's own.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anselm.data.datasets import load_dataset
from anselm.retrieval.embedded import Embedded
from anselm.retrieval.item import Item
from anselm.retrieval.pool import Pool
from anselm.retrieval.store import HALF
from anselm.runtime.sentence_encoder import load_sentence_encoder

SOURCES = (("squad", "dev"), ("wikiqa", "train"), ("wikiqa", "dev"), ("wikiqa", "test"), ("selqa", "dev"),
           ("trecqa", "train"), ("trecqa", "test"), ("squadshifts", None))  # fmt: skip
BLOCK = 1_000  # passages


@dataclass(frozen=True)
class Passages:
    """Sentences, their vectors, and questions with theirs."""

    sentences: tuple[str, ...]
    vectors: NDArray[np.float32]  # (sentences, width)
    questions: tuple[str, ...]
    asked: NDArray[np.float32]  # (questions, width)
    fingerprint: str  # of the encoder

    def blocks(self, count: int) -> Iterator[tuple[list[Item], NDArray[np.float32]]]:
        """So many, a block at a time; always the same."""
        rng = random.Random(1)
        for first in range(0, count, BLOCK):
            parts = [self._parts(number, rng) for number in range(first, min(first + BLOCK, count))]
            texts = [" ".join(self.sentences[part] for part in some) for some in parts]
            yield (
                [Item(str(first + place), text) for place, text in enumerate(texts)],
                unit(np.stack([self.vectors[list(some)].sum(axis=0) for some in parts])),
            )

    def _parts(self, number: int, rng: random.Random) -> tuple[int, ...]:
        if number < len(self.sentences):
            return (number,)
        return rng.randrange(len(self.sentences)), rng.randrange(len(self.sentences))


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def prepare(folder: Path, questions: int) -> Path:
    """The file that `load` reads; made once."""
    kept = folder / "passages.npz"
    if not kept.exists():
        encoder = load_sentence_encoder()
        folder.mkdir(parents=True, exist_ok=True)
        with Pool.open(folder / "sentences.pool", encoder) as pool:
            pool.add(Item(str(number), text) for number, text in enumerate(read_sentences()))
            pool.embed()
            sentences, vectors = [item.text for item in pool.items()], read_vectors(pool)
        asked = [question.text for question in load_dataset("squad", split="dev")]
        some = random.Random(2).sample(list(dict.fromkeys(asked)), questions)
        texts = np.frombuffer(json.dumps([sentences, some, encoder.text_fingerprint]).encode(), dtype=np.uint8)
        np.savez(kept, texts=texts, vectors=vectors, asked=encoder.text_vectors(some))
    return kept


def read_sentences() -> list[str]:
    lists = (question for name, split in SOURCES for question in load_dataset(name, split=split))
    return list(dict.fromkeys(one.text for question in lists for one in question.candidates))


def read_vectors(pool: Pool) -> NDArray[np.float32]:
    engine = pool.engine
    assert isinstance(engine, Embedded)
    found = [row.vector for row in engine.reading.newer(0) if row.vector is not None]
    return np.frombuffer(b"".join(found), dtype=HALF).reshape(len(found), -1).astype(np.float32)


def load(kept: Path) -> Passages:
    with np.load(kept) as arrays:
        sentences, questions, fingerprint = json.loads(arrays["texts"].tobytes())
        asked = unit(arrays["asked"].astype(np.float32))
        return Passages(tuple(sentences), unit(arrays["vectors"]), tuple(questions), asked, fingerprint)
