"""Vectors that were made before: the same numbers as anew, the oldest go first, several threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from anselm.encoding.lists import Indices, Texts, flatten
from anselm.runtime.vector_store import Numbers, VectorStore

TOKENS = [[3, 1], [4], [], [3, 1], [1, 3], [5] * 30, [3, 1, 4]]
TEXTS = flatten(TOKENS)


class Encoder:
    """A vector that tells the tokens and their order; it remembers what it was asked for."""

    def __init__(self, texts: Texts = TEXTS) -> None:
        self.texts, self.asked = texts, list[int]()

    def __call__(self, which: Indices) -> Numbers:
        self.asked += which.tolist()
        return np.array([self.one(place) for place in which.tolist()])

    def one(self, place: int) -> list[float]:
        start, length = self.texts.starts[place], self.texts.lengths[place]
        tokens = self.texts.ids[start : start + length]
        weights = np.arange(1, length + 1)
        return [float(tokens @ weights) / 7, float(tokens.sum()) / 3, float(length)]


def expected(which: list[int]) -> Numbers:
    """As they are kept, in four bytes."""
    return np.array([Encoder().one(place) for place in which]).astype(np.float32).astype(np.float64)


def test_what_is_known_is_not_encoded_again() -> None:
    store, encoder = VectorStore(), Encoder()
    np.testing.assert_array_equal(store.encode(TEXTS, np.array([0, 1, 2]), encoder), expected([0, 1, 2]))
    assert encoder.asked == [0, 1, 2]
    found = store.encode(TEXTS, np.array([6, 3, 2, 4]), encoder)  # 3 has the tokens of 0
    np.testing.assert_array_equal(found, expected([6, 3, 2, 4]))
    assert encoder.asked == [0, 1, 2, 6, 4]
    np.testing.assert_array_equal(store.encode(TEXTS, np.array([4, 0]), encoder), expected([4, 0]))
    assert encoder.asked == [0, 1, 2, 6, 4]


def test_what_comes_twice_is_encoded_once() -> None:
    """Several lists with the same passages, which is how a pipeline asks."""
    store, encoder = VectorStore(), Encoder()
    found = store.encode(TEXTS, np.array([0, 1, 3, 0, 1]), encoder)
    np.testing.assert_array_equal(found, expected([0, 1, 3, 0, 1]))
    assert len(encoder.asked) == 2


def test_the_numbers_are_the_same_known_or_not() -> None:
    store = VectorStore()
    which = np.arange(len(TOKENS))
    first, second = (store.encode(TEXTS, which, Encoder()) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.dtype == np.float64


def test_a_text_is_known_by_its_tokens_wherever_they_stand() -> None:
    store = VectorStore()
    store.encode(TEXTS, np.array([0]), Encoder())
    moved = flatten([[9, 9, 9], [3, 1]])
    encoder = Encoder(moved)
    np.testing.assert_array_equal(store.encode(moved, np.array([1]), encoder), expected([0]))
    assert encoder.asked == []


def test_vectors_by_their_texts() -> None:
    """`recall` is given any keys, and asks for the places of those that it lacks."""
    store, asked = VectorStore(), list[list[int]]()

    def make(places: list[int]) -> Numbers:
        asked.append(places)
        return np.array([[float(place), 7.0] for place in places])

    np.testing.assert_array_equal(store.recall(["a", "b"], make), [[0, 7], [1, 7]])
    np.testing.assert_array_equal(store.recall(["b", "c", "a"], make), [[1, 7], [1, 7], [0, 7]])
    assert asked == [[0, 1], [1]]


def test_the_one_that_was_not_used_longest_goes_first() -> None:
    store, encoder = VectorStore(most=3), Encoder()
    store.encode(TEXTS, np.array([0, 1, 2]), encoder)
    store.encode(TEXTS, np.array([0]), encoder)  # used again, so 1 is the oldest
    store.encode(TEXTS, np.array([4]), encoder)
    assert encoder.asked == [0, 1, 2, 4]
    store.encode(TEXTS, np.array([2, 0, 4]), encoder)
    assert encoder.asked == [0, 1, 2, 4]
    store.encode(TEXTS, np.array([1]), encoder)
    assert encoder.asked == [0, 1, 2, 4, 1]


@pytest.mark.parametrize("most", [0, 1, 3])
def test_more_at_once_than_are_kept(most: int) -> None:
    store = VectorStore(most)
    for _ in range(2):
        which = [5, 6, 4, 2, 1, 0]
        np.testing.assert_array_equal(store.encode(TEXTS, np.array(which), Encoder()), expected(which))


def test_a_vector_that_is_changed_by_its_user_stays_as_it_was() -> None:
    store = VectorStore()
    for _ in range(3):
        found = store.encode(TEXTS, np.array([0, 1]), Encoder())
        np.testing.assert_array_equal(found, expected([0, 1]))
        found[:] = 0


def test_what_is_kept_does_not_hold_its_batch() -> None:
    store = VectorStore()
    store.encode(TEXTS, np.arange(len(TOKENS)), Encoder())
    assert all(vector.base is None for vector in store._kept.values())


def test_an_error_of_the_encoder_leaves_nothing_behind() -> None:
    store = VectorStore()

    def fail(which: Indices) -> Numbers:
        raise MemoryError

    with pytest.raises(MemoryError):
        store.encode(TEXTS, np.array([0]), fail)
    encoder = Encoder()
    np.testing.assert_array_equal(store.encode(TEXTS, np.array([0]), encoder), expected([0]))
    assert encoder.asked == [0]


def test_several_threads_at_once() -> None:
    """All of them in a store that is too small, so that each throws out what others have just put in."""
    store, together = VectorStore(most=4), Barrier(6)

    def use(seed: int) -> list[tuple[list[int], Numbers]]:
        rng, encoder = np.random.default_rng(seed), Encoder()
        together.wait(timeout=60)
        draws = [rng.integers(0, len(TOKENS), size=5) for _ in range(300)]
        return [(which.tolist(), store.encode(TEXTS, which, encoder)) for which in draws]

    with ThreadPoolExecutor(6) as pool:
        for rows in pool.map(use, range(6)):
            for which, found in rows:
                np.testing.assert_array_equal(found, expected(which))
    assert len(store._kept) == 4
