"""Pools against what they must hold, with the hard candidates ranked by a BM25 from its formula."""

from __future__ import annotations

import math
import re

from anselm.data.question import Candidate, Question
from tools.default_model.pools import make_pools

TOPICS = [f"topic{number}" for number in range(20)]


def ask(number: int, right: int = 1) -> Question:
    """Four answers of at least four words and one of two."""
    said = [
        f"about {TOPICS[number]} with {TOPICS[(number + place) % 20]} number {number} {place}" for place in range(4)
    ]
    rows = [Candidate(str(place), text, float(place < right)) for place, text in enumerate([*said, f"thanks {number}"])]
    return Question(str(number), f"What about {TOPICS[number]}?", tuple(rows))


QUESTIONS = [*(ask(number, right=number % 5) for number in range(20))]


def hardest(question: Question) -> list[str]:
    """The twelve best answers of other questions by BM25 with the statistics of all answers."""
    texts = sorted({c.text for other in QUESTIONS for c in other.candidates})
    others = [
        c.text for other in QUESTIONS if other.id != question.id for c in other.candidates if len(c.text.split()) > 3
    ]
    scores = dict(zip(texts, naive_bm25(question.text, texts), strict=True))
    return sorted(sorted(others), key=lambda text: -scores[text])[:12]


def naive_bm25(question: str, texts: list[str], k1: float = 0.9, b: float = 0.4) -> list[float]:
    """From the formula, word by word; no word of these texts changes when it is stemmed."""
    words = [re.findall(r"\w+", text.lower()) for text in texts]
    length = sum(map(len, words)) / len(words)
    scores = []
    for said in words:
        score = 0.0
        for word in re.findall(r"\w+", question.lower()):
            having = sum(word in other for other in words)
            idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5)) * (0.3 if word in ("what", "about") else 1)
            count = said.count(word)
            score += idf * count / (count + k1 * (1 - b + b * len(said) / length))
        scores.append(round(score, 9))
    return scores


def test_a_pool_has_right_hard_and_random_answers() -> None:
    found = {pool.id: pool for pool in make_pools(QUESTIONS, 100, seed=1)}
    assert set(found) == {f"pool/{number}" for number in range(20) if number % 5}
    for question in QUESTIONS:
        if not any(question.labels):
            continue
        pool = found[f"pool/{question.id}"]
        right = [c.text for c in question.candidates if c.relevant]
        labels = {c.text: c.label for c in pool.candidates}
        assert pool.text == question.text
        assert len(labels) == len(pool.candidates) == len({c.id for c in pool.candidates})
        assert [text for text in right if text in labels] == right[:3]
        assert {text for text in labels if labels[text]} == set(right[:3])
        wrong = {text for text in labels if not labels[text]}
        assert set(hardest(question)) <= wrong
        assert len(wrong) == 24
        assert not wrong & {c.text for c in question.candidates}
        assert not any(text.startswith("thanks") for text in wrong)


def test_pools_follow_from_the_seed_and_are_at_most_so_many() -> None:
    some = make_pools(QUESTIONS, 7, seed=1)
    assert len({pool.id for pool in some}) == 7
    assert make_pools(QUESTIONS, 7, seed=1) == some
    assert make_pools(QUESTIONS, 7, seed=2) != some


def test_few_questions_make_small_pools() -> None:
    [pool] = make_pools([ask(1), ask(5, right=0)], 10, seed=1)
    assert sorted(pool.labels) == [0.0] * 4 + [1.0]


def test_the_places_of_the_right_answers_tell_nothing() -> None:
    assert len({pool.labels.index(1.0) for pool in make_pools(QUESTIONS, 100, seed=1)}) > 5
