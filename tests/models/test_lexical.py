"""Lexical rankers against bm25s, against loops written from the formulas, and on hand-worked lists."""

from __future__ import annotations

import math
from collections import Counter

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anselm.data.question import Candidate, Question
from anselm.models.lexical import MODELS, Config, Lexical, idf
from anselm.text.statistics import Statistics

PLAIN = Config(stem=False, stopword_weight=1.0)
TREES = ["ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew"]
words = st.lists(st.sampled_from(TREES), min_size=1, max_size=12)
lists = st.lists(words, min_size=1, max_size=8)


def make(question: str, *candidates: str) -> Question:
    return Question("q", question, tuple(Candidate(str(i), text) for i, text in enumerate(candidates)))


@given(words, lists)
@settings(deadline=None, max_examples=60)
def test_bm25_agrees_with_bm25s(question: list[str], candidates: list[list[str]]) -> None:
    """bm25s leaves the divisor out: the sum of the question's idf, over its words as often as they occur."""
    peer = bm25s.BM25(method="lucene", k1=PLAIN.k1, b=PLAIN.b)
    peer.index(candidates, show_progress=False)
    known = [word for word in question if word in set().union(*candidates)]  # bm25s has no column for the others
    expected = peer.get_scores(known) if known else np.zeros(len(candidates))
    statistics = Statistics.fit(candidates)
    divisor = sum(idf(word, statistics, PLAIN) for word in question)
    (found,) = Lexical("bm25", PLAIN).score([make(" ".join(question), *map(" ".join, candidates))])
    np.testing.assert_allclose(found * divisor, expected, atol=1e-5)  # bm25s computes in float32


@given(words, lists)
@settings(deadline=None)
def test_tfidf_is_a_cosine(question: list[str], candidates: list[list[str]]) -> None:
    vocabulary = sorted({*question, *(word for words in candidates for word in words)})

    def vector(text: list[str]) -> np.ndarray:
        n = {word: sum(word in other for other in candidates) for word in vocabulary}
        weights = {word: math.log(1 + (len(candidates) - n[word] + 0.5) / (n[word] + 0.5)) for word in vocabulary}
        counts = Counter(text)
        return np.array([(1 + math.log(counts[w])) * weights[w] if counts[w] else 0.0 for w in vocabulary])

    asked = vector(question)
    expected = [asked @ vector(c) / np.linalg.norm(asked) / np.linalg.norm(vector(c)) for c in candidates]
    (found,) = Lexical("tfidf", PLAIN).score([make(" ".join(question), *map(" ".join, candidates))])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_jaccard_by_hand() -> None:
    (scores,) = Lexical("jaccard", PLAIN).score([make("red green blue", "red red green", "black", "blue green red")])
    np.testing.assert_allclose(scores, [2 / 3, 0, 1])


def test_overlap_by_hand() -> None:
    """N = 2; red is in both, green in one, blue in none."""
    red, green, blue = math.log(1 + 0.5 / 2.5), math.log(1 + 1.5 / 1.5), math.log(1 + 2.5 / 0.5)
    (scores,) = Lexical("overlap", PLAIN).score([make("red green blue", "red green", "red")])
    np.testing.assert_allclose(scores, [(red + green) / (red + green + blue), red / (red + green + blue)])


def test_inflected_words_match_and_function_words_count_little() -> None:
    (scores,) = Lexical("bm25").score([make("who wrote the songs?", "The who of the.", "She was writing a song.")])
    assert scores[1] > scores[0]
    (scores,) = Lexical("bm25").score([make("to be or not to be", "to be or not", "something else")])
    assert scores[0] > scores[1] == 0


@pytest.mark.parametrize("name", MODELS)
def test_scores_are_shares(name: str) -> None:
    """Between 0 and 1 whatever the question, so that one threshold serves all."""
    question = make("oak oak elm?", "oak", "oak oak elm", "", "fir", "oak elm " * 500)
    (scores,) = Lexical(name).score([question])
    assert np.all((scores >= 0) & (scores <= 1))
    assert scores[1] > scores[3] == 0


@pytest.mark.parametrize("name", MODELS)
def test_nothing_to_go_by_scores_nothing(name: str) -> None:
    (scores,) = Lexical(name).score([make("???", "!!!", "word")])
    assert scores.tolist() == [0, 0]


@pytest.mark.parametrize("name", ["bm25", "tfidf", "overlap"])
def test_statistics_of_a_corpus_change_the_weights(name: str) -> None:
    question = make("oak yew", "oak", "yew")
    (alike,) = Lexical(name, PLAIN).score([question])
    assert alike[0] == pytest.approx(alike[1])
    (scores,) = Lexical(name, PLAIN).fit(["oak"] * 9 + ["yew"]).score([question])
    assert scores[1] > 2 * scores[0]


def test_statistics_by_hand(tmp_path) -> None:
    statistics = Statistics.fit([["oak", "oak", "elm"], ["oak"], []])
    assert (statistics.documents, statistics.mean_length) == (3, 4 / 3)
    assert statistics.frequency == {"oak": 2, "elm": 1}
    statistics.save(tmp_path / "statistics.json")
    assert Statistics.load(tmp_path / "statistics.json") == statistics
