"""Wider lists: wrong sentences of the same article, and of anywhere in the same source, join each list.

In the lists of SQuAD and its like all sentences are of one paragraph. Whoever asks documents has those of many, most of
them of another topic, some of the same; a model should have seen both kinds.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from anselm.data.question import Candidate, Question

NEAR, FAR = 3, 2  # wrong sentences of the article, and of the source


def widen(questions: Sequence[Question], rng: random.Random) -> Iterator[Question]:
    """Where an article has too few other sentences, or a source names none, they are of anywhere in the source."""
    own = [{candidate.text for candidate in question.candidates} for question in questions]
    articles: defaultdict[str, set[str]] = defaultdict(set)
    for question, texts in zip(questions, own, strict=True):
        articles[question.meta.get("title", "")] |= texts
    near = {title: sorted(texts) for title, texts in articles.items() if title}
    every = sorted(set().union(*own))
    for question, texts in zip(questions, own, strict=True):
        wrong = draw(near.get(question.meta.get("title", ""), []), NEAR, texts, rng)
        wrong += draw(every, NEAR + FAR - len(wrong), texts | set(wrong), rng)
        candidates = [*question.candidates, *(Candidate(f"x{place}", text, 0.0) for place, text in enumerate(wrong))]
        rng.shuffle(candidates)
        yield replace(question, candidates=tuple(candidates))


def draw(texts: Sequence[str], count: int, taken: Collection[str], rng: random.Random) -> list[str]:
    """So many of distinct texts, or as many as there are, none of them taken. All choices are alike likely."""
    enough = min(len(texts), count + len(taken))  # were all the taken among them
    return [text for text in rng.sample(texts, enough) if text not in taken][:count]
