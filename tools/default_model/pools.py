"""Pools: a question's right answers among answers of other questions, as a search over a whole site meets them.

In the threads and documents of the corpora every candidate is on the topic. Lists of that kind alone would teach the
blend that being on the topic counts for little; in a pool it counts for most.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np

from anselm.data.corpus import has_relevant
from anselm.data.question import Candidate, Question
from anselm.models.lexical import Lexical, bm25
from anselm.text.statistics import Statistics

RIGHT, HARD, RANDOM = 3, 12, 12  # candidates of a pool: its own right ones at most, and those of other questions
FEWEST_WORDS = 4  # of an answer of another question; "Thanks!" is wrong for any


def make_pools(questions: Sequence[Question], limit: int, seed: int) -> list[Question]:
    """For at most `limit` of the questions that have a right answer."""
    rng = random.Random(seed)
    answered = [question for question in questions if has_relevant(question)]
    chosen = rng.sample(answered, min(limit, len(answered)))
    return list(_pools(chosen, sorted({c.text for question in questions for c in question.candidates}), rng))


def _pools(questions: Sequence[Question], texts: Sequence[str], rng: random.Random) -> Iterator[Question]:
    lexical = Lexical("bm25")
    terms = [lexical.terms(text) for text in texts]
    statistics = Statistics.fit(terms)
    for question in questions:
        scores = bm25(lexical.terms(question.text), terms, statistics, lexical.config)
        own = {candidate.text for candidate in question.candidates}
        ranked = [texts[place] for place in np.argsort(-scores, kind="stable")]
        others = [text for text in ranked if text not in own and len(text.split()) >= FEWEST_WORDS]
        rest = others[HARD:]
        wrong = others[:HARD] + rng.sample(rest, min(RANDOM, len(rest)))
        right = list(dict.fromkeys(candidate.text for candidate in question.candidates if candidate.relevant))[:RIGHT]
        labelled = sorted([(text, 1.0) for text in right] + [(text, 0.0) for text in wrong])
        candidates = tuple(Candidate(str(place), *pair) for place, pair in enumerate(labelled))
        yield Question(f"pool/{question.id}", question.text, candidates)
