"""Passages of some hundred words, as a retriever hands them over: what a pipeline gives to be ranked.

Made of the documents of one writer: each is cut into passages of 100, 200 or 400 words, sentences kept whole, and a
question has the twenty of all these documents that are nearest by their words, those that answer it among them. A
question without an answer has twenty that do not.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anselm.data.question import Candidate, Question
from anselm.models.lexical import Lexical
from anselm.ranking.passages import find_spots
from anselm.text.documents import document_from_text
from tools.default_model.collected import asked, plain, same

WORDS = (100, 200, 400)  # of a passage, one size for each question in turn
HANDED = 20
SEED = 5


def passage_lists(documents: Sequence[Mapping[str, Any]]) -> Iterator[Question]:
    """`documents`: the records of one writer."""
    cut = {words: [cut_passages(record, words) for record in documents] for words in WORDS}
    for place, record in enumerate(documents):
        for number, (text, right) in enumerate(asked(record)):
            sought = [plain(sentence) for sentence in right]
            passages = cut[WORDS[number % len(WORDS)]]
            labelled = [
                Candidate(f"{owner}.{index}", " ".join(sentences), float(owner == place and holds(sentences, sought)))
                for owner, own in enumerate(passages)
                for index, sentences in enumerate(own)
            ]
            yield handed_over(Question(f"{record['subject']} {number}", text, tuple(labelled)))


def cut_passages(record: Mapping[str, Any], words: int) -> list[list[str]]:
    """Sentences in a row, from so many words on; what is left at the end is a passage if it has half of that."""
    passages: list[list[str]] = [[]]
    for spot in find_spots(document_from_text(record["markdown"], record["subject"], "markdown")):
        if count_words(passages[-1]) >= words:
            passages.append([])
        passages[-1].append(spot.candidate.text)
    if len(passages) > 1 and count_words(passages[-1]) < words / 2:
        rest = passages.pop()
        passages[-1] += rest
    return passages


def count_words(sentences: Sequence[str]) -> int:
    return sum(len(sentence.split()) for sentence in sentences)


def holds(sentences: Sequence[str], sought: Sequence[str]) -> bool:
    return any(same(plain(sentence), one) for sentence in sentences for one in sought)


def handed_over(question: Question) -> Question:
    """In an order that says nothing."""
    scores = Lexical("bm25").score([question])[0]
    nearest = np.argsort(-scores, kind="stable").tolist()
    right = [place for place in nearest if question.candidates[place].relevant]
    kept = list(dict.fromkeys([*right, *nearest]))[:HANDED]
    random.Random(f"{SEED} {question.id}").shuffle(kept)
    return Question(question.id, question.text, tuple(question.candidates[place] for place in kept))
